package serve

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/port"
)

// Limited is how many requests were over a limit since the start.
type Limited = limit.Counts

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
