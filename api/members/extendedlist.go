package members

import (
	"context"
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/extended"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// extendedIn are the parameters of members/extended. Filters on actions select those of an item's
// Score, ActivityCount and LastActivity, and exclude no member.
type extendedIn struct {
	BrandID bind.ID `name:"brandID" doc:"Score, ActivityCount and LastActivity are of actions for this brand" eg:"1"`
	Filters selection.Filters
	itemsIn
	page.Paged
	UpdatedSince  bind.Start     `name:"updated_since" doc:"only members who changed at it or after: by a registration, a login, an update, an opt-in, a merge or one that is taken back" eg:"2026-01-01 00:00:00"`
	QueryExtended extended.Query `name:"query_extended" doc:"only members whose Extended node meets at most 20 conditions PATH OPERATOR VALUE with and between them: paths into Extended, = != < <= > >= or ~ (contains, in any case), a value bare or in '…'. A path leads to any element of an array; numbers compare as numbers, else text; a missing field meets != alone" eg:"tier = 'gold' and primaryAddress.city ~ ber"`
	OrderBy       extended.Path  `name:"order_by" default:"aeid" doc:"a path into Extended; members without a value there come last. Numbers come before texts; texts are compared by their first 1,024 bytes" eg:"lastLogin"`
	Sort          string         `name:"sort" enum:"ASC,DESC" default:"ASC" doc:"by order_by; ties stand by ID ascending" eg:"DESC"`
}

// changedSince is a moment as a list of members is asked for it.
func changedSince(t bind.Start) domain.Second {
	return domain.Second(min(max(t.Unix, 0), math.MaxUint32))
}

// Extended lists members with their Extended nodes, by what is in these.
func (s *Service) Extended(ctx context.Context, req *serve.Request, in *extendedIn) (*wire.Members, error) {
	recent, fault := req.Resolve(bind.Range{}, week, false)
	if fault != nil {
		return nil, fault
	}
	q := &domain.Question{Shape: domain.ShapeMemberList, Range: recent.Span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", &in.Filters)
	if err != nil {
		return nil, err
	}
	fields, err := in.itemFields(req)
	if err != nil {
		return nil, err
	}
	fields.node = true
	q.Groups = of.Groups(selection.InOne)
	q.Filter.Holds, q.Filter.Services = q.Filter.Services, nil // here they are the members', not the actions'
	by := &nodeSearch{req: req, query: in.QueryExtended, order: in.OrderBy, down: in.Sort == "DESC"}
	if by.required, err = selection.Require(req, q, in.Required, false); err != nil {
		return nil, err
	}
	for i := range by.query {
		if err := selection.Meeting(ctx, req, &q.Filter, &by.query[i]); err != nil {
			return nil, err
		}
	}
	q.MemberListing.Changed = changedSince(in.UpdatedSince)
	p := in.Paged.Page(req)
	found, total, err := by.page(ctx, q, p)
	if err != nil {
		return nil, err
	}
	out := &wire.Members{TotalSize: wire.Number(total)}
	found, out.Paging = page.ResultPage(req, p, found, int(total), (*ordered).row)
	ids := make([]domain.MemberID, len(found))
	for i := range found {
		ids[i] = found[i].member
	}
	members, err := withActions(ctx, req, q, ids)
	if err != nil {
		return nil, err
	}
	out.Items, err = items(ctx, req, members, of.Brand, fields, req.Wait)
	return out, err
}

// ordered is a member with what it is listed by.
type ordered struct {
	member domain.MemberID
	key    extended.Key
}

// row is what the member is listed by, as cursors have it.
func (o *ordered) row() page.Row {
	return page.Row{Rank: uint64(o.key.Class), ID: uint64(o.member), Text: o.key.Bytes}
}

// orderedBy is the member that a cursor continues after.
func orderedBy(r *page.Row) ordered {
	return ordered{domain.MemberID(r.ID), extended.Key{Class: extended.Class(r.Rank), Bytes: r.Text}}
}
