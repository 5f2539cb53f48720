package view

import (
	"context"
	"sync/atomic"
)

// Await acquires the newest view as soon as ready reports it to be one that the reader wants; nil
// where the shard has none, or ctx ends before. Release it.
func (h *Holder) Await(ctx context.Context, ready func(*View) bool) *View {
	for {
		changed := h.changed() // before the look at the view: what is published after it wakes
		v := h.Acquire()
		if v == nil || ready(v) {
			return v
		}
		v.Release()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// changed is closed when the view changes the next time.
func (h *Holder) changed() <-chan struct{} { return h.own.Changed() }

// wake wakes the readers that wait for a change. Where none waits it is two loads.
func (h *Holder) wake() {
	h.own.wake()
	if h.Shared != nil {
		h.Shared.wake()
	}
}

// Changes tells that views change, of one shard or of many. Any goroutine may use it.
type Changes struct {
	waiting atomic.Pointer[chan struct{}] // closed at the next change; nil: no reader waits for one
}

// Changed is closed when a view changes the next time.
func (c *Changes) Changed() <-chan struct{} {
	for {
		if w := c.waiting.Load(); w != nil {
			return *w
		}
		w := make(chan struct{})
		if c.waiting.CompareAndSwap(nil, &w) {
			return w
		}
	}
}

// wake wakes the readers that wait for a change. Where none waits it is a load.
func (c *Changes) wake() {
	if c.waiting.Load() == nil {
		return
	}
	if w := c.waiting.Swap(nil); w != nil {
		close(*w)
	}
}
