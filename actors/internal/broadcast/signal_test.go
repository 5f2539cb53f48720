package broadcast

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A waiter that takes Next before it looks at the state sees every change, whatever wakes beside it.
func TestSignal_NoChangeIsMissed(t *testing.T) {
	const waiters, changes = 8, 5_000
	var s Signal
	var state atomic.Int64
	var all sync.WaitGroup
	for range waiters {
		all.Go(func() {
			for {
				next := s.Next()
				if state.Load() == changes {
					return
				}
				<-next
			}
		})
	}
	for range changes {
		state.Add(1)
		s.Wake()
	}
	all.Wait()
}

// Wake wakes those that wait, and nobody before it.
func TestSignal_Wake(t *testing.T) {
	var s Signal
	s.Wake() // nothing waits
	first, second := s.Next(), s.Next()
	select {
	case <-first:
		t.Fatal("woken before a change")
	default:
	}
	s.Wake()
	<-first
	<-second
	select {
	case <-s.Next():
		t.Fatal("woken by a change before it waited")
	default:
	}
}

func BenchmarkSignal_WakeNobody(b *testing.B) {
	var s Signal
	for b.Loop() {
		s.Wake()
	}
}
