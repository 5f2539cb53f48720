package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// met is a passing row that stands in no span.
type met struct {
	seq       uint64
	time, ord uint32
	kind      rows.Kind
	points    uint16
	brand     domain.BrandID // 0: not known
	dense     uint32         // of the brand
}

// visitor calls a function with each row of a question.
type visitor struct {
	*selection
	owners []*rows.Set // of each span
}

// end drops what the question held.
func (x *visitor) end() {
	clear(x.owners[:cap(x.owners)])
	x.selection.end()
}

// visit calls f with the question's rows outside of chunks, and makes spans of
// those in chunks; owners are the sets the spans are of.
func (x *visitor) visit(a *Ask, f func(met)) (err error) {
	return x.visitSets(a, f, nil)
}

// visitSets is visit; tail, if it is not nil, takes the tails of whole sets.
func (x *visitor) visitSets(a *Ask, f func(met), tail func(rows.Tail)) (err error) {
	x.again()
	x.owners = x.owners[:0]
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.goesOn():
		case s.Cold:
			err = x.visitCold(s, a.Cold, f)
		case small:
			x.visitSmall(s, a, f)
		default:
			for _, r := range s.Runs {
				x.span(r)
				for len(x.owners) < len(x.spans) {
					x.owners = append(x.owners, s)
				}
			}
			if tail != nil {
				tail(s.TailAt(x.view.Seq))
			} else {
				x.visitTail(s, a, f)
			}
		}
	})
	return x.fate(err)
}

func (x *visitor) visitTail(s *rows.Set, a *Ask, f func(met)) {
	p := s.TailAt(x.view.Seq)
	for i := p.Skip(x.plan.span.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if !x.passes(r.Time, r.Ord, x.target(r.Kind)) || p.Deleted.Has(i) {
			continue
		}
		m := met{r.Seq, r.Time, r.Ord, x.view.Kinds[r.Kind], r.Points, s.ID, s.Dense}
		if p.Brands != nil {
			m.brand, m.dense = a.Label(p.Brands[i]), p.Brands[i]
		}
		f(m)
	}
}

func (x *visitor) visitSmall(s *rows.Set, a *Ask, f func(met)) {
	in, id := x.plan.span, a.Label(a.Brand)
	for _, r := range s.Runs {
		c := r.Chunk
		if c.Max < in.From || c.Min >= in.To {
			continue
		}
		for _, at := range c.Of(a.Brand) {
			i := int(at)
			k := c.Dict[c.Kind[i]]
			if x.passes(c.Time[i], c.Ord[i], x.target(k)) && !r.Deleted.Has(i) {
				f(met{c.Seq(i), c.Time[i], c.Ord[i], x.view.Kinds[k], c.Points[i], id, a.Brand})
			}
		}
	}
	p := s.TailAt(x.view.Seq)
	for i := p.Skip(in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if p.Brands[i] == a.Brand && x.passes(r.Time, r.Ord, x.target(r.Kind)) && !p.Deleted.Has(i) {
			f(met{r.Seq, r.Time, r.Ord, x.view.Kinds[r.Kind], r.Points, id, a.Brand})
		}
	}
}

// visitCold reads a set from disk.
func (x *visitor) visitCold(s *rows.Set, from rows.Source, f func(met)) error {
	return s.Read(from, func(stored []domain.Row) {
		for i := range stored {
			r := &stored[i]
			if !x.view.Holds(r) {
				continue
			}
			k := rows.Kind{Definition: r.Definition, Service: r.Service}
			if x.passes(r.Time, uint32(r.Ord), x.coldTarget(k)) {
				f(met{r.Seq, r.Time, uint32(r.Ord), k, r.Points, s.ID, s.Dense})
			}
		}
	})
}
