package brand

import "github.com/ovation-analytics/ovation/actors/domain"

// met is a passing row that stands in no span.
type met struct {
	seq       uint64
	time, ord uint32
	kind      kind
	points    uint16
	brand     domain.BrandID // 0: not known
	dense     uint32         // of the brand
}

// visit calls f with the question's rows outside of chunks, and makes spans of
// those in chunks; owners are the sets the spans are of.
func (x *Scratch) visit(a *Ask, f func(met)) (err error) {
	return x.visitSets(a, f, nil)
}

// visitSets is visit; tail, if it is not nil, takes the tails of whole sets.
func (x *Scratch) visitSets(a *Ask, f func(met), tail func(published)) (err error) {
	x.again()
	x.owners = x.owners[:0]
	x.view.each(a.Brand, func(s *set, small bool) {
		switch {
		case err != nil || !x.goesOn():
		case s.cold:
			err = x.visitCold(s, a.Cold, f)
		case small:
			x.visitSmall(s, a, f)
		default:
			for _, r := range s.runs {
				x.span(r)
				for len(x.owners) < len(x.spans) {
					x.owners = append(x.owners, s)
				}
			}
			if tail != nil {
				tail(s.upto(x.view.Seq))
			} else {
				x.visitTail(s, a, f)
			}
		}
	})
	return x.fate(err)
}

// passes reports that a row of a target belongs to the question.
func (x *Scratch) passes(time, ord, target uint32) bool {
	in := x.plan.span
	return time-in.From < in.To-in.From && target != x.targets && (x.filter == nil || pass(x.filter, ord) == 1)
}

func (x *Scratch) visitTail(s *set, a *Ask, f func(met)) {
	p := s.upto(x.view.Seq)
	for i := p.since(x.plan.span.From); i < len(p.rows); i++ {
		r := &p.rows[i]
		if !x.passes(r.time, r.ord, x.target(r.kind)) || p.dead.has(i) {
			continue
		}
		m := met{r.seq, r.time, r.ord, x.view.kinds[r.kind], r.points, s.id, s.dense}
		if p.brand != nil {
			m.brand, m.dense = a.Label(p.brand[i]), p.brand[i]
		}
		f(m)
	}
}

func (x *Scratch) visitSmall(s *set, a *Ask, f func(met)) {
	in, id := x.plan.span, a.Label(a.Brand)
	for _, r := range s.runs {
		c := r.c
		if c.max < in.From || c.min >= in.To {
			continue
		}
		for _, at := range c.of(a.Brand) {
			i := int(at)
			k := c.dict[c.kind[i]]
			if x.passes(c.time[i], c.ord[i], x.target(k)) && !r.dead.has(i) {
				f(met{c.seq(i), c.time[i], c.ord[i], x.view.kinds[k], c.points[i], id, a.Brand})
			}
		}
	}
	p := s.upto(x.view.Seq)
	for i := p.since(in.From); i < len(p.rows); i++ {
		r := &p.rows[i]
		if p.brand[i] == a.Brand && x.passes(r.time, r.ord, x.target(r.kind)) && !p.dead.has(i) {
			f(met{r.seq, r.time, r.ord, x.view.kinds[r.kind], r.points, id, a.Brand})
		}
	}
}

// visitCold reads a set from disk.
func (x *Scratch) visitCold(s *set, from Source, f func(met)) error {
	if from == nil {
		return ErrCold
	}
	return from(Cold{s.dense, s.id}, func(rows []domain.Row) {
		for i := range rows {
			r := &rows[i]
			if !x.view.holds(r) {
				continue
			}
			k := kind{r.Definition, r.Service}
			if x.passes(r.Time, uint32(r.Ord), x.coldTarget(k)) {
				f(met{r.Seq, r.Time, uint32(r.Ord), k, r.Points, s.id, s.dense})
			}
		}
	})
}
