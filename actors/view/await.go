package view

import "context"

// Await acquires the newest view as soon as ready reports it to be one that the reader wants; nil
// where the shard has none, or ctx ends before. Release it.
func (h *Holder) Await(ctx context.Context, ready func(*View) bool) *View {
	for {
		changed := h.changes.Next() // before the look at the view: what is published after it wakes
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

// wake wakes the readers that wait for a change. Where none waits it costs two loads (BenchmarkHolder_WakeNobody).
func (h *Holder) wake() {
	h.changes.Wake()
	if h.Shared != nil {
		h.Shared.Wake()
	}
}
