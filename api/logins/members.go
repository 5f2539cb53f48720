package logins

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Members answers members/stats/visits: members by the number of their visits.
func Members(ctx context.Context, req *serve.Request, in *topIn) (*wire.MemberVisits, error) {
	q, span, err := in.question(ctx, req, domain.ShapeLeaders, domain.VisitQuery{})
	if err != nil {
		return nil, err
	}
	p := in.Page(req)
	q.Top = page.Top(req, p)
	q.Top.Order = domain.ByActions
	answer, err := ask(ctx, req, q, func(a *domain.Answer) bool { return a.Leaders != nil })
	if err != nil {
		return nil, err
	}
	total := answer.Leaders.Total
	key := func(l *domain.Leader) page.Row { return page.Row{Rank: l.Actions, ID: uint64(l.Member)} }
	rows, _ := page.ResultPage(req, p, answer.Leaders.Members, int(total.Members), key, page.Dates(span)...)
	out := &wire.MemberVisits{
		TotalSize: wire.Number(total.Members), Items: make([]wire.MemberVisit, len(rows)), Total: total.Actions,
	}
	for i, l := range rows {
		out.Items[i] = wire.MemberVisit{
			MemberID: wire.Number(l.Member), Visits: l.Actions, Registrations: l.Score, LastVisited: wire.Seconds(int64(l.At)),
		}
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}
