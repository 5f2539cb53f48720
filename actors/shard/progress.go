package shard

import "sync/atomic"

// progress wakes all that wait for a shard to move on: to commit, to stop, to serve. The zero value is ready;
// any goroutine may call it. A move that nothing waits for costs one load (BenchmarkProgress).
type progress struct{ next atomic.Pointer[chan struct{}] }

// Next is closed at the next move. Who waits takes it before looking at the shard, so that no move between
// the two is missed.
func (p *progress) Next() <-chan struct{} {
	for {
		if next := p.next.Load(); next != nil {
			return *next
		}
		next := make(chan struct{})
		if p.next.CompareAndSwap(nil, &next) {
			return next
		}
	}
}

// moved wakes those that wait.
func (p *progress) moved() {
	if p.next.Load() == nil {
		return
	}
	if next := p.next.Swap(nil); next != nil {
		close(*next)
	}
}
