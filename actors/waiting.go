package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// waiting is who waits for an outcome or a position. It belongs to one actor.
type waiting struct {
	requests map[requested][]*actor.PID
	order    []requested         // of requests, oldest first; some are answered already
	began    map[requested]int64 // offset of the record that brought a request which a later one concludes
	offsets  []waiter
	streams  []streamWaiter
	ready    []reply
}

// requested is a request as a waiter has sent it: another body under its id is another
// request, which has an outcome of its own.
type requested struct {
	id   domain.RequestID
	body uint64
}

// concluded is a request's outcome with the offset of the record that brought the request
// first: a waiter whose own record is another one has sent a repeat.
type concluded struct {
	domain.Outcome
	offset int64
}

type waiter struct {
	who  *actor.PID
	next int64
}

type streamWaiter struct {
	who *actor.PID
	awaitStream
}

type reply struct {
	who     *actor.PID
	outcome *concluded
}

// maxWaiting bounds each kind of waiters: beyond it the oldest go without an answer,
// their own deadline tells them (I8).
const maxWaiting = 1 << 16

func newWaiting() waiting {
	return waiting{requests: map[requested][]*actor.PID{}, began: map[requested]int64{}}
}

// expect notes who waits for a request's outcome. Who went away is forgotten when
// the outcome comes, or as one of the oldest.
func (w *waiting) expect(q requested, who *actor.PID) {
	w.requests[q] = append(w.requests[q], who)
	w.order = append(w.order, q)
	for len(w.requests) > maxWaiting {
		w.forget(w.order[0])
		w.order = w.order[1:]
	}
	if len(w.order) > 2*maxWaiting { // most of them have their outcome
		w.order = slices.DeleteFunc(slices.Clone(w.order), func(q requested) bool { return w.requests[q] == nil })
	}
}

func (w *waiting) forget(q requested) {
	delete(w.requests, q)
	delete(w.began, q)
}

// begin notes the record that brought a request, where a later record concludes it. Of
// several the first counts.
func (w *waiting) begin(q requested, offset int64) {
	if _, known := w.began[q]; !known && len(w.requests[q]) > 0 {
		w.began[q] = offset
	}
}

// outcome notes what became of a request at the record of the offset; release sends it.
func (w *waiting) outcome(q requested, offset int64, out domain.Outcome) {
	if q.id.IsZero() {
		return
	}
	who := w.requests[q]
	if len(who) == 0 {
		return
	}
	if first, ok := w.began[q]; ok {
		offset = first
	}
	w.forget(q)
	for _, p := range who {
		w.ready = append(w.ready, reply{p, &concluded{out, offset}})
	}
}

// await answers at once when next is applied, else at a later release.
func (w *waiting) await(ctx actor.Context, next, applied int64, sent map[int]uint64) {
	if applied >= next {
		ctx.Respond(&arrived{applied, listed(sent)})
		return
	}
	if len(w.offsets) >= maxWaiting {
		w.offsets = w.offsets[1:]
	}
	w.offsets = append(w.offsets, waiter{ctx.Sender(), next})
}

// release answers what the commit up to applied made true.
func (w *waiting) release(ctx actor.Context, applied int64, sent map[int]uint64) {
	for _, r := range w.ready {
		ctx.Send(r.who, r.outcome)
	}
	clear(w.ready)
	w.ready = w.ready[:0]
	kept := w.offsets[:0]
	for _, o := range w.offsets {
		if applied >= o.next {
			ctx.Send(o.who, &arrived{applied, listed(sent)})
		} else {
			kept = append(kept, o)
		}
	}
	clear(w.offsets[len(kept):])
	w.offsets = kept
}

// drop forgets outcomes that were not committed: the record is applied again, who
// waited for it meets its own deadline or asks again.
func (w *waiting) drop() {
	clear(w.ready)
	w.ready = w.ready[:0]
}

// listed is how far the outbox went, by shard.
func listed(sent map[int]uint64) []sentTo {
	if len(sent) == 0 {
		return nil
	}
	out := make([]sentTo, 0, len(sent))
	for shard, sequence := range sent {
		out = append(out, sentTo{shard, sequence})
	}
	return out
}

// expect notes who waits for an outcome; one that is known is told at once.
func (s *shard) expect(ctx actor.Context, m *expect) {
	if m.known && s.store != nil {
		q, err := s.request(m.id)
		if _, staged := s.requests[m.id]; err == nil && q != nil && !q.Pending && !staged {
			out := q.Outcome
			out.Position.Shards = []domain.ShardOffset{{Shard: s.env.id, Next: s.env.shared.applied.Load()}}
			ctx.Respond(&concluded{Outcome: out})
			return
		}
	}
	s.waiting.expect(m.requested, ctx.Sender())
}

// reached reports that the sender's stream has reached the sequence.
func (s *shard) reached(m awaitStream) bool {
	f := s.flows[stream{s.state.Journal, int32(m.from)}]
	return f != nil && uint64(f.applied.Offset) >= m.sequence && !f.moved
}

func (s *shard) awaitStream(ctx actor.Context, m *awaitStream) {
	if s.reached(*m) {
		ctx.Respond(&arrived{})
	} else if len(s.waiting.streams) < maxWaiting {
		s.waiting.streams = append(s.waiting.streams, streamWaiter{ctx.Sender(), *m})
	}
}

// releaseStreams answers those whose stream came far enough with the commit.
func (s *shard) releaseStreams(ctx actor.Context) {
	kept := s.waiting.streams[:0]
	for _, w := range s.waiting.streams {
		if s.reached(w.awaitStream) {
			ctx.Send(w.who, &arrived{})
		} else {
			kept = append(kept, w)
		}
	}
	clear(s.waiting.streams[len(kept):])
	s.waiting.streams = kept
}
