package query

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// plan is what of a question is the same in every shard: a function of the question and the
// catalog.
type plan struct {
	rows   *scan.Plan
	dense  uint32 // the brand's number in its account, rows.Visits or rows.EveryBrand
	acted  acted
	lists  []listPlan
	filter *memberFilter
	brands *scan.Directory // of a crossover, of standings, of summaries
}

// acted is the actions that members are to have one of: those that the question counts, of one about
// visits those that it would count without them.
type acted struct {
	rows  *scan.Plan
	dense uint32
}

func newPlan(v *catalog.View, q *domain.Question) (*plan, error) {
	p := &plan{rows: scan.NewPlan(q), dense: rows.EveryBrand}
	if q.Brand != 0 {
		b, ok := v.Brand(q.Account, q.Brand)
		if !ok {
			return nil, domain.Bad(domain.NotFound, "brandID", "no such brand")
		}
		p.dense = b.Dense
	}
	p.acted = acted{p.rows, p.dense}
	if q.Visits != nil {
		p.dense = rows.Visits
		of := *q
		of.Visits, of.Filter.Services = nil, nil
		p.acted.rows = scan.NewPlan(&of)
	}
	filter, err := newMemberFilter(v, q)
	if err != nil {
		return nil, err
	}
	p.filter = filter
	p.lists = listPlans(v, q.Account, q.Lists)
	switch q.Shape {
	case domain.ShapeCrossover, domain.ShapeStandings, domain.ShapeSummaries:
		p.brands = scan.NewDirectory(v.BrandIDs(q.Account), q.Without)
	default: // no list of brands
	}
	return p, nil
}
