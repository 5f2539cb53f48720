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

// activeIn are the parameters of members/active.
type activeIn struct {
	BrandID bind.ID `name:"brandID" doc:"only actions for this brand" eg:"1"`
	bind.Range
	Filters selection.Filters
	selected
	serve.Paged
	OrderBy          string `name:"order_by" enum:"Score,Created,LastLogin" default:"Score" doc:"by the sum of the actions' points, by when the member joined, or by when it last logged in" eg:"Created"`
	Sort             string `name:"sort" enum:"ASC,DESC" default:"DESC" doc:"by order_by; ties stand by ID ascending" eg:"DESC"`
	TotalMemberCount bool   `name:"totalmembercount" doc:"1 adds TotalMemberCount: members that pass the filters on members, whatever they did" eg:"1"`
}

// Check refuses an activity beside an order by login.
func (in *activeIn) Check() *domain.Error {
	if in.OrderBy == "LastLogin" && in.Filters.ActivityID != nil {
		return domain.Bad(domain.InvalidParameter, "activityID", "activityID cannot stand beside order_by LastLogin")
	}
	return nil
}

// orders are what order_by may say.
var orders = map[string]domain.Order{"Score": domain.ByScore, "Created": domain.ByCreated, "LastLogin": domain.ByLastLogin}

// activeMembers lists the members with a matching action, by rank.
func (s *memberService) activeMembers(ctx context.Context, req *serve.Request, in *activeIn) (*wire.ActiveMembers, error) {
	span, err := req.Shown(in.Range, selection.Lists)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Account: req.Account(), Shape: domain.ShapeLeaders, Range: span.Seconds()}
	brand, err := req.About(q, in.BrandID, "brandID")
	if err != nil {
		return nil, err
	}
	of, err := selection.Choose(ctx, req, &in.Filters, q.Brand)
	if err != nil {
		return nil, err
	}
	only, err := itemFields(req, in.selected)
	if err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.Filter, q.Groups = of.Filter, of.Groups(selection.InOne)
	if err := selection.Require(req, q, in.Required, true); err != nil {
		return nil, err
	}
	q.Top = serve.Top(req, p)
	q.Top.Order, q.Top.Up, q.Top.Latest = orders[in.OrderBy], in.Sort == "ASC", true
	q.Top.Audience = in.TotalMemberCount
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if answer.Leaders == nil || len(answer.Leaders.Latest) != len(answer.Leaders.Members) {
		return nil, serve.ErrShape("members/active")
	}
	size := answer.Leaders.Total.Members
	out := &wire.ActiveMembers{TotalSize: wire.Number(size)}
	answer.Leaders.Members, out.Paging = serve.ResultPage(req, p, answer.Leaders.Members, int(size), leaderKey(q.Top.Order), page.Dates(span)...)
	members := make([]ranked, len(answer.Leaders.Members))
	for i := range members {
		members[i] = ranked{answer.Leaders.Members[i], answer.Leaders.Latest[i]}
	}
	if in.TotalMemberCount {
		n := wire.Number(answer.Leaders.Audience)
		out.TotalMemberCount = &n
	}
	out.Items, err = s.memberItems(ctx, req, members, brand, only, answer.Position)
	return out, err
}

// leaderKey is what a member is listed by in a ranking.
func leaderKey(order domain.Order) func(*domain.Leader) page.Row {
	return func(l *domain.Leader) page.Row {
		k := page.Row{Rank: uint64(l.At), ID: uint64(l.Member)}
		switch order {
		case domain.ByScore:
			k.Rank = l.Score
		case domain.ByActions:
			k.Rank = l.Actions
		}
		return k
	}
}
