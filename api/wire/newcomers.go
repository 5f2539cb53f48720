package wire

// Newcomers is the answer of stats/members. Rows are ordered by members, most first; totals
// are made of the actions of the rows shown, and count a member once: NewMembers, whose
// first action ever for the brand lies in the range, and ReturningMembers add up to
// TotalMembers.
type Newcomers struct {
	TotalSize        string       `json:"totalSize"`
	Items            []ActiveRow  `json:"items"`
	TotalMembers     string       `json:"TotalMembers"`
	NewMembers       uint64       `json:"NewMembers"`
	ReturningMembers uint64       `json:"ReturningMembers"`
	Explain          *Explanation `json:"explain,omitempty"`
}

// ActiveRow is the members of one activity, which has an ActivityID, or of one type.
type ActiveRow struct {
	ActivityID    *string `json:"ActivityID,omitempty"`
	Type          *string `json:"Type,omitempty"`
	Activity      string  `json:"Activity"`
	ActiveMembers string  `json:"ActiveMembers"`
	Percentage    string  `json:"Percentage"` // of TotalMembers
}

// SegmentStats is the answer of stats/segments, of all time: a brand's segments, by ID.
// A total counts a member, and an action, once, however many segments have it.
type SegmentStats struct {
	Items           []SegmentRow `json:"items"`
	TotalMembers    string       `json:"TotalMembers"`
	TotalActivities string       `json:"TotalActivities"`
	Explain         *Explanation `json:"explain,omitempty"`
}

// SegmentRow is the members on a segment's list, and the actions of its definitions for
// the brand, of any member.
type SegmentRow struct {
	SegmentID   string `json:"SegmentID"`
	SegmentName string `json:"SegmentName"`
	Members     string `json:"Members"`
	Activities  uint64 `json:"Activities"`
}
