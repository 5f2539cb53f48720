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

// activeIn are the parameters of members/active.
type activeIn struct {
	BrandID bind.ID `name:"brandID" doc:"only actions for this brand" eg:"1"`
	bind.Range
	Filters selection.Filters
	itemsIn
	page.Paged
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

// orders are the values of order_by.
var orders = map[string]domain.Order{"Score": domain.ByScore, "Created": domain.ByCreated, "LastLogin": domain.ByLastLogin}

// Active lists the members with a matching action, by rank.
func (s *Service) Active(ctx context.Context, req *serve.Request, in *activeIn) (*wire.ActiveMembers, error) {
	span, err := req.ResolveRange(in.Range, selection.Lists)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Shape: domain.ShapeLeaders, Range: span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", &in.Filters)
	if err != nil {
		return nil, err
	}
	only, err := in.itemFields(req)
	if err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.Groups = of.Groups(selection.InOne)
	if err := require(ctx, req, q, in.Required, true); err != nil {
		return nil, err
	}
	q.Top = page.Top(req, p)
	q.Top.Order, q.Top.Up, q.Top.Audience = orders[in.OrderBy], in.Sort == "ASC", in.TotalMemberCount
	answer, members, err := askRanked(ctx, req, q, "members/active")
	if err != nil {
		return nil, err
	}
	size := answer.Leaders.Total.Members
	out := &wire.ActiveMembers{TotalSize: wire.Number(size)}
	members, out.Paging = page.ResultPage(req, p, members, int(size), rankedKey(q.Top.Order), page.Dates(span)...)
	if in.TotalMemberCount {
		n := wire.Number(answer.Leaders.Audience)
		out.TotalMemberCount = &n
	}
	out.Items, err = items(ctx, req, members, of.Brand, only, answer.Position)
	return out, err
}
