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

// loggedInIn are the parameters of members/login. Services are those of the logins; filters on
// actions select those of an item's Score, ActivityCount and LastActivity, and exclude no member.
type loggedInIn struct {
	BrandID bind.ID `name:"brandID" doc:"Score, ActivityCount and LastActivity are of actions for this brand" eg:"1"`
	bind.Range
	Filters selection.Filters
	itemsIn
	page.Paged
	Sort             string `name:"sort" enum:"ASC,DESC" default:"DESC" doc:"by the last login in the range; ties stand by ID ascending" eg:"DESC"`
	TotalMemberCount bool   `name:"totalmembercount" doc:"1 adds TotalMemberCount: members that pass the filters on members, whether they logged in or not" eg:"1"`
}

// LoggedIn lists the members with a login or a registration in the range, by the last one.
func (s *Service) LoggedIn(ctx context.Context, req *serve.Request, in *loggedInIn) (*wire.LoggedInMembers, error) {
	span, err := req.ResolveRange(in.Range, selection.Lists)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Shape: domain.ShapeLeaders, Range: span.Seconds(), Visits: &domain.VisitQuery{}}
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
	if err := require(ctx, req, q, in.Required, false); err != nil {
		return nil, err
	}
	q.Top = page.Top(req, p)
	q.Top.Order, q.Top.Up, q.Top.Audience = domain.ByVisit, in.Sort == "ASC", in.TotalMemberCount
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	l := answer.Leaders
	if l == nil {
		return nil, serve.ErrShape("members/login")
	}
	size := l.Total.Members
	out := &wire.LoggedInMembers{TotalSize: wire.Number(size), Paging: []string{}}
	key := func(l *domain.Leader) page.Row { return page.Row{Rank: uint64(l.At), ID: uint64(l.Member)} }
	rows, _ := page.ResultPage(req, p, l.Members, int(size), key, page.Dates(span)...)
	if in.TotalMemberCount {
		n := wire.Number(l.Audience)
		out.TotalMemberCount = &n
	}
	ids := make([]domain.MemberID, len(rows))
	for i := range rows {
		ids[i] = rows[i].Member
	}
	members, err := withActions(ctx, req, q, ids)
	if err != nil {
		return nil, err
	}
	out.Items, err = items(ctx, req, members, of.Brand, only, req.Wait)
	return out, err
}
