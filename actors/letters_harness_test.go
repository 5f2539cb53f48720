package actors

import (
	"context"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// letters keeps what is published as dead letters.
type letters struct {
	mu  sync.Mutex
	all []domain.DeadLetter
}

func (l *letters) Publish(_ context.Context, letters []domain.DeadLetter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, letters...)
	return nil
}

func (l *letters) reasons() map[domain.Reason]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[domain.Reason]int{}
	seen := map[domain.Origin]bool{}
	for _, d := range l.all {
		if !seen[d.Origin] {
			seen[d.Origin] = true
			out[d.Reason]++
		}
	}
	return out
}
