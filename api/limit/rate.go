package limit

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Counts is how many requests were over a limit since the start.
type Counts struct {
	Refused uint64 // over a hard rate: 429
	Served  uint64 // over a soft rate, served with a warning
	Month   uint64 // the account's requests of the month were used up: error 12
}

// Rates has a bucket for each account that was asked for lately. A full bucket is what a new one
// would be, so it may go: the map has at most twice the accounts that are in use, and fewestBuckets.
// Any goroutine may call.
type Rates struct {
	accounts Accounts

	mu      sync.RWMutex // guards what follows
	buckets map[domain.AccountID]*bucket
	sweepAt int // so many buckets

	refused, served, month atomic.Uint64
}

const fewestBuckets = 1024

// NewRates makes the buckets of accounts.
func NewRates(accounts Accounts) *Rates {
	return &Rates{accounts: accounts, buckets: map[domain.AccountID]*bucket{}, sweepAt: fewestBuckets}
}

// Counts is a snapshot of what was counted since the start.
func (r *Rates) Counts() Counts {
	return Counts{Refused: r.refused.Load(), Served: r.served.Load(), Month: r.month.Load()}
}

// bucket bounds the requests of one account over all of its keys. It fills at the account's rate;
// requests of this node take from it, those of other nodes too when the engine knows of them.
type bucket struct {
	account domain.AccountID
	tokens  *rate.Limiter
	terms   atomic.Pointer[terms]
	month   monthly
}

// terms are an account's limits, as of a change of the account or after it.
type terms struct {
	domain.Limits
	changed int64
}

// of is the account's bucket, with the limits of a change or newer ones.
func (r *Rates) of(account domain.AccountID, changed int64, now time.Time) *bucket {
	r.mu.RLock()
	b := r.buckets[account]
	r.mu.RUnlock()
	if b == nil {
		return r.add(account, &terms{r.accounts.Plan(account), changed}, now)
	}
	if t := b.terms.Load(); changed > t.changed {
		b.change(&terms{r.accounts.Plan(account), changed}, now)
	}
	return b
}

func (r *Rates) add(account domain.AccountID, t *terms, now time.Time) *bucket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.buckets[account]; b != nil {
		return b
	}
	if len(r.buckets) >= r.sweepAt {
		for id, b := range r.buckets {
			if b.idle(now) {
				delete(r.buckets, id)
			}
		}
		r.sweepAt = max(fewestBuckets, 2*len(r.buckets))
	}
	b := &bucket{account: account, tokens: rate.NewLimiter(rate.Limit(t.Rate), int(t.Burst))}
	b.terms.Store(t)
	r.buckets[account] = b
	return b
}

// The greatest debt of a bucket: the requests of so many seconds, and of so many bursts.
const (
	debtSeconds = 16
	debtBursts  = 64
)

// Elsewhere takes what requests on other nodes took of an account's rate. The bucket may be in
// debt for it: so all nodes together serve the account's rate, though each of them knows of the
// others a second late.
func (r *Rates) Elsewhere(account domain.AccountID, changed int64, n uint64, now time.Time) {
	b := r.of(account, changed, now)
	t := b.terms.Load()
	maxDebt := min(debtSeconds*float64(t.Rate), debtBursts*float64(t.Burst)) + b.tokens.TokensAt(now)
	for owed := int(min(float64(n), maxDebt)); owed > 0; owed -= int(t.Burst) { // a burst at a time
		b.tokens.ReserveN(now, min(owed, int(t.Burst)))
	}
}

// idle reports that a new bucket would be the same.
func (b *bucket) idle(now time.Time) bool {
	t := b.terms.Load()
	return t.Month == 0 && b.tokens.TokensAt(now) >= float64(t.Burst)
}

func (b *bucket) change(t *terms, now time.Time) {
	b.tokens.SetLimitAt(now, rate.Limit(t.Rate))
	b.tokens.SetBurstAt(now, int(t.Burst))
	b.terms.Store(t)
}

// Allowance is what a request has of its account's limits; a zero one is of a request without a
// valid key. It belongs to the request's goroutine.
type Allowance struct {
	rates  *Rates
	bucket *bucket
	at     time.Time   // when it was asked for
	paid   bool        // it has a token of the rate
	owes   bool        // it has none, and nothing was decided
	over   bool        // it is served over a soft rate
	spent  *monthCount // it has one of the requests of the month; nil: it has none
}

// Take takes a token of the account's rate, if there is one. What changed counts grows when the account's
// plan may have changed: the limits are those of then, or newer ones.
func (r *Rates) Take(account domain.AccountID, changed int64, now time.Time) Allowance {
	u := Allowance{rates: r, bucket: r.of(account, changed, now), at: now}
	u.paid = u.bucket.tokens.AllowN(now, 1)
	u.owes = !u.paid
	return u
}

// Paid reports that the request has a token.
func (u *Allowance) Paid() bool { return u.paid }

// Over reports that the request is served over a soft rate.
func (u *Allowance) Over() bool { return u.over }

// Settle decides on a request without a token: it is refused, or, over a soft rate, served. A
// poll calls it when its answer has to be made.
func (u *Allowance) Settle() error {
	if !u.owes {
		return nil
	}
	u.owes = false
	t := u.bucket.terms.Load()
	if t.Mode == domain.SoftLimit {
		u.over = true
		u.rates.served.Add(1)
		return nil
	}
	u.rates.refused.Add(1)
	return &domain.Error{
		Code:    domain.RateLimited,
		Message: fmt.Sprintf("the account is over its rate of %d requests a second: Retry-After says when to go on", t.Rate),
	}
}

// Waive decides nothing on a request without a token: it is refused for another reason.
func (u *Allowance) Waive() { u.owes = false }

// Free gives the token back: nothing was made for the request.
func (u *Allowance) Free(now func() time.Time) {
	if u.paid {
		u.bucket.tokens.AllowN(now(), -1) // not at u.at: what was filled in since would be once more
	}
	u.paid, u.owes, u.over = false, false, false
}

// Quota is an account's rate and what is left of it.
type Quota struct {
	Rate, Burst, Remaining uint64
	Reset                  uint64 // seconds until the bucket is full
	Retry                  uint64 // seconds until it has a token, at least 1
}

// Quota is that of the moment when the request came; false: there is no valid key.
func (u *Allowance) Quota() (Quota, bool) {
	if u.rates == nil {
		return Quota{}, false
	}
	t := u.bucket.terms.Load()
	tokens := u.bucket.tokens.TokensAt(u.at) // below 0: a debt
	until := func(wanted float64) uint64 {
		return uint64(math.Ceil(max(wanted-tokens, 0) / float64(t.Rate)))
	}
	return Quota{
		Rate: uint64(t.Rate), Burst: uint64(t.Burst), Remaining: uint64(min(max(tokens, 0), float64(t.Burst))),
		Reset: until(float64(t.Burst)), Retry: max(until(1), 1),
	}, true
}
