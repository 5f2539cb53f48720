package broadcast

import "sync/atomic"

// Signal wakes all that wait for a change. The zero value is ready; any goroutine may call it. Wake costs one load
// where nothing waits (BenchmarkSignal_WakeNobody).
type Signal struct {
	next atomic.Pointer[chan struct{}] // nil: nothing waits
}

// Next is closed at the next Wake. A waiter takes it before it looks at the state, so that it misses no change
// between the two.
func (s *Signal) Next() <-chan struct{} {
	for {
		if next := s.next.Load(); next != nil {
			return *next
		}
		next := make(chan struct{})
		if s.next.CompareAndSwap(nil, &next) {
			return next
		}
	}
}

// Wake wakes those that wait. It is called after the change.
func (s *Signal) Wake() {
	if s.next.Load() == nil {
		return
	}
	if next := s.next.Swap(nil); next != nil {
		close(*next)
	}
}
