package delivery

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// place is where an event is in its shard's stream.
type place struct {
	sequence uint64
	kind     domain.EventKind
}

func placeOf(e Event) place { return place{e.Sequence, e.Kind} }

// undone are the places of the events that are pending.
func (q *Queue) undone() map[place]struct{} {
	out := make(map[place]struct{}, q.pending)
	for _, m := range q.messages {
		for _, e := range m.Events {
			out[placeOf(e)] = struct{}{}
		}
	}
	for _, e := range q.held {
		out[placeOf(e)] = struct{}{}
	}
	return out
}

// Again has an event that was delivered or given up sent once more, with the id that it had. It reports false where
// there is no room. An event that is pending, or still to be taken, comes anyway.
func (q *Queue) Again(e Event) bool {
	if _, ok := q.undone()[placeOf(e)]; ok || e.Sequence > q.through {
		return true
	}
	if q.Room() == 0 {
		return false
	}
	q.hold([]Event{e})
	return true
}

// Rewind has all events after a place taken once more. Those that are pending stay as they are.
func (q *Queue) Rewind(after uint64) {
	if after < q.through {
		q.rewound = max(q.rewound, q.through)
		q.through, q.moved = after, true
	}
}

// hold has events wait for their turn, in the order of the stream.
func (q *Queue) hold(events []Event) {
	if len(events) == 0 {
		return
	}
	ordered := len(q.held) == 0 || q.held[len(q.held)-1].Sequence <= events[0].Sequence
	q.held = append(q.held, events...)
	if !ordered {
		slices.SortStableFunc(q.held, func(a, b Event) int {
			return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Kind, b.Kind))
		})
	}
	q.pending += len(events)
	q.moved, q.stuck = true, false
}
