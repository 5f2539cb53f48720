package wire

// Membership is that a member came onto the list of a segment, or left it.
type Membership struct {
	SegmentID string `json:"SegmentID"`
	MemberID  string `json:"MemberID"`
	Time      string `json:"Time"`
}
