package limit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// fakeAccounts have one plan, and stored hits.
type fakeAccounts struct {
	plan    domain.Limits
	special domain.Limits // of account 1; without a rate: plan
	hits    func(ctx context.Context) (uint64, error)
}

func (a *fakeAccounts) Plan(account domain.AccountID) domain.Limits {
	if account == 1 && a.special.Rate > 0 {
		return a.special
	}
	return a.plan
}

func (a *fakeAccounts) Hits(ctx context.Context, _ domain.AccountID, _ time.Time) (uint64, error) {
	return a.hits(ctx)
}

var (
	noon     = time.Date(2026, 3, 15, 12, 34, 56, 0, time.UTC)
	standard = domain.Limits{Rate: 50, Burst: 100, Mode: domain.HardLimit}
)

// Buckets of accounts that were not used lately go; one that is in use, or counts a month, stays.
func TestRates_ForgetIdleBuckets(t *testing.T) {
	monthly := standard
	monthly.Month = 5
	r := NewRates(&fakeAccounts{plan: standard, special: monthly})
	now := noon
	r.of(1, 0, now)
	most := 0
	for id := domain.AccountID(2); id < 20_000; id++ {
		now = now.Add(100 * time.Millisecond)
		busy := r.of(2, 0, now)
		busy.tokens.AllowN(now, int(busy.terms.Load().Burst))
		r.Take(id, 0, now)
		most = max(most, len(r.buckets))
	}
	if most > 2*fewestBuckets {
		t.Errorf("%d buckets", most)
	}
	if r.buckets[1] == nil || r.buckets[2] == nil {
		t.Error("a bucket in use is gone")
	}
}

// A token that is given back is there again, and no more than the burst are.
func TestAllowance_GivesBack(t *testing.T) {
	r := NewRates(&fakeAccounts{plan: domain.Limits{Rate: 1, Burst: 3, Mode: domain.HardLimit}})
	now := func() time.Time { return noon }
	for range 10 {
		u := r.Take(1, 0, now())
		if err := u.Settle(); err != nil || !u.Paid() {
			t.Fatal(err)
		}
		u.Free(now)
		u.Free(now)
	}
	if got := r.of(1, 0, noon).tokens.TokensAt(noon); got != 3 {
		t.Errorf("%v tokens of 3", got)
	}
}

// Over a hard rate a request is refused, over a soft one served; one that is refused for another
// reason is neither. A change of the plan holds for the next request.
func TestRates_HardAndSoft(t *testing.T) {
	accounts := &fakeAccounts{plan: domain.Limits{Rate: 2, Burst: 1, Mode: domain.HardLimit}}
	r := NewRates(accounts)
	first, second, third := r.Take(1, 0, noon), r.Take(1, 0, noon), r.Take(1, 0, noon)
	if err := first.Settle(); err != nil {
		t.Fatal(err)
	}
	third.Waive()
	if domain.CodeOf(second.Settle()) != domain.RateLimited || third.Settle() != nil {
		t.Error("the second one is over the rate, the third is not asked")
	}
	if q, ok := second.Quota(); !ok || q != (Quota{Rate: 2, Burst: 1, Reset: 1, Retry: 1}) {
		t.Errorf("%+v", q)
	}
	accounts.plan.Mode = domain.SoftLimit
	if u := r.Take(1, 1, noon); u.Settle() != nil || !u.Over() || u.Paid() {
		t.Error("over a soft rate it is served")
	}
	if got := r.Counts(); got != (Counts{Refused: 1, Served: 1}) {
		t.Errorf("%+v", got)
	}
	if _, ok := new(Allowance).Quota(); ok {
		t.Error("without a key there is no quota")
	}
}

// Nodes that each serve all they may, and know of the others a second late, serve the rate of the
// account together.
func TestRates_NodesShareARate(t *testing.T) {
	const rate, seconds = 100, 60
	accounts := &fakeAccounts{plan: domain.Limits{Rate: rate, Burst: 2 * rate, Mode: domain.HardLimit}}
	for _, nodes := range []int{1, 2, 3, 7} {
		rates, served, told := make([]*Rates, nodes), make([]int, nodes), make([]int, nodes)
		for i := range rates {
			rates[i] = NewRates(accounts)
		}
		total, late := 0, 0
		for ms := range seconds * 1000 {
			now := noon.Add(time.Duration(ms) * time.Millisecond)
			for i, r := range rates {
				if u := r.Take(1, 0, now); u.Paid() {
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
				for j, r := range rates {
					if j != i {
						r.Elsewhere(1, 0, uint64(more), now)
					}
				}
			}
		}
		if want := (seconds - 10) * rate; late < want*8/10 || late > want*13/10 {
			t.Errorf("%d nodes served %d requests in the last %d s, want about %d", nodes, late, seconds-10, want)
		}
		if maxTotal := seconds*rate + nodes*3*rate; total > maxTotal {
			t.Errorf("%d nodes served %d requests, want at most %d", nodes, total, maxTotal)
		}
	}
}

// While the stored requests of a month are read, other accounts and those of the account whose client
// leaves go on; those that wait get the count that was read. It is read once.
func TestMonth_NothingIsLockedWhileItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, read := 0, make(chan struct{})
		limits := standard
		limits.Month = 10
		r := NewRates(&fakeAccounts{plan: limits, hits: func(context.Context) (uint64, error) {
			reads++
			<-read
			return 8, nil
		}})
		spend := func(ctx context.Context) error {
			u := r.Take(1, 0, noon)
			return u.Spend(always(ctx))
		}
		errs := make(chan error, 5)
		for range 5 {
			go func() { errs <- spend(t.Context()) }()
		}
		synctest.Wait()
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := spend(gone); err != nil { // it has one of the requests already
			t.Fatal(err)
		}
		close(read)
		over := 0
		for range 5 {
			if err := <-errs; domain.CodeOf(err) == domain.PlanLimit {
				over++
			} else if err != nil {
				t.Error(err)
			}
		}
		if reads != 1 || over != 3 {
			t.Errorf("%d reads; %d of 5 are over the month, want those over 10 - 8", reads, over)
		}
	})
}

// A client that leaves does not end the reading for others; one that takes too long ends, is no reason
// to refuse, and is tried again a second later.
func TestMonth_ReadingThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := standard
		limits.Month = 1
		stored := func(ctx context.Context) (uint64, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		r := NewRates(&fakeAccounts{plan: limits, hits: func(ctx context.Context) (uint64, error) { return stored(ctx) }})
		gone, leave := context.WithCancel(t.Context())
		leave()
		began := time.Now()
		u := r.Take(1, 0, noon)
		if err := u.Spend(always(gone)); err != nil || time.Since(began) != readMonthIn {
			t.Fatalf("%v after %v", err, time.Since(began))
		}
		u.Unspend()
		u.Unspend()
		stored = func(context.Context) (uint64, error) { return 1, errors.New("not readable") }
		u = r.Take(1, 0, noon.Add(time.Second))
		if err := u.Spend(always(gone)); err != nil {
			t.Fatal(err)
		}
		u.Unspend()
		stored = func(context.Context) (uint64, error) { return 1, nil }
		u = r.Take(1, 0, noon.Add(2*time.Second))
		if domain.CodeOf(u.Spend(always(gone))) != domain.PlanLimit || r.Counts().Month != 1 {
			t.Error("the month is used up")
		}
	})
}

// The count of a month begins again with the next one, and many may count at once.
func TestMonth_CountsAtOnce(t *testing.T) {
	limits := standard
	limits.Month = 100
	r := NewRates(&fakeAccounts{plan: limits, hits: func(context.Context) (uint64, error) { return 0, nil }})
	for _, now := range []time.Time{noon, noon.AddDate(0, 1, 0)} {
		var refused atomic.Int64
		var wg sync.WaitGroup
		for range 150 {
			wg.Go(func() {
				u := r.Take(1, 0, now)
				if u.Spend(always(t.Context())) != nil {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if refused.Load() != 50 {
			t.Errorf("%d of 150 were refused, want 50", refused.Load())
		}
	}
}

// BenchmarkRates is what a request pays for its token.
func BenchmarkRates(b *testing.B) {
	r := NewRates(&fakeAccounts{plan: domain.Limits{Rate: domain.MaxRate, Burst: domain.MaxBurst}})
	b.ReportAllocs()
	for b.Loop() {
		u := r.Take(1, 0, time.Now())
		if err := u.Settle(); err != nil {
			b.Fatal(err)
		}
	}
}
