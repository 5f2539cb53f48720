package wire

// Erased is the answer of the erasure of a member.
type Erased struct {
	Deleted bool   `json:"deleted"`
	Receipt string `json:"Receipt"`
}
