package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// statsIn are the parameters of statistics: of a brand where one is named, else of
// all brands of the account.
type statsIn struct {
	BrandID bind.ID `name:"brandID" doc:"id of a brand; where the path names none: of all brands without it" eg:"1"`
	bind.Range
	Filters filters
	ID      bind.ID `name:"id" doc:"only actions of this member" eg:"4097"`
	Explain bool    `name:"explain" later:"refuse" doc:"1 adds the actions behind the number"`
}

// question is the part of a question that the statistics share, without its
// groups, and what its filters select.
func (in *statsIn) question(c *Call, shape domain.Shape) (*domain.Question, *selection, bind.Span, error) {
	span, err := c.over(in.Range, statistics)
	if err != nil {
		return nil, nil, span, err
	}
	q := &domain.Question{Account: c.Account(), Shape: shape, Range: span.Seconds()}
	if in.BrandID != 0 {
		brand, err := c.brand(in.BrandID, "brandID")
		if err != nil {
			return nil, nil, span, err
		}
		q.Brand = brand.ID
	}
	of, err := c.selects(&in.Filters, q.Brand)
	if err != nil {
		return nil, nil, span, err
	}
	q.Filter = of.filter
	onlyMember(&q.Filter, in.ID)
	return q, of, span, nil
}

// tallyIn are the parameters of stats/activity.
type tallyIn struct {
	statsIn
	GroupBy string    `name:"group_by" enum:"activities,type" default:"activities" doc:"a row an activity, or a row a type" eg:"type"`
	Limit   bind.Page `name:"limit" doc:"keeps that page of rows, of whose actions the totals are made; no default" eg:"0,5"`
	Cursor  string    `name:"cursor" later:"refuse" doc:"keyset paging"`
}

func tallyActivities(c *Call, in *tallyIn) (*wire.ActivityTally, error) {
	q, of, span, err := in.question(c, domain.ShapeTally)
	if err != nil {
		return nil, err
	}
	by := groupByID(of.definitions)
	if in.GroupBy == "type" {
		by = groupByType(of.definitions)
	}
	q.Groups = of.groups(by.group)
	tally, err := c.tally(q)
	if err != nil {
		return nil, err
	}
	rows, total := tally.Groups, tally.Total
	sortTally(rows)
	size := len(rows)
	if in.Limit.Given {
		p := c.page(limit{Limit: in.Limit})
		c.beside(p, size, dates(span)...)
		from, to := p.Cut(size)
		if rows, total, err = c.kept(q, rows[from:to], size, total); err != nil {
			return nil, err
		}
	}
	out := &wire.ActivityTally{
		TotalSize: wire.Number(size), Items: make([]wire.ActivityRow, len(rows)),
		TotalCount: wire.Number(total.Actions), TotalMembers: wire.Number(total.Members),
	}
	brand := c.anyBrand(q.Brand)
	for i, r := range rows {
		row := by.row(r.Group, brand)
		row.BrandID = wire.Number(brand.ID)
		if of.segment != nil {
			row.SegmentName = wire.Null(of.segment.Name)
		}
		row.Count, row.DistinctMembers = wire.Number(r.Actions), wire.Number(r.Members)
		out.Items[i] = row
	}
	return out, nil
}

// tally asks for a tally.
func (c *Call) tally(q *domain.Question) (*domain.Tally, error) {
	answer, err := c.ask(q)
	if err != nil {
		return nil, err
	}
	if answer.Tally == nil {
		return nil, &domain.Error{Code: domain.Internal, Op: "tally", Message: "the answer has another shape"}
	}
	return answer.Tally, nil
}

// sortTally puts the most actions first, ties by group.
func sortTally(rows []domain.GroupCount) {
	slices.SortFunc(rows, func(a, b domain.GroupCount) int {
		return cmp.Or(cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Group, b.Group))
	})
}

// kept is the rows of a page with totals made from their actions. A member counts
// once in a total, so the kept groups are asked for once more; their rows are
// taken from that answer too, so that rows and totals are of one moment.
func (c *Call) kept(q *domain.Question, rows []domain.GroupCount, size int, total domain.Count) ([]domain.GroupCount, domain.Count, error) {
	switch len(rows) {
	case size:
		return rows, total, nil
	case 0:
		return nil, domain.Count{}, nil
	}
	narrow := *q
	narrow.Groups = slices.DeleteFunc(slices.Clone(q.Groups), func(g domain.Group) bool {
		return !slices.ContainsFunc(rows, func(r domain.GroupCount) bool { return r.Group == g.Group })
	})
	tally, err := c.tally(&narrow)
	if err != nil {
		return nil, domain.Count{}, err
	}
	sortTally(tally.Groups)
	return tally.Groups, tally.Total, nil
}

// grouping is which definitions make which row.
type grouping struct {
	group func(*domain.Definition) uint32
	row   func(group uint32, brand *domain.Brand) wire.ActivityRow
}

// groupByID makes a row of each definition; the group is its id.
func groupByID(definitions []*domain.Definition) grouping {
	g := grouping{group: func(d *domain.Definition) uint32 { return uint32(d.ID) }}
	g.row = func(group uint32, brand *domain.Brand) wire.ActivityRow {
		i, ok := slices.BinarySearchFunc(definitions, domain.DefinitionID(group), func(d *domain.Definition, id domain.DefinitionID) int {
			return cmp.Compare(d.ID, id)
		})
		if !ok {
			return wire.ActivityRow{ActivityID: wire.NullNumber(group)}
		}
		d := definitions[i]
		return wire.ActivityRow{ActivityID: wire.NullNumber(d.ID), Activity: named(d, brand), ServiceType: wire.Null(d.Service.String())}
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
	}}
	g.row = func(group uint32, _ *domain.Brand) wire.ActivityRow {
		if int(group) >= len(types) {
			return wire.ActivityRow{}
		}
		return wire.ActivityRow{Activity: spelled[types[group]]}
	}
	return g
}

// named is a definition's name with the brand's filled in.
func named(d *domain.Definition, brand *domain.Brand) string {
	name := ""
	if brand != nil {
		name = brand.Name()
	}
	return strings.ReplaceAll(d.Name, "{brand}", name)
}
