package catalog

import "github.com/ovation-analytics/ovation/actors/domain"

func (l *ledger) putPlan(c *domain.PutPlan) domain.Outcome {
	old, ok := l.view.Application(c.Application)
	if !ok {
		return domain.Failed(domain.Bad(domain.NotFound, "application", "no such application"))
	}
	app := *old
	app.Plan = c.Plan
	l.keep(&app)
	return domain.Outcome{ID: uint32(app.ID), Second: uint32(app.Account)}
}

func (l *ledger) putLimits(c *domain.PutLimits) domain.Outcome {
	old, ok := l.view.Account(c.Account)
	if !ok {
		return domain.Failed(domain.Bad(domain.NotFound, "account", "no such account"))
	}
	account := *old
	account.Limits = c.Limits
	l.keep(&account)
	return domain.Outcome{ID: uint32(account.ID), Second: uint32(account.ID)}
}
