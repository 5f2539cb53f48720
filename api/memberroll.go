package api

import (
	"context"
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// rollIn are the parameters of the list of all members. What filters actions says which
// of them an item's Score, ActivityCount and LastActivity are of, and leaves no member
// out.
type rollIn struct {
	BrandID bind.ID `name:"brandID" doc:"Score, ActivityCount and LastActivity are of actions for this brand" eg:"1"`
	Filters selection.Filters
	selected
	serve.Paged
	UpdatedSince bind.Time `name:"updated_since" doc:"only members who changed at it or after: by a registration, a login or an opt-in" eg:"2026-01-01 00:00:00"`
	Sort         string    `name:"sort" enum:"ASC,DESC" default:"ASC" doc:"by ID"`
}

// week is the time that the numbers of an item are of, where a list has no range.
var week = bind.Period{Amount: 1, Unit: bind.Week}

// allMembers lists members by id, whatever they did.
func (s *memberService) allMembers(ctx context.Context, req *serve.Request, in *rollIn) (*wire.Members, error) {
	q := &domain.Question{Account: req.Account(), Shape: domain.ShapeMemberList}
	recent, fault := req.Resolve(bind.Range{}, week, false)
	if fault != nil {
		return nil, fault
	}
	q.Range = recent.Span.Seconds()
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
	q.Filter, q.Groups = of.Filter, of.Groups(selection.InOne)
	q.Filter.Holds, q.Filter.Services = q.Filter.Services, nil // here they are the members', not the actions'
	if err := selection.Require(req, q, in.Required, false); err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.MemberListing = rolling(req, in, p)
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if answer.MemberList == nil {
		return nil, serve.ErrShape("members")
	}
	out := &wire.Members{TotalSize: wire.Number(answer.MemberList.Total)}
	var ids []domain.MemberID
	ids, out.Paging = serve.ResultPage(req, p, answer.MemberList.Members, int(answer.MemberList.Total), rollKey)
	members, err := lately(ctx, req, q, ids)
	if err != nil {
		return nil, err
	}
	out.Items, err = s.memberItems(ctx, req, members, brand, only, req.Wait)
	return out, err
}

// rolling is the rows of a page; of an empty one none.
func rolling(req *serve.Request, in *rollIn, p bind.Page) domain.MemberListing {
	r := domain.MemberListing{Up: in.Sort == "ASC", Changed: domain.Second(min(max(in.UpdatedSince.Unix, 0), math.MaxUint32))}
	if p.Limit == 0 {
		return r
	}
	r.Offset, r.Limit = p.Offset, req.Keyset.Wanted(p)
	if after := req.Keyset.After(); after != nil {
		r.After = domain.MemberID(after.ID)
	}
	return r
}

// rollKey is what a member is listed by.
func rollKey(id *domain.MemberID) page.Row { return page.Row{ID: uint64(*id)} }

// lately is what the members of a roll did of what counts, in its range; the members stay
// in their order.
func lately(ctx context.Context, req *serve.Request, roll *domain.Question, page []domain.MemberID) ([]ranked, error) {
	out := make([]ranked, len(page))
	for i, id := range page {
		out[i].Member = id
	}
	if len(page) == 0 {
		return out, nil
	}
	who := slices.Sorted(slices.Values(page))
	answer, err := req.Ask(ctx, &domain.Question{
		Account: roll.Account, Shape: domain.ShapeLeaders, Brand: roll.Brand, Range: roll.Range, Groups: roll.Groups,
		Filter: domain.Filter{Members: who}, Top: domain.Top{Limit: len(who), Latest: true},
	})
	if err != nil {
		return nil, err
	}
	if answer.Leaders == nil || len(answer.Leaders.Latest) != len(answer.Leaders.Members) {
		return nil, serve.ErrShape("members")
	}
	did := map[domain.MemberID]ranked{}
	for i, l := range answer.Leaders.Members {
		did[l.Member] = ranked{l, answer.Leaders.Latest[i]}
	}
	for i, id := range page {
		if r, ok := did[id]; ok {
			out[i] = r
		}
	}
	return out, nil
}
