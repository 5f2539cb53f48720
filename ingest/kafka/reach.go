package kafka

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// reach knows whether any broker answers. A client that reads hears from a broker twice a second, if only that
// there is nothing: one that has heard nothing for awayAfter reaches none.
type reach struct {
	heard atomic.Uint64 // answers so far
	begin sync.Once     // of watch

	mu  sync.Mutex // guards what follows
	ctx context.Context
	end context.CancelFunc // called once no broker is reached
}

const (
	awayAfter = 2 * time.Second
	lookEvery = 250 * time.Millisecond
)

// WhileReached is a context that ends once no broker was reached for 2 s, and has ended where none is; give it back
// by the function. Of a client that reads without a pause.
func (c *conns) WhileReached(ctx context.Context) (context.Context, context.CancelFunc) {
	r := &c.reach
	r.begin.Do(func() {
		r.ctx, r.end = context.WithCancel(c.ctx)
		go r.watch(c.ctx)
	})
	r.mu.Lock()
	reached := r.ctx
	r.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	if reached.Err() != nil {
		cancel()
	}
	stop := context.AfterFunc(reached, cancel)
	return ctx, func() { stop(); cancel() }
}

// watch looks whether answers come, until ctx ends. It counts looks and not time: a process that was paused has
// heard nothing either.
func (r *reach) watch(ctx context.Context) {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for silent, last := time.Duration(0), r.heard.Load(); ; {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		silent += lookEvery
		if now := r.heard.Load(); now != last {
			silent, last = 0, now
		}
		r.note(ctx, silent < awayAfter)
	}
}

func (r *reach) note(ctx context.Context, reached bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !reached:
		r.end()
	case r.ctx.Err() != nil:
		r.ctx, r.end = context.WithCancel(ctx)
	}
}
