package actors

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// A question that would read very many rows is refused before it is asked of anybody.

// reading is rows that a question reads: of a brand, in a range.
type reading struct {
	dense uint32 // brand.EveryBrand: of all brands
	span  domain.Range
}

// reads is what the question reads in every shard. It may name the same rows twice: they
// are read twice.
func (m *ask) reads() (all []reading) {
	q := m.question
	switch q.Shape {
	case domain.ShapeLists, domain.ShapeRoll:
	case domain.ShapeCrossover:
		if m.dense != brand.EveryBrand {
			all = append(all, reading{m.dense, q.Range})
		}
		all = append(all, reading{brand.EveryBrand, q.Range})
	case domain.ShapeNewcomers:
		all = append(all, reading{m.dense, domain.Range{To: q.Range.To}})
	default:
		all = append(all, reading{m.dense, q.Range})
	}
	if q.Explain {
		all = append(all, reading{m.dense, q.Range})
	}
	if q.Filter.Acted {
		all = append(all, reading{m.dense, q.Range})
	}
	for i := range m.lists {
		all = m.lists[i].reads(all)
	}
	if m.choice.from != nil {
		all = m.choice.from.reads(all)
	}
	return m.choice.reads(all, q)
}

func (l *listAsk) reads(all []reading) []reading {
	if l.plan == nil {
		return all
	}
	return append(all, reading{l.dense, l.question.Range})
}

// reads is what tells who did something.
func (c *choice) reads(all []reading, q *domain.Question) []reading {
	if c.deeds != nil {
		c.deeds.Reads(func(dense uint32) { all = append(all, reading{dense, q.Range}) })
	}
	return all
}

// bounded refuses a question that would read more rows than one may. Where no question
// can, since there are not so many rows, it costs a look at a number a shard.
func (n *Node) bounded(m *ask) error {
	most := n.o.MaxRows
	if most == 0 {
		return nil
	}
	all, kept := m.reads(), uint64(0)
	for _, s := range n.shared {
		kept += uint64(s.stats.rows.Load())
	}
	if kept*uint64(len(all)) <= most {
		return nil
	}
	for _, count := range [...]func(*view.View, domain.AccountID, []reading) (uint64, error){rowsAbout, rowsExactly} {
		rows, err := n.rowsIn(m, all, count)
		if rows <= most || err != nil {
			return err
		}
	}
	return domain.Fail(domain.PlanLimit, fmt.Sprintf(
		"the question would read more than %d rows, which is the most that this installation reads for one: ask about a shorter range, or about one brand", most))
}

// rowsIn is the sum over the shards that the question is asked of.
func (n *Node) rowsIn(m *ask, all []reading, count func(*view.View, domain.AccountID, []reading) (uint64, error)) (sum uint64, err error) {
	for i, d := range n.desksFor(m.question) {
		if d == nil {
			continue
		}
		v := n.shared[i].view.Acquire()
		if v == nil {
			return 0, domain.ErrUnavailable
		}
		rows, err := count(v, m.question.Account, all)
		if v.Release(); err != nil {
			return 0, err
		}
		sum += rows
	}
	return sum, nil
}

// rowsAbout is how many rows the readings meet at most: of a brand that is on disk alone
// all that it has.
func rowsAbout(v *view.View, account domain.AccountID, all []reading) (rows uint64, _ error) {
	av := v.Account(account)
	if av == nil {
		return 0, nil
	}
	for _, r := range all {
		rows += av.Rows.RowsIn(r.dense, r.span)
	}
	return rows, nil
}

// rowsExactly is the same with the rows on disk counted in the months of the range.
func rowsExactly(v *view.View, account domain.AccountID, all []reading) (rows uint64, _ error) {
	av := v.Account(account)
	if av == nil {
		return 0, nil
	}
	for _, r := range all {
		rows += av.Rows.RowsIn(r.dense, r.span) - av.Rows.Held(r.dense)
		for _, c := range av.Rows.Cold(r.dense) {
			n, err := v.Snapshot.Count(account, c.Brand, r.span)
			if err != nil {
				return 0, fmt.Errorf("count the rows of a brand: %w", err)
			}
			rows += n
		}
	}
	return rows, nil
}
