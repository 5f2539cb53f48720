package wire

// RemovedAction is an action that was deleted since a stream may have sent it.
type RemovedAction struct {
	ID string `json:"ID"`
}

// ErasedMember is a member who was erased since a stream may have sent what it did.
type ErasedMember struct {
	MemberID string `json:"MemberID"`
}

// MergedMember is a member who was merged into another one, or was parted from it.
type MergedMember struct {
	MemberID       string `json:"MemberID"`
	MergedMemberID string `json:"MergedMemberID"`
}
