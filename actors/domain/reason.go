package domain

import "slices"

// Reason is why a record became a dead letter, in the words of the header
// dlq.reason. The codes are in the journal and in the store, fixed for ever; a new one comes
// last. A binary that does not know the code of a record or of a store refuses it as newer.
type Reason uint8

// The reasons. Accepted is none.
const (
	Accepted Reason = iota
	BadJSON
	BadEvent
	MissingField
	UnknownType
	UnknownAccount
	UnknownMember
	UnknownActivity
	UnknownBrand
	BadTime
	FutureTime
	TooOld
	OverSize
	SharingDisabled
	ConflictingDuplicate
	GoneMember
	Corrupt
	Poison
	Foreign // a value of another program in the journal, or a record for another partition
)

// Reasons is the number of reasons, Accepted included.
const Reasons = int(Foreign) + 1

var reasonNames = [Reasons]string{
	"", "bad_json", "bad_event", "missing_field", "unknown_type", "unknown_account", "unknown_member",
	"unknown_activity", "unknown_brand", "bad_time", "future_time", "too_old", "too_large",
	"sharing_disabled", "conflicting_duplicate", "gone", "corrupt", "poison", "foreign",
}

// String is the word of the header.
func (r Reason) String() string {
	if int(r) >= len(reasonNames) {
		return "unknown"
	}
	return reasonNames[r]
}

// ParseReason is the reason of a word of the header.
func ParseReason(word string) (Reason, bool) {
	i := slices.Index(reasonNames[1:], word)
	return Reason(i + 1), i >= 0
}

// ReasonWords are the words of the header, but that of none.
func ReasonWords() []string { return slices.Clone(reasonNames[1:]) }
