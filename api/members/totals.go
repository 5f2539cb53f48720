package members

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// totalsIn are the parameters of members/stats/activity.
type totalsIn struct {
	BrandID bind.ID `name:"brandID" doc:"only actions for this brand" eg:"1"`
	bind.Range
	Filters selection.Filters
	page.Paged
	Explaining page.Explaining
}

// Totals lists members by the number of their actions.
func Totals(ctx context.Context, req *serve.Request, in *totalsIn) (*wire.MemberTotals, error) {
	span, err := req.ResolveRange(in.Range, selection.Statistics)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Shape: domain.ShapeLeaders, Range: span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", &in.Filters)
	if err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.Groups, q.Top = of.Groups(selection.InOne), page.Top(req, p)
	q.Top.Order = domain.ByActions
	if err := in.Explaining.Ask(req, q, span); err != nil {
		return nil, err
	}
	answer, members, err := askRanked(ctx, req, q, "members/stats/activity")
	if err != nil {
		return nil, err
	}
	total := answer.Leaders.Total
	members, _ = page.ResultPage(req, p, members, int(total.Members), rankedKey(domain.ByActions), page.Dates(span)...)
	shown, err := showLatest(ctx, req, members, answer.Position)
	if err != nil {
		return nil, err
	}
	out := &wire.MemberTotals{
		TotalSize: wire.Number(total.Members), TotalMembers: wire.Number(total.Members), TotalActivities: wire.Number(total.Actions),
		Items: make([]wire.MemberTotal, len(members)),
	}
	for i := range members {
		m := &members[i]
		out.Items[i] = wire.MemberTotal{MemberID: wire.Number(m.Member), ActivityCount: wire.Number(m.Actions), Score: wire.Number(m.Score)}
		if m.latest.Seq != 0 {
			brand, err := req.AnyBrand(m.latest.Brand)
			if err != nil {
				return nil, err
			}
			if out.Items[i].LastActivity, err = lastActivity(req, &m.latest, shown[i].Content, brand); err != nil {
				return nil, err
			}
		}
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}
