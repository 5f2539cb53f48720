package wire

// Usage is one of the objects that account/usage answers an array of. Of a series per hour,
// day and month one is there: the interval's.
type Usage struct {
	StartDate          string             `json:"start_date"`
	EndDate            string             `json:"end_date"`
	Timezone           string             `json:"timezone"`
	Interval           string             `json:"interval"`
	HitsTotal          TotalHits          `json:"hits_total"`
	HitsPerApplication []ApplicationUsage `json:"hits_per_application"`
}

// TotalHits are the hits of all applications asked about.
type TotalHits struct {
	TotalHitsForPeriod uint64      `json:"TotalHitsForPeriod"`
	PerHour            []HourHits  `json:"TotalHitsPerHour,omitempty"`
	PerDay             []DayHits   `json:"TotalHitsPerDay,omitempty"`
	PerMonth           []MonthHits `json:"TotalHitsPerMonth,omitempty"`
}

// ApplicationUsage are the hits of one application.
type ApplicationUsage struct {
	ApplicationName    string      `json:"ApplicationName"`
	TotalHitsForPeriod uint64      `json:"TotalHitsForPeriod"`
	PerHour            []HourHits  `json:"HitsPerHour,omitempty"`
	PerDay             []DayHits   `json:"HitsPerDay,omitempty"`
	PerMonth           []MonthHits `json:"HitsPerMonth,omitempty"`
}

// HourHits are the hits of an hour, "2026-03-15 12:00:00".
type HourHits struct {
	Hour string `json:"hour"`
	Hits string `json:"hits"`
}

// DayHits are the hits of a UTC day, "2026-03-15".
type DayHits struct {
	Day  string `json:"day"`
	Hits string `json:"hits"`
}

// MonthHits are the hits of a calendar month, "2026-03".
type MonthHits struct {
	Month string `json:"month"`
	Hits  string `json:"hits"`
}
