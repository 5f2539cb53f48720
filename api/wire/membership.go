package wire

import "github.com/ovation-analytics/ovation/actors/domain"

// Membership is that a member came onto the list of a segment, or left it.
type Membership struct {
	SegmentID string `json:"SegmentID"`
	MemberID  string `json:"MemberID"`
	Time      string `json:"Time"`
}

// MembershipOf renders a membership.
func MembershipOf(m *domain.Membership) *Membership {
	return &Membership{SegmentID: Number(m.Segment), MemberID: Number(m.Member), Time: Millis(m.At)}
}
