package logins

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// totalsIn are the parameters of login/stats/totals.
type totalsIn struct {
	rangeIn
	membersIn
	Limit bind.Page `name:"limit" doc:"without effect: there is one row" eg:"10"`
}

// Totals answers login/stats/totals: registrations and logins in all.
func Totals(ctx context.Context, req *serve.Request, in *totalsIn) (*wire.LoginTotals, error) {
	q, _, err := in.question(ctx, req, domain.ShapeTally, domain.VisitQuery{By: domain.VisitsByKind})
	if err != nil {
		return nil, err
	}
	in.filter(q)
	answer, err := ask(ctx, req, q, hasTally)
	if err != nil {
		return nil, err
	}
	out := &wire.LoginTotals{Total: in.number(answer.Tally.Total)}
	for _, g := range answer.Tally.Groups {
		switch domain.DefinitionID(g.Group) {
		case domain.Registration:
			out.Registrations, out.Members = in.number(g.Count), g.Members
		case domain.Login:
			out.Logins = in.number(g.Count)
		}
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}
