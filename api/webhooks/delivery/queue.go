package delivery

import (
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MaxPending bounds the events of a queue that were taken and are not done.
const MaxPending = 1000

// Message is what one request carries: an event, or a batch. It is owned by its queue; what a Sender reads of it
// never changes but for what tells of tries, which changes between two of them alone.
type Message struct {
	ID     domain.MessageID
	Events []Event // in order
	Tries  int     // that ended
	First  time.Time
	Next   time.Time // no try before
	Last   time.Time // when the last try ended; zero: none did
	Status string    // of the last try; empty: there was none
	flying bool
}

// Queue is what of a shard's events a webhook has still to deliver.
type Queue struct {
	place    Place
	batch    int
	through  uint64     // events up to here were taken
	rewound  uint64     // up to here some may be pending although they are above through
	messages []*Message // that were tried or are, the oldest first
	held     []Event    // taken and in no message, in order
	pending  int        // events of messages and held
	moved    bool       // since the last State
	stuck    bool       // each held event waits for another one
}

// State is what is kept of a Queue.
type State struct {
	Through  uint64
	Messages []Message
	Held     []Event
}

// NewQueue goes on from a state. Its messages keep what they carry; batch is of those that are made from now on.
func NewQueue(place Place, batch int, s State) *Queue {
	q := &Queue{place: place, batch: max(batch, 1), through: s.Through, held: slices.Clone(s.Held), pending: len(s.Held)}
	for _, m := range s.Messages {
		m.ID, m.flying = place.MessageID(m.Events), false
		q.messages = append(q.messages, &m)
		q.pending += len(m.Events)
	}
	for e := range q.undone() {
		q.rewound = max(q.rewound, e.sequence)
	}
	return q
}

// State is what is to be kept now. A message that is on its way has the tries that ended.
func (q *Queue) State() State {
	q.moved = false
	s := State{Through: q.through, Held: slices.Clone(q.held)}
	for _, m := range q.messages {
		s.Messages = append(s.Messages, *m)
	}
	return s
}

// Moved reports that State has another value than at its last call.
func (q *Queue) Moved() bool { return q.moved }

// Through is up to where events were taken.
func (q *Queue) Through() uint64 { return q.through }

// Low is up to where everything is done.
func (q *Queue) Low() uint64 {
	low := q.through
	for _, m := range q.messages {
		low = min(low, m.Events[0].Sequence-1)
	}
	if len(q.held) > 0 {
		low = min(low, q.held[0].Sequence-1)
	}
	return low
}

// Pending is how many events were taken and are not done.
func (q *Queue) Pending() int { return q.pending }

// Room is how many events may be taken.
func (q *Queue) Room() int { return max(MaxPending-q.pending, 0) }

// Take takes what a page of the shard's stream has, up to the place through. Events that were taken before are left
// out; after a Rewind, those that are pending.
func (q *Queue) Take(events []Event, through uint64) {
	var undone map[place]struct{}
	if q.through < q.rewound {
		undone = q.undone()
	}
	var fresh []Event
	for _, e := range events {
		if _, pending := undone[placeOf(e)]; e.Sequence > q.through && !pending {
			fresh = append(fresh, e)
		}
	}
	q.hold(fresh)
	if through > q.through {
		q.through, q.moved = through, true
	}
}

// Next is the message to send now, which is on its way from then on; nil: there is none. Messages whose time has
// come go first, the oldest first.
func (q *Queue) Next(now time.Time) *Message {
	for _, m := range q.messages {
		if !m.flying && !m.Next.After(now) {
			m.flying = true
			return m
		}
	}
	events := q.free()
	if len(events) == 0 {
		return nil
	}
	m := &Message{ID: q.place.MessageID(events), Events: events, First: now, Next: now, flying: true}
	q.messages = append(q.messages, m)
	q.moved = true
	return m
}

// free takes the events of a new message out of those that are held: no event of them waits for another message.
func (q *Queue) free() (out []Event) {
	if len(q.held) == 0 || q.stuck {
		return nil
	}
	waits := newHolds(q.messages)
	kept := q.held[:0]
	for _, e := range q.held {
		if len(out) < q.batch && !waits.holds(e) {
			out = append(out, e)
			continue
		}
		waits.add(e)
		kept = append(kept, e)
	}
	q.held = kept
	q.stuck = len(out) == 0
	return out
}

// Due is when the next try of a message is due that is not on its way; zero: of none.
func (q *Queue) Due() (at time.Time) {
	for _, m := range q.messages {
		if !m.flying && (at.IsZero() || m.Next.Before(at)) {
			at = m.Next
		}
	}
	return at
}

// Ready reports that a new message may be made of what was taken.
func (q *Queue) Ready() bool { return len(q.held) > 0 && !q.stuck }

// Delivered ends a message that the receiver took, or whose events have no contents any more.
func (q *Queue) Delivered(m *Message) {
	if i := slices.Index(q.messages, m); i >= 0 {
		q.messages = slices.Delete(q.messages, i, i+1)
		q.pending -= len(m.Events)
		q.moved, q.stuck = true, false
	}
}

// Failed has a message tried again after the back-off, and reports true where it is given up instead: its next try
// would come after GiveUpAfter. Status is the try's. Chance is in [0, 1).
func (q *Queue) Failed(m *Message, now time.Time, status string, chance float64) (givenUp bool) {
	m.flying = false
	m.Tries++
	m.Status, m.Last = status, now
	m.Next = now.Add(delay(m.Tries, chance))
	q.moved = true
	if m.Next.Sub(m.First) > GiveUpAfter {
		q.Delivered(m)
		return true
	}
	return false
}

// Postponed ends a try that came to nothing by this node's own doing: it does not count.
func (q *Queue) Postponed(m *Message, until time.Time) {
	m.flying = false
	if until.After(m.Next) {
		m.Next, q.moved = until, true
	}
}
