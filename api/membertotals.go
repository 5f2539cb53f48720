package api

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// totalsIn are the parameters of members/stats/activity.
type totalsIn struct {
	BrandID bind.ID `name:"brandID" doc:"only actions for this brand" eg:"1"`
	bind.Range
	Filters filters
	limit
	Explaining explaining
}

// memberTotals lists members by the number of their actions.
func memberTotals(c *Call, in *totalsIn) (*wire.MemberTotals, error) {
	span, err := c.over(in.Range, statistics)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Account: c.Account(), Shape: domain.ShapeLeaders, Range: span.Seconds()}
	if _, err := c.about(q, in.BrandID, "brandID"); err != nil {
		return nil, err
	}
	of, err := c.selects(&in.Filters, q.Brand)
	if err != nil {
		return nil, err
	}
	p := c.page(in.limit)
	q.Filter, q.Groups, q.Top = of.filter, of.groups(inOne), c.top(p)
	q.Top.Order, q.Top.Latest = domain.ByActions, true
	if err := c.explains(&in.Explaining, q, span); err != nil {
		return nil, err
	}
	answer, err := c.ask(q)
	if err != nil {
		return nil, err
	}
	l := answer.Leaders
	if l == nil || len(l.Latest) != len(l.Members) {
		return nil, errShape("members/stats/activity")
	}
	l.Members, _ = resultPage(c, p, l.Members, int(l.Total.Members), leaderKey(domain.ByActions), dates(span)...)
	out := &wire.MemberTotals{
		TotalSize: wire.Number(l.Total.Members), TotalMembers: wire.Number(l.Total.Members), TotalActivities: wire.Number(l.Total.Actions),
	}
	if out.Items, err = c.totals(l.Members, l.Latest, answer.Position); err != nil {
		return nil, err
	}
	out.Explain, err = c.explanation(&in.Explaining, answer)
	return out, err
}

// totals are members with what they did, their latest actions as read at a position or
// after it.
func (c *Call) totals(members []domain.Leader, latest []domain.Row, at domain.Position) ([]wire.MemberTotal, error) {
	out := make([]wire.MemberTotal, len(members))
	if len(members) == 0 {
		return out, nil
	}
	items := make([]domain.FeedItem, len(members))
	for i := range members {
		items[i] = domain.FeedItem{Row: latest[i], Member: members[i].Member}
	}
	shown, err := c.Engine.Show(c.ctx(), c.Account(), items, at)
	if err != nil {
		return nil, waiting(err)
	}
	for i, m := range members {
		out[i] = wire.MemberTotal{MemberID: wire.Number(m.Member), ActivityCount: wire.Number(m.Actions), Score: wire.Number(m.Score)}
		if latest[i].Seq != 0 {
			out[i].LastActivity = c.lastActivity(&latest[i], shown[i].Content, c.anyBrand(latest[i].Brand))
		}
	}
	return out, nil
}
