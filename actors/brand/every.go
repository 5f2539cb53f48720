package brand

import "math/bits"

// every calls f with every row of the question, in no order. It is for questions that
// few rows pass.
func (x *Scratch) every(a *Ask, f func(met)) error {
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
func (x *Scratch) everyOf(a *Ask, sp *span, s *set, f func(met)) {
	c, lut := sp.c, x.table(sp)
	n := x.places(sp, sp.lo, sp.hi)
	for _, p := range x.pos[:n] {
		i := sp.lo + int(p)
		k := c.kind[i]
		if lut[k] == x.targets || x.filter != nil && pass(x.filter, c.ord[i]) == 0 || sp.dead.has(i) {
			continue
		}
		m := met{c.seq(i), c.time[i], c.ord[i], x.view.kinds[c.dict[k]], c.points[i], s.id, s.dense}
		if c.brands != nil {
			m.dense = c.brands[c.place[i]]
			m.brand = a.Label(m.dense)
		}
		f(m)
	}
}

// sole is the only member of a bitset; n is how many it has, beyond two not counted on.
func sole(set []uint64) (ord uint32, n int) {
	for i, w := range set {
		if w == 0 {
			continue
		}
		ord = uint32(i<<6 | bits.TrailingZeros64(w))
		if n += bits.OnesCount64(w); n > 1 {
			return ord, n
		}
	}
	return ord, n
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
			n += bit(v == one)
		}
	}
	for ; i < len(ords); i++ {
		pos[n] = uint16(i)
		n += bit(ords[i] == one)
	}
	return n
}
