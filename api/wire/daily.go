package wire

// Daily is the answer of count/daily: every UTC day the range touches, zeros
// included. A total counts a member once and is not the sum of its rows.
type Daily struct {
	Items        []DailyCount `json:"items"`
	TotalCount   string       `json:"TotalCount"`
	TotalMembers string       `json:"TotalMembers"`
	Explain      *Explanation `json:"explain,omitempty"`
}

// DailyCount is one UTC day.
type DailyCount struct {
	Date            string `json:"Date"`
	Count           string `json:"Count"`
	DistinctMembers string `json:"DistinctMembers"`
}
