package serve

import (
	"net/http"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// limitsCatalog is a catalog of accounts with one application each.
type limitsCatalog struct {
	port.Catalog
	changed int64
	account domain.Account
	apps    []*domain.Application
}

func (c *limitsCatalog) Changed(domain.AccountID) int64 { return c.changed }

func (c *limitsCatalog) Account(domain.AccountID) (*domain.Account, bool) { return &c.account, true }

func (c *limitsCatalog) ApplicationsOf(domain.AccountID) []*domain.Application { return c.apps }

var limitsNow = time.Date(2026, 3, 15, 12, 34, 56, 0, time.UTC)

// Buckets of accounts that were not used lately go; one that is in use, or counts a month, stays.
func TestLimiter_ForgetsIdleBuckets(t *testing.T) {
	l, c := newLimiter(), &limitsCatalog{}
	monthly := &limitsCatalog{account: domain.Account{Limits: domain.Limits{Month: 5}}}
	now := limitsNow
	l.of(1, monthly, now)
	most := 0
	for id := domain.AccountID(2); id < 20_000; id++ {
		now = now.Add(100 * time.Millisecond)
		busy := l.of(2, c, now)
		busy.tokens.AllowN(now, int(busy.terms.Load().Burst))
		l.of(id, c, now).tokens.AllowN(now, 1)
		most = max(most, len(l.buckets))
	}
	if most > 2*fewestBuckets {
		t.Errorf("%d buckets", most)
	}
	if l.buckets[1] == nil || l.buckets[2] == nil {
		t.Error("a bucket in use is gone")
	}
}

// asker is a request of account 1.
func asker(c *limitsCatalog) *Request {
	return &Request{Caller: Caller{Key: &domain.Key{Account: 1}}, Catalog: c}
}

// A token that is given back is there again, and no more than the burst are.
func TestAllowance_GivesBack(t *testing.T) {
	l := newLimiter()
	c := &limitsCatalog{account: domain.Account{Limits: domain.Limits{Rate: 1, Burst: 3, Mode: domain.HardLimit}}}
	now := func() time.Time { return limitsNow }
	b := l.of(1, c, now())
	for range 10 {
		u := l.take(asker(c), now())
		if err := u.settle(); err != nil {
			t.Fatal(err)
		}
		u.free(now)
		u.free(now)
	}
	if got := b.tokens.TokensAt(now()); got != 3 {
		t.Errorf("%v tokens of 3", got)
	}
}

// Nodes that each serve all they may, and know of the others a second late, serve the rate of the
// account together.
func TestLimiter_NodesShareARate(t *testing.T) {
	const rate, seconds = 100, 60
	c := &limitsCatalog{account: domain.Account{Limits: domain.Limits{Rate: rate, Burst: 2 * rate, Mode: domain.HardLimit}}}
	for _, nodes := range []int{1, 2, 3, 7} {
		limiters, served, told := make([]*limiter, nodes), make([]int, nodes), make([]int, nodes)
		for i := range limiters {
			limiters[i] = newLimiter()
		}
		total, late := 0, 0
		for ms := range seconds * 1000 {
			now := limitsNow.Add(time.Duration(ms) * time.Millisecond)
			for i, l := range limiters {
				if u := l.take(asker(c), now); u.paid {
					served[i]++
					total++
					if ms >= 10_000 {
						late++
					}
				}
			}
			if ms%1000 != 999 {
				continue
			}
			for i := range nodes {
				more := served[i] - told[i]
				told[i] = served[i]
				for j, l := range limiters {
					if j != i {
						l.elsewhere(1, uint64(more), c, now)
					}
				}
			}
		}
		if want := (seconds - 10) * rate; late < want*8/10 || late > want*13/10 {
			t.Errorf("%d nodes served %d requests in the last %d s, want about %d", nodes, late, seconds-10, want)
		}
		if most := seconds*rate + nodes*3*rate; total > most {
			t.Errorf("%d nodes served %d requests, want at most %d", nodes, total, most)
		}
	}
}

// BenchmarkLimits is what a request pays for its token and its headers.
func BenchmarkLimits(b *testing.B) {
	l := newLimiter()
	c := &limitsCatalog{account: domain.Account{Limits: domain.Limits{Rate: domain.MaxRate, Burst: domain.MaxBurst}}}
	req, header := asker(c), http.Header{}
	b.ReportAllocs()
	for b.Loop() {
		u := l.take(req, time.Now())
		if err := u.settle(); err != nil {
			b.Fatal(err)
		}
		u.show(header, false)
	}
}
