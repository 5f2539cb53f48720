package members

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// listIn are the parameters of the list of all members. Filters on actions select those of
// an item's Score, ActivityCount and LastActivity, and exclude no member.
type listIn struct {
	BrandID bind.ID `name:"brandID" doc:"Score, ActivityCount and LastActivity are of actions for this brand" eg:"1"`
	Filters selection.Filters
	itemsIn
	page.Paged
	UpdatedSince bind.Start `name:"updated_since" doc:"only members who changed at it or after: by a registration, a login, an update, an opt-in, a merge or one that is taken back" eg:"2026-01-01 00:00:00"`
	Sort         string     `name:"sort" enum:"ASC,DESC" default:"ASC" doc:"by ID"`
}

// week is the time that the numbers of an item are of, where a list has no range.
var week = bind.Period{Amount: 1, Unit: bind.Week}

// List lists members by id, whatever they did.
func (s *Service) List(ctx context.Context, req *serve.Request, in *listIn) (*wire.Members, error) {
	recent, fault := req.Resolve(bind.Range{}, week, false)
	if fault != nil {
		return nil, fault
	}
	q := &domain.Question{Shape: domain.ShapeMemberList, Range: recent.Span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", &in.Filters)
	if err != nil {
		return nil, err
	}
	only, err := in.itemFields(req)
	if err != nil {
		return nil, err
	}
	q.Groups = of.Groups(selection.InOne)
	q.Filter.Holds, q.Filter.Services = q.Filter.Services, nil // here they are the members', not the actions'
	if err := require(ctx, req, q, in.Required, false); err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.MemberListing = pageByID(req, p, in.Sort == "ASC", changedSince(in.UpdatedSince))
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if answer.MemberList == nil {
		return nil, serve.ErrShape("members")
	}
	out := &wire.Members{TotalSize: wire.Number(answer.MemberList.Total)}
	var ids []domain.MemberID
	ids, out.Paging = page.ResultPage(req, p, answer.MemberList.Members, int(answer.MemberList.Total), memberKey)
	members, err := withActions(ctx, req, q, ids)
	if err != nil {
		return nil, err
	}
	out.Items, err = items(ctx, req, members, of.Brand, only, req.Wait)
	return out, err
}

// pageByID is the rows of a page of a list by id; of an empty one none.
func pageByID(req *serve.Request, p bind.Page, up bool, changed domain.Second) domain.MemberListing {
	r := domain.MemberListing{Up: up, Changed: changed}
	if p.Limit == 0 {
		return r
	}
	r.Offset, r.Limit = p.Offset, req.List().Keyset.Wanted(p)
	if after := req.List().Keyset.After(); after != nil {
		r.After = domain.MemberID(after.ID)
	}
	return r
}

// memberKey is what a member is listed by.
func memberKey(id *domain.MemberID) page.Row { return page.Row{ID: uint64(*id)} }

// withActions are the members of a result page with their actions that count in the range of
// the list, in the order of the page.
func withActions(ctx context.Context, req *serve.Request, list *domain.Question, page []domain.MemberID) ([]ranked, error) {
	out := make([]ranked, len(page))
	for i, id := range page {
		out[i].Member = id
	}
	if len(page) == 0 {
		return out, nil
	}
	_, acted, err := askRanked(ctx, req, &domain.Question{
		Account: list.Account, Shape: domain.ShapeLeaders, Brand: list.Brand, Range: list.Range, Groups: list.Groups,
		Filter: domain.Filter{Members: slices.Sorted(slices.Values(page))}, Top: domain.Top{Limit: len(page)},
	}, "members")
	if err != nil {
		return nil, err
	}
	for _, r := range acted {
		if i := slices.Index(page, r.Member); i >= 0 {
			out[i] = r
		}
	}
	return out, nil
}
