package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// every calls f with every row of the question, in no order. It is for questions that
// few rows pass.
func (x *visitor) every(a *Ask, f func(met)) error {
	if err := x.visit(a, f); err != nil {
		return err
	}
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		x.everyOf(a, &x.spans[i], x.owners[i], f)
	}
	return nil
}

// everyOf calls f with the rows of a span.
func (x *visitor) everyOf(a *Ask, sp *span, s *rows.Set, f func(met)) {
	c, lut := sp.c, x.table(sp)
	n := x.places(sp, sp.lo, sp.hi)
	for _, p := range x.pos[:n] {
		i := sp.lo + int(p)
		k := c.Kind[i]
		if lut[k] == x.targets || x.filter != nil && bitset.Get(x.filter, c.Ord[i]) == 0 || sp.dead.Has(i) {
			continue
		}
		m := met{c.Seq(i), c.Time[i], c.Ord[i], x.view.Kinds[c.Dict[k]], c.Points[i], s.ID, s.Dense}
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
		if o[0] != one && o[1] != one && o[2] != one && o[3] != one && o[4] != one && o[5] != one && o[6] != one && o[7] != one {
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
