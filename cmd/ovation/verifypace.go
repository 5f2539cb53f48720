package main

import (
	"context"
	"sync"
	"time"
)

// pacer bounds how much all shards of a verification do in a second, however many stand
// side by side. Any goroutine.
type pacer struct {
	most int // a second; 0: no bound

	mu  sync.Mutex
	due time.Time // when what was let through is due
}

// paceSlack is how much too early something may be: shorter pauses are not worth taking.
const paceSlack = 5 * time.Millisecond

// wait waits until n more may be done.
func (p *pacer) wait(ctx context.Context, n int) error {
	if p.most <= 0 {
		return ctx.Err()
	}
	now := time.Now()
	p.mu.Lock()
	if p.due.Before(now) {
		p.due = now
	}
	p.due = p.due.Add(time.Duration(n) * time.Second / time.Duration(p.most))
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

// remaining is about how many seconds a run still takes, so many shards side by side:
// what is to be replayed, and to be compared after that, each as fast as it went until
// now. 0: it is over, or nothing is known yet.
func (r *verifyRun) remaining() float64 {
	var replayed, replaying, compared, comparing float64
	for i := range r.Shards {
		s := &r.Shards[i]
		replayed, replaying = replayed+float64(s.Replayed), replaying+s.ReplaySeconds
		if s.ended() && s.ReplaySeconds > 0 {
			compared, comparing = compared+float64(s.Replayed), comparing+s.Seconds-s.ReplaySeconds
		}
	}
	if replayed == 0 || replaying == 0 {
		return 0
	}
	each := replaying / replayed
	after := each / 2 // of a comparison, before one has ended
	if compared > 0 {
		after = comparing / compared
	}
	left := 0.0
	for i := range r.Shards {
		s := &r.Shards[i]
		if s.ended() {
			continue
		}
		ahead := max(0, s.Records-s.Replayed)
		left += float64(ahead)*each + max(0, float64(s.Records)*after-max(0, s.Seconds-s.ReplaySeconds))
	}
	return left / float64(max(1, r.Side))
}

// ended reports that the shard's part of a run is over.
func (s *verifyShard) ended() bool { return s.State != verifyWaiting && s.State != verifyRunning }
