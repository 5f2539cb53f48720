package wire

// ActivityTally is the answer of stats/activity. A total counts a member once and
// is not the sum of its rows.
type ActivityTally struct {
	TotalSize    string        `json:"totalSize"`
	Items        []ActivityRow `json:"items"`
	TotalCount   string        `json:"TotalCount"`
	TotalMembers string        `json:"TotalMembers"`
	Explain      *Explanation  `json:"explain,omitempty"`
}

// ActivityRow is the count of one activity, or of one type.
type ActivityRow struct {
	ActivityID      *string `json:"ActivityID"`
	BrandID         string  `json:"BrandID"`
	SegmentName     *string `json:"SegmentName"`
	Activity        string  `json:"Activity"`
	ServiceType     *string `json:"ServiceType"`
	Count           string  `json:"Count"`
	DistinctMembers string  `json:"DistinctMembers"`
}

// Timeline is the answer of stats/timeline.
type Timeline struct {
	Services []ServiceTimeline `json:"services"`
	Explain  *Explanation      `json:"explain,omitempty"`
}

// ServiceTimeline is one service's counts by day, zeros included.
type ServiceTimeline struct {
	Service      string     `json:"service"`
	Range        []DayCount `json:"range"`
	TotalCount   string     `json:"TotalCount"`
	TotalMembers string     `json:"TotalMembers"`
}

// DayCount is one UTC day.
type DayCount struct {
	Date            string `json:"Date"`
	DayofYear       string `json:"DayofYear"`
	Count           string `json:"Count"`
	DistinctMembers string `json:"DistinctMembers"`
}
