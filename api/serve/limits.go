package serve

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// Limited is how many requests were over a limit since the start.
type Limited struct {
	Refused uint64 // over a hard rate: 429
	Served  uint64 // over a soft rate, served with a warning
	Month   uint64 // the account's requests of the month were used up: error 12
}

// limiter has a bucket for each account that was asked for lately. A bucket that is full is
// what a new one would be, so it may go: the map has at most twice the accounts that are in
// use, and fewestBuckets. Any goroutine may call.
type limiter struct {
	mu      sync.RWMutex // guards what follows
	buckets map[domain.AccountID]*bucket
	sweepAt int // so many buckets

	refused, served, month atomic.Uint64
}

const fewestBuckets = 1024

func newLimiter() *limiter {
	return &limiter{buckets: map[domain.AccountID]*bucket{}, sweepAt: fewestBuckets}
}

// bucket bounds the requests of one account over all of its keys. It fills at the account's rate;
// requests of this node take from it, those of other nodes too when the engine knows of them.
type bucket struct {
	tokens *rate.Limiter
	terms  atomic.Pointer[terms]
	month  monthly
}

// terms are an account's limits, of a state of the catalog.
type terms struct {
	domain.Limits
	changed int64    // of the account's catalog
	shown   []string // RateLimit-Limit
}

func newTerms(account domain.AccountID, c port.Catalog, changed int64) *terms {
	t := &terms{changed: changed}
	if a, ok := c.Account(account); ok {
		t.Limits = a.Limits
	}
	t.Limits = t.Under(domain.PlanOf(c.ApplicationsOf(account)))
	t.shown = []string{strconv.FormatUint(uint64(t.Burst), 10)}
	return t
}

// of is the account's bucket, with the limits that the catalog has.
func (l *limiter) of(account domain.AccountID, c port.Catalog, now time.Time) *bucket {
	changed := c.Changed(account)
	l.mu.RLock()
	b := l.buckets[account]
	l.mu.RUnlock()
	if b == nil {
		return l.add(account, newTerms(account, c, changed), now)
	}
	if t := b.terms.Load(); changed > t.changed {
		b.change(newTerms(account, c, changed), now)
	}
	return b
}

func (l *limiter) add(account domain.AccountID, t *terms, now time.Time) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[account]; b != nil {
		return b
	}
	if len(l.buckets) >= l.sweepAt {
		for id, b := range l.buckets {
			if b.idle(now) {
				delete(l.buckets, id)
			}
		}
		l.sweepAt = max(fewestBuckets, 2*len(l.buckets))
	}
	b := &bucket{tokens: rate.NewLimiter(rate.Limit(t.Rate), int(t.Burst))}
	b.terms.Store(t)
	l.buckets[account] = b
	return b
}

// The greatest debt of a bucket: the requests of so many seconds, and of so many bursts.
const (
	debtSeconds = 16
	debtBursts  = 64
)

// elsewhere takes what requests on other nodes took of an account's rate. The bucket may be in
// debt for it: so all nodes together serve the account's rate, though each of them knows of the
// others a second late.
func (l *limiter) elsewhere(account domain.AccountID, n uint64, c port.Catalog, now time.Time) {
	b := l.of(account, c, now)
	t := b.terms.Load()
	most := min(debtSeconds*float64(t.Rate), debtBursts*float64(t.Burst)) + b.tokens.TokensAt(now)
	for owed := int(min(float64(n), most)); owed > 0; owed -= int(t.Burst) { // a burst at a time
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

// Limited is a snapshot of what was counted since the start.
func (a *Server) Limited() Limited {
	l := a.limits
	return Limited{Refused: l.refused.Load(), Served: l.served.Load(), Month: l.month.Load()}
}

// allowance is what a request has of its account's limits. It belongs to the request's
// goroutine.
type allowance struct {
	limits *limiter // nil: there is no valid key
	bucket *bucket
	at     time.Time   // when it was asked for
	paid   bool        // it has a token of the rate
	owes   bool        // a poll without a token: it may go on to a 304
	over   bool        // it is served over a soft rate
	spent  *monthCount // it has one of the requests of the month; nil: it has none
}

// take takes a token of the rate of the key's account, if there is one.
func (l *limiter) take(req *Request, now time.Time) allowance {
	u := allowance{limits: l, bucket: l.of(req.Account(), req.Catalog, now), at: now}
	u.paid = u.bucket.tokens.AllowN(now, 1)
	u.owes = !u.paid
	return u
}

// limit refuses what the account's rate, the application's plan and the account's month do not
// have, in this order. A poll without a token goes on until it is known whether it is a 304.
func (u *allowance) limit(req *Request, ctx func() context.Context, poll bool) error {
	if !poll {
		if err := u.settle(); err != nil {
			return err
		}
	}
	if err := planned(req); err != nil {
		return err
	}
	most := u.bucket.terms.Load().Month
	if most == 0 {
		return nil
	}
	return u.spend(most, func(now time.Time) (uint64, error) {
		return monthHits(ctx(), req.Engine, req.Catalog, req.Account(), now)
	})
}

// planned refuses what the application's plan does not have, as far as the parameters are read.
func planned(req *Request) error {
	plan, op := req.App.Plan, req.op
	switch {
	case op.Advanced && plan < domain.Advanced:
		return domain.Fail(domain.PlanRequired, "this operation needs the advanced plan")
	case req.Key.Scope == domain.ScopeGlobal && plan < domain.Enterprise:
		return domain.Fail(domain.PlanRequired, "a global key needs the enterprise plan")
	}
	return refuseCustom(req)
}

// refuseCustom refuses fields that the plan does not have.
func refuseCustom(req *Request) (refused error) {
	op := req.op
	if op.Enterprise != "" && req.App.Plan < domain.Enterprise {
		req.Params.Prefixed(op.Enterprise, func(string, string) {
			refused = domain.Bad(domain.PlanRequired, op.Enterprise, "custom fields need the enterprise plan")
		})
	}
	return refused
}

// settle is called where a request is known to be no 304 of the response cache: one that owes
// a token is refused, or, over a soft rate, served.
func (u *allowance) settle() error {
	if !u.owes {
		return nil
	}
	u.owes = false
	t := u.bucket.terms.Load()
	if t.Mode == domain.SoftLimit {
		u.over = true
		return nil
	}
	u.limits.refused.Add(1)
	return &domain.Error{
		Code:    domain.RateLimited,
		Message: fmt.Sprintf("the account is over its rate of %d requests a second: Retry-After says when to go on", t.Rate),
	}
}

// free takes nothing of the rate for a 304. A negative number of tokens is put back.
func (u *allowance) free(now func() time.Time) {
	if u.paid {
		u.bucket.tokens.AllowN(now(), -1) // not at u.at: what was filled in since would be once more
	}
	u.paid, u.owes, u.over = false, false, false
}

// show adds the headers of the limits, as of when the request was let in, to an answer to a
// valid key. refused: it is so for the rate.
func (u *allowance) show(h http.Header, refused bool) {
	if u.limits == nil {
		return
	}
	t := u.bucket.terms.Load()
	tokens := u.bucket.tokens.TokensAt(u.at) // below 0: a debt
	left := uint64(min(max(tokens, 0), float64(t.Burst)))
	until := func(wanted float64) string {
		return strconv.FormatUint(uint64(math.Ceil(max(wanted-tokens, 0)/float64(t.Rate))), 10)
	}
	values := []string{strconv.FormatUint(left, 10), until(float64(t.Burst))} // one array for both
	h["Ratelimit-Limit"] = t.shown
	h["Ratelimit-Remaining"] = values[0:1:1]
	h["Ratelimit-Reset"] = values[1:2:2]
	if refused {
		h.Set("Retry-After", until(1))
	}
	if u.over {
		u.limits.served.Add(1)
		text := fmt.Sprintf("the account is over its rate of %d requests a second", t.Rate)
		h.Add("Warning", "299 - "+strconv.Quote(text))
	}
}
