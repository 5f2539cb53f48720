package query

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A question that would read very many rows is refused before any shard is asked.

// reads is what the question reads in every shard. It may name the same rows twice: they
// are read twice.
func (p *plan) reads(q *domain.Question) (all []Read) {
	switch q.Shape {
	case domain.ShapeLists, domain.ShapeMemberList:
	case domain.ShapeStream: // a page of it reads what is above a sequence: that is not of its range
	case domain.ShapeCrossover:
		if p.dense != rows.EveryBrand {
			all = append(all, Read{p.dense, q.Range})
		}
		all = append(all, Read{rows.EveryBrand, q.Range})
	case domain.ShapeNewcomers:
		all = append(all, Read{p.dense, domain.Range{To: q.Range.To}})
	default:
		all = append(all, Read{p.dense, q.Range})
	}
	if q.Explain {
		all = append(all, Read{p.dense, q.Range})
	}
	if q.Filter.Acted {
		all = append(all, Read{p.acted.dense, q.Range})
	}
	for i := range p.lists {
		all = p.lists[i].reads(all)
	}
	if p.filter.from != nil {
		all = p.filter.from.reads(all)
	}
	return p.filter.reads(all, q)
}

func (l *listPlan) reads(all []Read) []Read {
	if l.plan == nil {
		return all
	}
	return append(all, Read{l.dense, l.question.Range})
}

// reads is what tells who did something.
func (c *memberFilter) reads(all []Read, q *domain.Question) []Read {
	if c.performed != nil {
		c.performed.Reads(func(dense uint32) { all = append(all, Read{dense, q.Range}) })
	}
	return all
}

// limit refuses a question that would read more rows than one may. Where no question can,
// since there are not so many rows, it costs a load a shard.
func (c *Coordinator) limit(m *Ask) error {
	maxRows := c.o.MaxRows
	if maxRows == 0 {
		return nil
	}
	reads := m.plan.reads(m.Question)
	for _, precision := range [...]Precision{AllRows, InRange, OfMonths} {
		rows, err := c.rows(m.Question, reads, precision)
		if rows <= maxRows || err != nil {
			return err
		}
	}
	return domain.Fail(domain.PlanLimit, fmt.Sprintf(
		"the question would read more than %d rows, which is the most that this installation reads for one: "+
			"ask about a shorter range, or about one brand", maxRows))
}

// rows is the sum over the shards that the question is asked of.
func (c *Coordinator) rows(q *domain.Question, reads []Read, p Precision) (sum uint64, err error) {
	for _, s := range c.shardsOf(q) {
		if s == nil {
			continue
		}
		rows, err := s.Estimate(q.Account, reads, p)
		if err != nil {
			return 0, err
		}
		sum += rows
	}
	return sum, nil
}

// Estimate reads counters, and for OfMonths the store's.
func (l *Local) Estimate(account domain.AccountID, reads []Read, p Precision) (rows uint64, err error) {
	if p == AllRows {
		return uint64(l.Rows()) * uint64(len(reads)), nil
	}
	v := l.Views.Acquire()
	if v == nil {
		return 0, domain.ErrUnavailable
	}
	defer v.Release()
	av := v.Account(account)
	if av == nil {
		return 0, nil
	}
	for _, r := range reads {
		rows += av.Rows.RowsIn(r.Dense, r.Range)
		if p == InRange {
			continue
		}
		for _, c := range av.Rows.Cold(r.Dense) {
			n, err := v.Snapshot.Count(account, c.Brand, r.Range)
			if err != nil {
				return 0, fmt.Errorf("count the rows of a brand: %w", err)
			}
			estimate := av.Rows.SetOf(c.Dense).Outline.Most(r.Range)
			rows -= estimate - min(estimate, n)
		}
	}
	return rows, nil
}
