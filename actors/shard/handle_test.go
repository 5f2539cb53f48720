package shard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// behind is a serving shard that has not applied so many records of its journal.
func behind(records int64) *Handle {
	h := NewHandle(0)
	h.Behaviour.Store(int32(Serving))
	h.Grew(records)
	return h
}

// All that wait for a shard with a long backlog return at the move that ends their wait, at once, and none before:
// at a commit that leaves room, when the shard stops serving, when routers no longer wait for it. One that waits
// ends with its context, and leaves nothing behind.
func TestWait_EndsAtTheMoveThatMakesRoom(t *testing.T) {
	const waiters = 1000
	for name, move := range map[string]func(h *Handle){
		"a commit":       func(h *Handle) { h.applied(minBacklog + 1) },
		"a faster shard": func(h *Handle) { h.rate.Store(3 * minBacklog); h.applied(2) },
		"another state":  func(h *Handle) { h.become(CatchingUp) },
		"a stop":         func(h *Handle) { h.become(Stopped) },
		"an outbox full": func(h *Handle) { h.leave() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := behind(2 * minBacklog)
				var done atomic.Int64
				var all sync.WaitGroup
				began := time.Now()
				for range waiters {
					all.Go(func() {
						if err := h.Wait(t.Context()); err != nil {
							t.Error(err)
						}
						done.Add(1)
					})
				}
				canceled, cancel := context.WithCancel(t.Context())
				all.Go(func() {
					if err := h.Wait(canceled); !errors.Is(err, context.Canceled) {
						t.Errorf("of a context that ended: %v", err)
					}
				})
				synctest.Wait()
				cancel()
				h.applied(1) // too little
				synctest.Wait()
				if n := done.Load(); n != 0 {
					t.Fatalf("%d returned without room", n)
				}
				move(h)
				all.Wait()
				if waited := time.Since(began); waited != 0 {
					t.Errorf("they looked again after %v", waited)
				}
			})
		})
	}
}

// What a commit costs beside those that wait, each of which waits again.
func BenchmarkProgress(b *testing.B) {
	for _, waiters := range []int{0, 1, 1000} {
		b.Run(fmt.Sprint(waiters, " wait"), func(b *testing.B) {
			h := behind(1 << 60)
			ctx, cancel := context.WithCancel(b.Context())
			var all sync.WaitGroup
			for range waiters {
				all.Go(func() { _ = h.Wait(ctx) })
			}
			next := int64(0)
			for b.Loop() {
				next++
				h.applied(next)
			}
			cancel()
			all.Wait()
		})
	}
}
