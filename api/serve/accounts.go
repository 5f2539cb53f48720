package serve

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/port"
)

// Limited is how many requests were over a limit since the start.
type Limited = limit.Counts

// Limited is a snapshot of what was counted since the start.
func (a *Server) Limited() Limited { return a.rates.Counts() }

// accounts tells package limit of accounts what the engine knows.
type accounts struct{ engine port.Engine }

// Plan is the account's own limits, under those of the highest plan of its applications.
func (a accounts) Plan(account domain.AccountID) domain.Limits {
	var own domain.Limits
	c := a.engine.Catalog()
	if found, ok := c.Account(account); ok {
		own = found.Limits
	}
	return own.Under(domain.PlanOf(c.ApplicationsOf(account)))
}

// Hits are the stored hits of an account in the calendar month of a moment.
func (a accounts) Hits(ctx context.Context, account domain.AccountID, month time.Time) (n uint64, err error) {
	first := time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC)
	q := &domain.UsageQuestion{
		Account: account, From: uint32(first.Unix() / 3600), To: uint32(first.AddDate(0, 1, 0).Unix() / 3600),
	}
	for _, app := range a.engine.Catalog().ApplicationsOf(account) {
		q.Applications = append(q.Applications, app.ID)
	}
	hits, _, err := a.engine.Usage(ctx, q, domain.Position{})
	for _, h := range hits {
		n += h.Hits
	}
	return n, err
}

// limit refuses what the account's rate, the application's plan and the account's month do not
// have, in this order. A poll without a token goes on until it is known whether it is a 304 of the
// response cache.
func (x *exchange) limit() error {
	if len(x.tags()) == 0 {
		if err := x.allowed.Settle(); err != nil {
			return err
		}
	}
	if err := planned(&x.req); err != nil {
		return err
	}
	return x.allowed.Spend(x.deadline.ctx)
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

// showQuota adds the headers of the account's rate, as of when the request was let in, to an answer
// to a valid key. refused: the request is over the rate.
func showQuota(h http.Header, allowed *limit.Allowance, refused bool) {
	q, ok := allowed.Quota()
	if !ok {
		return
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	values := []string{number(q.Burst), number(q.Remaining), number(q.Reset)} // one array for all
	h["Ratelimit-Limit"] = values[0:1:1]
	h["Ratelimit-Remaining"] = values[1:2:2]
	h["Ratelimit-Reset"] = values[2:3:3]
	if refused {
		h.Set("Retry-After", number(q.Retry))
	}
	if allowed.Over() {
		h.Add("Warning", "299 - "+strconv.Quote("the account is over its rate of "+number(q.Rate)+" requests a second"))
	}
}
