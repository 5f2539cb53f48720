package outbox

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// maxBatch is the number of entries sent at once.
const maxBatch = 500

// publisher brings the entries of a kind into their log, in order. It has a goroutine of its own.
type publisher struct {
	shard  int
	kind   Kind
	queue  *queue
	window *window
	send   Send
	state  *retry.State
	log    *slog.Logger
}

// run publishes until ctx ends.
func (p *publisher) run(ctx context.Context, report func(Kind, uint64)) {
	var batch []item
	var entries []*domain.Outgoing
	for {
		room := p.window.wait(ctx)
		batch = p.queue.peek(ctx, batch[:0], min(room, maxBatch))
		if len(batch) == 0 {
			return
		}
		upTo := batch[len(batch)-1].Sequence
		entries = entries[:0]
		for _, i := range batch {
			if !i.has {
				entries = append(entries, i.Outgoing)
			}
		}
		if !p.deliver(ctx, entries, upTo) {
			return
		}
		p.window.sent(upTo, len(entries))
		p.queue.drop(upTo)
		clear(batch)
		clear(entries)
		report(p.kind, upTo)
	}
}

// deliver sends entries until they are in their log, or a record says that they are; false: ctx ended. After an error
// it sends the same ones: what became of them is not known.
func (p *publisher) deliver(ctx context.Context, entries []*domain.Outgoing, upTo uint64) bool {
	if len(entries) == 0 {
		return ctx.Err() == nil
	}
	for failures := 1; ; failures++ {
		err := p.send(ctx, entries)
		if err == nil {
			p.state.Recovered(p.log, "shard", p.shard)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		p.state.Failed(p.log, failures, err, "shard", p.shard, "entries", len(entries))
		if !retry.Backoff(ctx, failures) {
			return false
		}
		if p.window.upTo.Load() >= upTo { // by another node
			p.state.Recovered(p.log, "shard", p.shard)
			return true
		}
	}
}

// window bounds how far a publisher is ahead of the records that say how far it came. Its publisher owns it.
type window struct {
	limit int
	runs  []run // that were sent, of which no durable record says so
	n     int   // entries in them
	upTo  atomic.Uint64
	moved chan struct{} // holds a token after upTo has moved
}

func newWindow(limit int) *window { return &window{limit: limit, moved: make(chan struct{}, 1)} }

// acked notes how far a durable record says that the kind is published. Any goroutine.
func (w *window) acked(upTo uint64) {
	for old := w.upTo.Load(); old < upTo; old = w.upTo.Load() {
		if w.upTo.CompareAndSwap(old, upTo) {
			select {
			case w.moved <- struct{}{}:
			default:
			}
			return
		}
	}
}

// sent notes what was sent.
func (w *window) sent(upTo uint64, entries int) {
	w.runs = append(w.runs, run{upTo, entries})
	w.n += entries
}

// wait gives how many entries may be sent now, at least one; 0 when ctx ended.
func (w *window) wait(ctx context.Context) int {
	for ctx.Err() == nil {
		for len(w.runs) > 0 && w.runs[0].last <= w.upTo.Load() {
			w.n -= w.runs[0].entries
			w.runs = w.runs[1:]
		}
		if w.n < w.limit {
			return w.limit - w.n
		}
		select {
		case <-w.moved:
		case <-ctx.Done():
		}
	}
	return 0
}
