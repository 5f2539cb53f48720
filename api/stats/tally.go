package stats

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// statsIn are the parameters of statistics: of a brand where one is named, else of
// all brands of the account.
type statsIn struct {
	BrandID bind.ID `name:"brandID" doc:"id of a brand; where the path names none: of all brands without it" eg:"1"`
	bind.Range
	Filters    selection.Filters
	ID         bind.ID `name:"id" doc:"only actions of this member" eg:"4097"`
	Explaining page.Explaining
}

// question is the part of a question that the statistics share, without its
// groups, and what its filters select.
func (in *statsIn) question(ctx context.Context, req *serve.Request, shape domain.Shape) (*domain.Question, *selection.Selection, bind.Span, error) {
	span, err := req.ResolveRange(in.Range, selection.Statistics)
	if err != nil {
		return nil, nil, span, err
	}
	q := &domain.Question{Shape: shape, Range: span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", &in.Filters)
	if err != nil {
		return nil, nil, span, err
	}
	if err := selection.NamedMember(ctx, req, &q.Filter, in.ID); err != nil {
		return nil, nil, span, err
	}
	return q, of, span, in.Explaining.Ask(req, q, span)
}

// tallyIn are the parameters of stats/activity.
type tallyIn struct {
	statsIn
	GroupBy string    `name:"group_by" enum:"activities,type" default:"activities" doc:"a row an activity, or a row a type" eg:"type"`
	Limit   bind.Page `name:"limit" doc:"keeps that page of rows, of whose actions the totals are made; no default" eg:"0,5"`
	Cursor  string    `name:"cursor" max:"4096" doc:"empty: pages follow one another by the keys of their rows; else that of a next page's address, beside the same parameters and no offset"`
}

// Activities answers stats/activity: a tally by definition or by type.
func Activities(ctx context.Context, req *serve.Request, in *tallyIn) (*wire.ActivityTally, error) {
	q, of, span, err := in.question(ctx, req, domain.ShapeTally)
	if err != nil {
		return nil, err
	}
	by := in.grouping(of)
	q.Groups = of.Groups(by.group)
	t, err := tallyRows(ctx, req, q, in.Limit, span, by, func(g *domain.GroupCount) uint64 { return g.Actions })
	if err != nil {
		return nil, err
	}
	total := t.answer.Tally.Total
	out := &wire.ActivityTally{
		TotalSize: wire.Number(t.size), Items: make([]wire.ActivityRow, len(t.rows)),
		TotalCount: wire.Number(total.Actions), TotalMembers: wire.Number(total.Members),
	}
	brand, err := req.AnyBrand(q.Brand)
	if err != nil {
		return nil, err
	}
	services, err := recordedBy(ctx, req, q, t.rows, in.GroupBy)
	if err != nil {
		return nil, err
	}
	for i, r := range t.rows {
		row := by.row(r.Group, brand)
		if s, ok := services[r.Group]; ok {
			row.ServiceType = wire.Null(s.String())
		}
		row.BrandID = wire.Number(brand.ID)
		if of.Segment != nil {
			row.SegmentName = wire.Null(of.Segment.Name)
		}
		row.Count, row.DistinctMembers = wire.Number(r.Actions), wire.Number(r.Members)
		out.Items[i] = row
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, t.answer)
	return out, err
}

// askTally asks for a tally.
func askTally(ctx context.Context, req *serve.Request, q *domain.Question) (*domain.Answer, error) {
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if answer.Tally == nil {
		return nil, serve.ErrShape("tally")
	}
	return answer, nil
}

// kept is the rows of a tally that are shown, and an answer whose totals are made of
// their actions.
type kept struct {
	rows   []domain.GroupCount
	size   int // of all rows, shown or not
	answer *domain.Answer
}

// tallyRows asks for a tally and puts its rows in order, the greatest rank first, ties by
// group; where a page is asked for it keeps that. A member counts once in a total, so the kept
// groups are asked for once more; their rows, and the actions that explain them, are taken
// from that answer, so that all is of one moment.
func tallyRows(
	ctx context.Context, req *serve.Request, q *domain.Question, only bind.Page, span bind.Span, by grouping, rank func(*domain.GroupCount) uint64,
) (*kept, error) {
	first, paged := *q, only.Given || req.List().Keyset.After() != nil
	first.Explain = q.Explain && !paged
	answer, err := askTally(ctx, req, &first)
	if err != nil {
		return nil, err
	}
	key := func(g *domain.GroupCount) page.Row {
		k := by.key(g.Group)
		k.Rank = rank(g)
		return k
	}
	order := func(a, b domain.GroupCount) int { return page.ByRank(key(&a), key(&b)) }
	slices.SortFunc(answer.Tally.Groups, order)
	t := &kept{answer.Tally.Groups, len(answer.Tally.Groups), answer}
	if !paged {
		return t, nil
	}
	p := bind.Page{Limit: t.size}
	if only.Given {
		p = page.Paged{Limit: only}.Page(req)
	}
	if t.rows, _ = page.PageOf(req, p, t.rows, key, page.ByRank, page.Dates(span)...); len(t.rows) == t.size && !q.Explain {
		return t, nil
	}
	if len(t.rows) == 0 {
		t.answer = &domain.Answer{Tally: &domain.Tally{}, Feed: &domain.Feed{}, Position: answer.Position}
		return t, nil
	}
	narrow := *q
	narrow.Groups = slices.DeleteFunc(slices.Clone(q.Groups), func(g domain.Group) bool {
		return !slices.ContainsFunc(t.rows, func(r domain.GroupCount) bool { return r.Group == g.Group })
	})
	if t.answer, err = askTally(ctx, req, &narrow); err != nil {
		return nil, err
	}
	t.rows = t.answer.Tally.Groups
	slices.SortFunc(t.rows, order)
	return t, nil
}

// byType is the word for a row a type.
const byType = "type"

// grouping is the one asked for.
func (in *tallyIn) grouping(of *selection.Selection) grouping {
	if in.GroupBy == byType {
		return groupByType(of.Definitions)
	}
	return groupByID(of.Definitions)
}

// grouping is which definitions make which row.
type grouping struct {
	group func(*domain.Definition) uint32
	row   func(group uint32, brand *domain.Brand) wire.ActivityRow
	key   func(group uint32) page.Row // what ties are ordered by; it stays while definitions are created
}

// groupByID makes a row of each definition; the group is its id.
func groupByID(definitions []*domain.Definition) grouping {
	g := grouping{
		group: func(d *domain.Definition) uint32 { return uint32(d.ID) },
		key:   func(group uint32) page.Row { return page.Row{ID: uint64(group)} },
	}
	g.row = func(group uint32, brand *domain.Brand) wire.ActivityRow {
		i, ok := slices.BinarySearchFunc(definitions, domain.DefinitionID(group), func(d *domain.Definition, id domain.DefinitionID) int {
			return cmp.Compare(d.ID, id)
		})
		if !ok {
			return wire.ActivityRow{ActivityID: wire.NullNumber(group)}
		}
		d := definitions[i]
		return wire.ActivityRow{ActivityID: wire.NullNumber(d.ID), Activity: wire.DefinitionName(d, brand), ServiceType: wire.Null(d.Service.String())}
	}
	return g
}

// groupByType makes a row of each type, in any case; the group is the type's place
// in order of the alphabet.
func groupByType(definitions []*domain.Definition) grouping {
	spelled := map[string]string{} // as the earliest definition spells it
	var types []string
	for _, d := range definitions {
		folded := strings.ToLower(d.Type)
		if _, ok := spelled[folded]; !ok {
			spelled[folded] = d.Type
			types = append(types, folded)
		}
	}
	slices.Sort(types)
	g := grouping{group: func(d *domain.Definition) uint32 {
		at, _ := slices.BinarySearch(types, strings.ToLower(d.Type))
		return uint32(at)
	}, key: func(group uint32) page.Row {
		if int(group) >= len(types) {
			return page.Row{ID: uint64(group)}
		}
		return page.Row{Text: types[group]}
	}}
	g.row = func(group uint32, _ *domain.Brand) wire.ActivityRow {
		if int(group) >= len(types) {
			return wire.ActivityRow{}
		}
		return wire.ActivityRow{Activity: spelled[types[group]]}
	}
	return g
}
