package verify

import (
	"context"
	"sync"
	"time"
)

// pacer bounds how much all shards of a run do in a second. Any goroutine.
type pacer struct {
	rate int // records a second; 0: no bound

	mu  sync.Mutex
	due time.Time // when what was let through is due
}

// paceSlack is how much too early something may be: shorter pauses cost more than they bound.
const paceSlack = 5 * time.Millisecond

// wait blocks until n more may be done.
func (p *pacer) wait(ctx context.Context, n int) error {
	if p.rate <= 0 {
		return ctx.Err()
	}
	now := time.Now()
	p.mu.Lock()
	if p.due.Before(now) {
		p.due = now
	}
	p.due = p.due.Add(time.Duration(n) * time.Second / time.Duration(p.rate))
	ahead := p.due.Sub(now)
	p.mu.Unlock()
	if ahead > paceSlack {
		select {
		case <-time.After(ahead):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}
