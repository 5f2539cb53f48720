package shard

import (
	"context"
	"time"
)

// Bounds of a serving shard's backlog.
const (
	backlogLeast = 1_000
	backlogMost  = 20_000
)

// Grew notes that the journal partition reaches to end.
func (s *Handle) Grew(end int64) {
	for old := s.End.Load(); old < end && !s.End.CompareAndSwap(old, end); old = s.End.Load() {
	}
}

// Wait returns when the shard's backlog is less than it applied in the last 200 ms,
// so that bulk waits in the public topic and commands never wait behind it. A
// shard that does not serve is not waited for, nor one that cannot publish its outbox:
// it stops no other shard.
func (s *Handle) Wait(ctx context.Context) error {
	for !s.HasRoom() {
		t := time.NewTimer(5 * time.Millisecond) // one token wakes one waiter only
		select {
		case <-s.Progress:
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
		t.Stop()
	}
	return nil
}

// HasRoom reports that Wait returns at once.
func (s *Handle) HasRoom() bool {
	limit := min(max(s.rate.Load(), backlogLeast), backlogMost)
	return Behaviour(s.Behaviour.Load()) != Serving || s.Apart.Load() || s.End.Load()-s.Applied.Load() < limit
}
