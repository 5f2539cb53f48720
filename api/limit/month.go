package limit

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// monthly counts the requests of an account in a calendar month (UTC), where the account has a
// bound of them. The count begins with what is stored, which is read again every minute: other
// nodes count too. Nothing is locked while it is read.
type monthly struct {
	mu  sync.Mutex // of who begins a month
	now atomic.Pointer[monthCount]
}

// monthCount is the count of one month.
type monthCount struct {
	month int64 // months since the year 0
	used  atomic.Uint64
	again atomic.Int64  // when the stored count is read again, seconds since 1970
	begun chan struct{} // closed when the stored count was read, or could not be
}

// How often the stored count is read, in seconds, after an error sooner; and how long a request
// waits for it.
const (
	readMonthEvery = 60
	retryMonth     = 1
	readMonthIn    = 5 * time.Second
)

// Spend takes one of the account's requests of the month, where they are bounded.
func (u *Allowance) Spend(ctx func() context.Context) error {
	maxRequests := u.bucket.terms.Load().Month
	if maxRequests == 0 {
		return nil
	}
	c := u.bucket.month.at(u.at.UTC())
	c.read(ctx, u.at.UTC(), u.rates.accounts, u.bucket.account)
	u.spent = c
	if c.used.Add(1) <= maxRequests {
		return nil
	}
	u.rates.month.Add(1)
	return domain.Fail(domain.PlanLimit,
		fmt.Sprintf("the account's %d requests of this calendar month are used up", maxRequests))
}

// Unspend gives a request of the month back: it was no hit.
func (u *Allowance) Unspend() {
	if u.spent != nil {
		u.spent.used.Add(^uint64(0))
		u.spent = nil
	}
}

// at is the count of a moment's month.
func (m *monthly) at(now time.Time) *monthCount {
	month := int64(now.Year())*12 + int64(now.Month())
	if c := m.now.Load(); c != nil && c.month == month {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.now.Load()
	if c == nil || c.month != month {
		c = &monthCount{month: month, begun: make(chan struct{})}
		m.now.Store(c)
	}
	return c
}

// read raises the count to the stored one, where that is due: one request reads it, and those that
// come before there is any count wait for that one. Where the stored count cannot be read, requests
// are not refused for it.
func (c *monthCount) read(ctx func() context.Context, now time.Time, accounts Accounts, account domain.AccountID) {
	due := c.again.Load()
	early := now.Unix() < due && due <= now.Unix()+readMonthEvery // later: the clock was set back
	if early || !c.again.CompareAndSwap(due, now.Unix()+readMonthEvery) {
		select {
		case <-c.begun:
			return
		default:
		}
		select {
		case <-c.begun:
		case <-ctx().Done():
		}
		return
	}
	if due == 0 {
		defer close(c.begun)
	}
	// It is read for all of the account, whether or not the request's client stays.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx()), readMonthIn)
	defer cancel()
	n, err := accounts.Hits(limited, account, now)
	if err != nil {
		c.again.Store(now.Unix() + retryMonth)
	}
	for used := c.used.Load(); err == nil && used < n; used = c.used.Load() {
		if c.used.CompareAndSwap(used, n) {
			break
		}
	}
}
