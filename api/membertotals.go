package api

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
	serve.Paged
	Explaining serve.Explaining
}

// memberTotals lists members by the number of their actions.
func memberTotals(ctx context.Context, req *serve.Request, in *totalsIn) (*wire.MemberTotals, error) {
	span, err := req.Shown(in.Range, selection.Statistics)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Account: req.Account(), Shape: domain.ShapeLeaders, Range: span.Seconds()}
	if _, err := req.About(q, in.BrandID, "brandID"); err != nil {
		return nil, err
	}
	of, err := selection.Choose(ctx, req, &in.Filters, q.Brand)
	if err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.Filter, q.Groups, q.Top = of.Filter, of.Groups(selection.InOne), serve.Top(req, p)
	q.Top.Order, q.Top.Latest = domain.ByActions, true
	if err := in.Explaining.Ask(req, q, span); err != nil {
		return nil, err
	}
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	l := answer.Leaders
	if l == nil || len(l.Latest) != len(l.Members) {
		return nil, serve.ErrShape("members/stats/activity")
	}
	l.Members, _ = serve.ResultPage(req, p, l.Members, int(l.Total.Members), leaderKey(domain.ByActions), page.Dates(span)...)
	out := &wire.MemberTotals{
		TotalSize: wire.Number(l.Total.Members), TotalMembers: wire.Number(l.Total.Members), TotalActivities: wire.Number(l.Total.Actions),
	}
	if out.Items, err = totalsOf(ctx, req, l.Members, l.Latest, answer.Position); err != nil {
		return nil, err
	}
	out.Explain, err = in.Explaining.Explanation(req, answer)
	return out, err
}

// totals are members with what they did, their latest actions as read at a position or
// after it.
func totalsOf(ctx context.Context, req *serve.Request, members []domain.Leader, latest []domain.Row, at domain.Position) ([]wire.MemberTotal, error) {
	out := make([]wire.MemberTotal, len(members))
	if len(members) == 0 {
		return out, nil
	}
	items := make([]domain.FeedItem, len(members))
	for i := range members {
		items[i] = domain.FeedItem{Row: latest[i], Member: members[i].Member}
	}
	shown, err := req.Engine.Show(ctx, req.Account(), items, at)
	if err != nil {
		return nil, serve.WaitFault(err)
	}
	for i, m := range members {
		out[i] = wire.MemberTotal{MemberID: wire.Number(m.Member), ActivityCount: wire.Number(m.Actions), Score: wire.Number(m.Score)}
		if latest[i].Seq != 0 {
			out[i].LastActivity = lastActivity(req, &latest[i], shown[i].Content, req.AnyBrand(latest[i].Brand))
		}
	}
	return out, nil
}
