package actors

import (
	"context"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// usage counts the hits of applications and brings them into the log once a second:
// totals of this process by hour, of which the greatest counts, so that a lost
// acknowledgement counts nothing twice. A kill loses at most the last second.
type usage struct {
	mu    sync.Mutex // guards total and moved: every answered request counts
	total map[usageKey]uint64
	moved map[usageKey]bool

	incarnation uint64
	post        func(slot domain.Slot, r domain.Record) bool
}

type usageKey struct {
	account     domain.AccountID
	application domain.ApplicationID
	hour        uint32
}

func newUsage(incarnation uint64, post func(domain.Slot, domain.Record) bool) *usage {
	return &usage{total: map[usageKey]uint64{}, moved: map[usageKey]bool{}, incarnation: incarnation, post: post}
}

// Hit counts an answered request.
func (u *usage) Hit(account domain.AccountID, application domain.ApplicationID, at time.Time) {
	k := usageKey{account, application, uint32(at.Unix() / 3600)}
	u.mu.Lock()
	u.total[k]++
	u.moved[k] = true
	u.mu.Unlock()
}

// run posts what moved every second, and once more at the end.
func (u *usage) run(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			u.flush()
		case <-ctx.Done():
			u.flush()
			return
		}
	}
}

func (u *usage) flush() {
	for _, r := range u.records() {
		c := r.Command.(*domain.Usage)
		u.post(slotOfApplication(c.Application), r)
	}
}

// slotOfApplication is where an application's hits are counted.
func slotOfApplication(id domain.ApplicationID) domain.Slot {
	return domain.Slot(uint32(id) * 2654435761 >> 20)
}

// records are the totals that moved since the last call; hours that are over are
// forgotten.
func (u *usage) records() []domain.Record {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []domain.Record
	newest := uint32(0)
	for k := range u.moved {
		newest = max(newest, k.hour)
		out = append(out, domain.Record{
			Kind: domain.KindUsage, Account: k.account, Application: k.application,
			Command: &domain.Usage{
				Application: k.application, Hour: k.hour, Incarnation: u.incarnation, Total: u.total[k],
			},
		})
	}
	clear(u.moved)
	for k := range u.total {
		if k.hour+1 < newest {
			delete(u.total, k)
		}
	}
	return out
}
