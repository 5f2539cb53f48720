package waiters

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"
)

// Waiters are those of one actor. The zero value is not ready: see New.
type Waiters struct {
	requests map[Request][]*actor.PID
	order    []Request // of requests, oldest first; some are answered already
	offsets  []waiter
	streams  []streamWaiter
	ready    []reply
}

type waiter struct {
	from *actor.PID
	next int64
}

type streamWaiter struct {
	from *actor.PID
	AwaitStream
}

type reply struct {
	to      *actor.PID
	outcome *Completed
}

// maxWaiting bounds each kind of waiters: beyond it the oldest go without an answer,
// their own deadline ends (I8).
const maxWaiting = 1 << 16

// New is an empty one.
func New() Waiters {
	return Waiters{requests: map[Request][]*actor.PID{}}
}

// Expect notes the waiter of a request's outcome. One that gave up is forgotten when the
// outcome comes, or as one of the oldest.
func (w *Waiters) Expect(q Request, waiter *actor.PID) {
	w.requests[q] = append(w.requests[q], waiter)
	w.order = append(w.order, q)
	for len(w.requests) > maxWaiting {
		delete(w.requests, w.order[0])
		w.order = w.order[1:]
	}
	if len(w.order) > 2*maxWaiting { // most of them have their outcome
		w.order = slices.DeleteFunc(slices.Clone(w.order), func(q Request) bool { return w.requests[q] == nil })
	}
}

// Outcome notes what became of a request; Release sends it.
func (w *Waiters) Outcome(q Request, c *Completed) {
	if q.ID.IsZero() {
		return
	}
	waiting := w.requests[q]
	delete(w.requests, q)
	for _, p := range waiting {
		w.ready = append(w.ready, reply{p, c})
	}
}

// Await answers at once when next is applied, else at a later release.
func (w *Waiters) Await(ctx actor.Context, next, applied int64, sent map[int]uint64) {
	if applied >= next {
		ctx.Respond(&Applied{applied, listed(sent)})
		return
	}
	if len(w.offsets) >= maxWaiting {
		w.offsets = w.offsets[1:]
	}
	w.offsets = append(w.offsets, waiter{ctx.Sender(), next})
}

// Release answers what the commit up to applied made true.
func (w *Waiters) Release(ctx actor.Context, applied int64, sent map[int]uint64) {
	for _, r := range w.ready {
		ctx.Send(r.to, r.outcome)
	}
	clear(w.ready)
	w.ready = w.ready[:0]
	kept := w.offsets[:0]
	for _, o := range w.offsets {
		if applied >= o.next {
			ctx.Send(o.from, &Applied{applied, listed(sent)})
		} else {
			kept = append(kept, o)
		}
	}
	clear(w.offsets[len(kept):])
	w.offsets = kept
}

// Drop forgets outcomes that were not committed: the record is applied again, and
// its waiter meets its own deadline or asks again.
func (w *Waiters) Drop() {
	clear(w.ready)
	w.ready = w.ready[:0]
}

// listed is how far the outbox went, by shard.
func listed(sent map[int]uint64) []SentTo {
	if len(sent) == 0 {
		return nil
	}
	out := make([]SentTo, 0, len(sent))
	for shard, sequence := range sent {
		out = append(out, SentTo{shard, sequence})
	}
	return out
}

// Streams tells of a stream whether the commits so far have reached it, and what was sent on by then.
type Streams func(AwaitStream) (sent map[int]uint64, reached bool)

// AwaitStream answers at once where it is reached, else at a later ReleaseStreams.
func (w *Waiters) AwaitStream(ctx actor.Context, m *AwaitStream, of Streams) {
	if sent, reached := of(*m); reached {
		ctx.Respond(&Applied{Sent: listed(sent)})
	} else if len(w.streams) < maxWaiting {
		w.streams = append(w.streams, streamWaiter{ctx.Sender(), *m})
	}
}

// ReleaseStreams answers those whose stream came far enough with the commit.
func (w *Waiters) ReleaseStreams(ctx actor.Context, of Streams) {
	kept := w.streams[:0]
	for _, s := range w.streams {
		if sent, reached := of(s.AwaitStream); reached {
			ctx.Send(s.from, &Applied{Sent: listed(sent)})
		} else {
			kept = append(kept, s)
		}
	}
	clear(w.streams[len(kept):])
	w.streams = kept
}

// Ready reports that it came from New.
func (w *Waiters) Ready() bool { return w.requests != nil }
