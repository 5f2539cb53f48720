package domain

import (
	"errors"
	"fmt"
)

// What a value of the journal or the catalog may be besides a record or a damaged one.
var (
	// ErrForeign is a value of another program: it does not begin as a record does.
	ErrForeign = errors.New("a value of another program, not a record of ovation")
	// ErrNewer is a record of a version or kind that this binary does not know.
	ErrNewer = errors.New("needs a newer ovation")
	// ErrOlder is a record of a version that this binary no longer reads.
	ErrOlder = errors.New("needs the older ovation that wrote it")
)

// GapKind says in what way a log is not the one that was read before.
type GapKind uint8

// A gap waits for the operator's word (AcceptGap).
const (
	GapRetention GapKind = iota + 1 // the log starts above the offset asked for
	GapTruncated                    // the log ends below it
	GapDiverged                     // it was cut below it and has grown again
	GapRecreated                    // the topic is another one, or gone
	GapCorrupt                      // a batch or a record of the journal cannot be read
	GapNewer                        // a record of a newer version: no word helps, a newer binary does
	GapOlder                        // a record of an older version: no word helps, the binary that wrote it does
)

var gapNames = [...]string{"", "retention", "truncated", "diverged", "recreated", "corrupt", "newer", "older"}

// String is the word that status shows.
func (k GapKind) String() string {
	if int(k) >= len(gapNames) {
		return "unknown"
	}
	return gapNames[k]
}

// GapError says that a log cannot be read on from where it was left without
// losing records.
type GapError struct {
	Kind      GapKind
	Topic     string
	TopicID   TopicID // the topic that is there now; zero: none
	Partition int
	Want      int64 // the offset asked for
	Start     int64 // the log's first offset now
	End       int64 // the offset after its last, or where it diverged
	Unknown   bool  // of GapTruncated, GapDiverged: where the log parts from what was read is not known
	Detail    string
	Err       error // of GapCorrupt, GapNewer and GapOlder: why; it wraps ErrNewer or ErrOlder
}

// Unwrap is why a batch or a record cannot be read.
func (e *GapError) Unwrap() error { return e.Err }

// Error names the partition and the bounds.
func (e *GapError) Error() string {
	return fmt.Sprintf("%s/%d: log gap (%s): want %d, log is [%d,%d) %s",
		e.Topic, e.Partition, e.Kind, e.Want, e.Start, e.End, e.Detail)
}

// CorruptError says that the batch [Base, Next) of a source cannot be read; asking
// again gives the same.
type CorruptError struct {
	Base, Next int64
	Epoch      int32
	Detail     string
}

// Error names the batch.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("record batch [%d,%d): %s", e.Base, e.Next, e.Detail)
}
