package domain

// StreamQuery says from where on a stream reads the actions that its question matches. A stream is a question that
// is asked again and again: the answer's Next is what it is asked with the next time. Of its question, Range is that
// of the filters on what members did: actions of any time are streamed.
//
// A stream has notices among the actions, of what a client may have had of it, whether it had them or not: one of each action
// that was deleted since it was recorded, of what the question matches by brand, definition and service, and one of each member
// of the account that was erased, merged or parted.
//
// An action is streamed where it was recorded, each once, whatever becomes of its member: the copies that a merge makes are
// not streamed, and rows that count nowhere are. A question that asks something of members (Filter.OfMembers) cannot
// have this: what it asks is known where rows count. It streams what counts: a merge, or its end, moves rows to sequences
// of another shard, so that actions of the member come once more, and what came late there may be left out.
//
// Memberships are those of Segment's list: who came onto it, and who left it. An action and the membership that it made have
// one sequence, which a page does not part: it may have an event more a shard than its limit.
type StreamQuery struct {
	Start   StreamStart
	Kinds   EventKinds // of the events that the stream has
	Segment SegmentID  // of ListEvents: whose list
	Kept    bool       // likewise: memberships that are no longer kept are passed over, else they are ErrMembershipsGone
	Above   []uint64   // of StreamAbove: by shard, the sequence that all was read up to; of a shard that it lacks, nothing was
	From    int64      // of StreamRecorded: ms since 1970
	Limit   int        // of StreamAbove: events on a page at most; MaxStreamPage bounds it
}

// ErrNotFollowed says that a shard does not keep the memberships of the list yet that a stream asks for.
var ErrNotFollowed = &Error{Code: Unavailable, Message: "the memberships of the list are not kept yet, try again"}

// ErrMembershipsGone says that memberships after the place that a stream goes on from are no longer kept, or never were.
var ErrMembershipsGone = Bad(InvalidParameter, "cursor",
	"cursor, or Last-Event-ID, is of before what is kept of the list: read its members again, and begin without a cursor")

// StreamStart is where a stream begins to read.
type StreamStart uint8

// The starts. With all but StreamAbove the answer has no events: its Next is where the stream begins.
const (
	StreamAbove    StreamStart = iota // after what was read
	StreamNow                         // after what is visible now
	StreamRecorded                    // before the first action recorded at a time or after it
)

// MaxStreamPage is how many events a page of a stream has at most.
const MaxStreamPage = 500

// Page is how many events a page has at most.
func (s *StreamQuery) Page() int { return min(max(s.Limit, 0), MaxStreamPage) }

// AboveIn is the sequence that all was read up to in a shard.
func (s *StreamQuery) AboveIn(shard int) uint64 {
	if shard < len(s.Above) {
		return s.Above[shard]
	}
	return 0
}

// Stream is a page of a stream.
type Stream struct {
	Events []StreamEvent // shard by shard, in each ascending by sequence
	Next   []uint64      // by shard, what was read with this page: none is below that of the question
	More   bool          // of what was visible there may be events after Next
}

// StreamEvent is an action that became visible, that something is no more, or that a member came onto a list or left it. Its
// place is the shard and the sequence, and never changes.
type StreamEvent struct {
	Shard      int
	Item       FeedItem   // as a feed lists it; Member is who did it, who may be merged into another
	Notice     Notice     // in place of an action; its Kind is 0 where there is none
	Membership Membership // likewise; its Segment is 0 where there is none
}

// Kind is what happened.
func (e *StreamEvent) Kind() EventKind {
	switch {
	case e.Notice.Kind != 0:
		return e.Notice.Kind
	case e.Membership.Segment != 0:
		return e.Membership.Kind()
	}
	return EventActivity
}

// Sequence is the event's in its shard.
func (e *StreamEvent) Sequence() uint64 { return max(e.Notice.Seq, e.Item.Row.Seq, e.Membership.Seq) }

// StreamCut is how many events a page has that ends after so many of a shard's, from 1: it parts none of one sequence.
func StreamCut(events []StreamEvent, n int) int {
	for n > 0 && n < len(events) && events[n].Sequence() == events[n-1].Sequence() {
		n++
	}
	return n
}

// StreamPart is a shard's part of a page.
type StreamPart struct {
	Events []StreamEvent // ascending by sequence
	Next   uint64        // all up to here was read
	More   bool          // of what was visible there may be more after Next
}
