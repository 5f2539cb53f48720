package serve

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// monthly counts the requests of an account in a calendar month (UTC), where the account has a
// bound of them. It begins with what is stored, and reads that again every minute: other nodes
// count too.
type monthly struct {
	mu  sync.Mutex // of who reads what is stored
	now atomic.Pointer[monthCount]
}

// monthCount is the count of one month.
type monthCount struct {
	month int64 // months since the year 0
	used  atomic.Uint64
	again atomic.Int64 // when the stored count is read again, seconds since 1970
}

// readMonthEvery is how often the stored count is read, in seconds; after an error sooner.
const (
	readMonthEvery = 60
	retryMonth     = 1
)

// spend takes one of the account's requests of the month; stored gives those that are stored.
func (u *allowance) spend(most uint64, stored storedHits) error {
	c := u.bucket.month.at(u.at.UTC(), stored)
	u.spent = c
	if c.used.Add(1) <= most {
		return nil
	}
	u.limits.month.Add(1)
	return domain.Fail(domain.PlanLimit,
		fmt.Sprintf("the account's %d requests of this calendar month are used up", most))
}

// unspend gives a request of the month back: it was no hit.
func (u *allowance) unspend() {
	if u.spent != nil {
		u.spent.used.Add(^uint64(0))
	}
}

// storedHits gives the hits of the calendar month of a moment.
type storedHits func(now time.Time) (uint64, error)

// at is the count of the month, as it is stored or higher.
func (m *monthly) at(now time.Time, stored storedHits) *monthCount {
	month := int64(now.Year())*12 + int64(now.Month())
	c := m.now.Load()
	if c != nil && c.month == month {
		due := c.again.Load()
		if now.Unix() >= due && c.again.CompareAndSwap(due, now.Unix()+readMonthEvery) { // by this request alone
			c.read(now, stored)
		}
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.now.Load(); c != nil && c.month == month {
		return c
	}
	c = &monthCount{month: month}
	c.again.Store(now.Unix() + readMonthEvery)
	c.read(now, stored)
	m.now.Store(c)
	return c
}

// read raises the count to the one that is stored. Where that cannot be read, requests are
// not refused for it.
func (c *monthCount) read(now time.Time, stored storedHits) {
	n, err := stored(now)
	if err != nil {
		c.again.Store(now.Unix() + retryMonth)
		return
	}
	for used := c.used.Load(); used < n; used = c.used.Load() {
		if c.used.CompareAndSwap(used, n) {
			return
		}
	}
}

// monthHits are the stored hits of an account in the calendar month of a moment.
func monthHits(
	ctx context.Context, engine port.Engine, c port.Catalog, account domain.AccountID, now time.Time,
) (n uint64, err error) {
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	q := &domain.UsageQuestion{
		Account: account, From: uint32(first.Unix() / 3600), To: uint32(first.AddDate(0, 1, 0).Unix() / 3600),
	}
	for _, a := range c.ApplicationsOf(account) {
		q.Applications = append(q.Applications, a.ID)
	}
	hits, _, err := engine.Usage(ctx, q, domain.Position{})
	for _, h := range hits {
		n += h.Hits
	}
	return n, err
}
