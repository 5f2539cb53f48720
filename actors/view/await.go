package view

import "context"

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
func (h *Holder) changed() <-chan struct{} {
	for {
		if c := h.waiting.Load(); c != nil {
			return *c
		}
		c := make(chan struct{})
		if h.waiting.CompareAndSwap(nil, &c) {
			return c
		}
	}
}

// wake wakes the readers that wait for a change. Where none waits it is a load.
func (h *Holder) wake() {
	if h.waiting.Load() == nil {
		return
	}
	if c := h.waiting.Swap(nil); c != nil {
		close(*c)
	}
}
