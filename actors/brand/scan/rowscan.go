package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// scannedRow is a passing row outside of spans.
type scannedRow struct {
	seq       uint64
	time, ord uint32
	kind      rows.Kind
	points    uint16
	brand     domain.BrandID // 0: not known
	dense     uint32         // of the brand
}

// rowScan calls a function with each row of a question.
type rowScan struct {
	*selection
	owners []*rows.Set // of each span
}

// end drops what the question held.
func (x *rowScan) end() {
	clear(x.owners[:cap(x.owners)])
	x.selection.end()
}

// scanLoose calls f with the question's rows outside of chunks, and makes spans of
// those in chunks; owners are the sets the spans are of.
func (x *rowScan) scanLoose(a *Ask, f func(scannedRow)) (err error) {
	return x.scanSets(a, f, nil, func(s *rows.Set) error { return x.scanCold(s, a.Cold, x.plan.span, f) })
}

// scanSets is scanLoose; tail, if it is not nil, takes the tails of whole sets, and cold takes cold sets.
func (x *rowScan) scanSets(a *Ask, f func(scannedRow), tail func(rows.Tail), cold func(*rows.Set) error) (err error) {
	x.reset()
	x.owners = x.owners[:0]
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.running():
		case s.Cold:
			err = cold(s)
		case small:
			x.scanSmall(s, a, f)
		default:
			for _, r := range s.Runs {
				x.addSpan(r)
				for len(x.owners) < len(x.spans) {
					x.owners = append(x.owners, s)
				}
			}
			if tail != nil {
				tail(s.TailAt(x.view.Seq))
			} else {
				x.scanTail(s, a, f)
			}
		}
	})
	return x.result(err)
}

func (x *rowScan) scanTail(s *rows.Set, a *Ask, f func(scannedRow)) {
	sel := x.selection
	p := s.TailAt(sel.view.Seq)
	for i := p.Skip(sel.plan.span.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if !sel.passes(r.Time, r.Ord, sel.target(r.Kind)) || p.Deleted.Has(i) {
			continue
		}
		m := scannedRow{r.Seq, r.Time, r.Ord, sel.all[r.Kind], r.Points, s.ID, s.Dense}
		if p.Brands != nil {
			m.brand, m.dense = a.Label(p.Brands[i]), p.Brands[i]
		}
		f(m)
	}
}

func (x *rowScan) scanSmall(s *rows.Set, a *Ask, f func(scannedRow)) {
	sel := x.selection
	in, id := sel.plan.span, a.Label(a.Brand)
	for _, r := range s.Runs {
		c := r.Chunk
		if c.Max < in.From || c.Min >= in.To {
			continue
		}
		for _, at := range c.Of(a.Brand) {
			i := int(at)
			k := c.Dict[c.Kind[i]]
			if sel.passes(c.Time[i], c.Ord[i], sel.target(k)) && !r.Deleted.Has(i) {
				f(scannedRow{c.Seq(i), c.Time[i], c.Ord[i], sel.all[k], c.Points[i], id, a.Brand})
			}
		}
	}
	p := s.TailAt(sel.view.Seq)
	for i := p.Skip(in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if p.Brands[i] == a.Brand && sel.passes(r.Time, r.Ord, sel.target(r.Kind)) && !p.Deleted.Has(i) {
			f(scannedRow{r.Seq, r.Time, r.Ord, sel.all[r.Kind], r.Points, id, a.Brand})
		}
	}
}

// scanCold reads the rows of a set in a range that is within the question's from disk.
func (x *selection) scanCold(s *rows.Set, from rows.Source, in domain.Range, f func(scannedRow)) error {
	return s.Read(from, in, func(stored []domain.Row) {
		for i := range stored {
			r := &stored[i]
			if r.Time-in.From >= in.To-in.From || !x.view.Holds(r) {
				continue
			}
			k := rows.KindOf(r)
			if x.passes(r.Time, uint32(r.Ord), x.coldTarget(k)) {
				f(scannedRow{r.Seq, r.Time, uint32(r.Ord), k, r.Points, s.ID, s.Dense})
			}
		}
	})
}

// coldSets are the question's sets that are on disk, until others are asked for.
func (x *selection) coldSets(a *Ask) []*rows.Set {
	x.sets = x.sets[:0]
	x.view.Each(a.Brand, func(s *rows.Set, _ bool) {
		if s.Cold {
			x.sets = append(x.sets, s)
		}
	})
	return x.sets
}

// readWalk calls f with the rows of cold sets, part by part of a walk that has begun, as long as there is
// one; before each part it calls next.
func readWalk(x *selection, w *outline.Walk, a *Ask, next func(), f func(scannedRow)) error {
	cold := x.coldSets(a)
	for _, s := range cold {
		w.Add(&s.Outline)
	}
	defer w.End()
	for x.running() {
		next()
		part, ok := w.Next()
		if !ok {
			break
		}
		for _, s := range cold {
			if err := x.scanCold(s, a.Cold, part, f); err != nil {
				return err
			}
		}
	}
	return x.result(nil)
}

// scanAll calls f with every row of the question, in no order. It is for questions that
// few rows pass.
func (x *rowScan) scanAll(a *Ask, f func(scannedRow)) error {
	if err := x.scanLoose(a, f); err != nil {
		return err
	}
	for i := range x.spans {
		if !x.running() {
			break
		}
		x.scanSpan(a, &x.spans[i], x.owners[i], f)
	}
	return nil
}

// scanSpan calls f with the rows of a span.
func (x *rowScan) scanSpan(a *Ask, sp *span, s *rows.Set, f func(scannedRow)) {
	c, lut := sp.c, x.table(sp)
	n := x.places(sp, sp.lo, sp.hi)
	for _, p := range x.pos[:n] {
		i := sp.lo + int(p)
		k := c.Kind[i]
		if lut[k] == x.targets || x.filter != nil && bitset.Get(x.filter, c.Ord[i]) == 0 || sp.deleted.Has(i) {
			continue
		}
		m := scannedRow{c.Seq(i), c.Time[i], c.Ord[i], x.all[c.Dict[k]], c.Points[i], s.ID, s.Dense}
		if c.Brands != nil {
			m.dense = c.Brands[c.BrandOf[i]]
			m.brand = a.Label(m.dense)
		}
		f(m)
	}
}

// placesOfOne are the rows of one member. They are so few that a branch is right.
func placesOfOne(pos []uint16, ords []uint32, one uint32) (n int) {
	i := 0
	for ; i+8 <= len(ords); i += 8 {
		o := ords[i : i+8 : i+8]
		if o[0] != one && o[1] != one && o[2] != one && o[3] != one &&
			o[4] != one && o[5] != one && o[6] != one && o[7] != one {
			continue
		}
		for j, v := range o {
			pos[n] = uint16(i + j)
			n += bitset.Bit(v == one)
		}
	}
	for ; i < len(ords); i++ {
		pos[n] = uint16(i)
		n += bitset.Bit(ords[i] == one)
	}
	return n
}
