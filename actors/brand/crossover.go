package brand

import (
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Crossover counts, for every other brand that the directory lists, the members
// with an action both for it and for the brand asked about; of EveryBrand the
// members of each brand. The error is ErrCold, or that of the Source.
func (v *View) Crossover(x *Scratch, a *Ask) (*domain.Crossover, error) {
	defer x.end()
	out := &domain.Crossover{}
	if !x.open(v, a, false) {
		return out, nil
	}
	x.seen = grown(x.seen, x.words*64)
	x.wanted = sized(x.wanted, x.words)
	clear(x.wanted)
	union := x.wanted // of EveryBrand: who is met is noted
	if a.Brand != EveryBrand {
		if err := x.collect(a); err != nil {
			return nil, err
		}
		x.everyone(union)
		x.filter, union = x.wanted, nil
		if out.Members = members(x.wanted); out.Members == 0 {
			return out, nil
		}
	}
	for i := range uint32(v.own) {
		s := v.sets.get(i)
		switch {
		case s.dense == Visits || s.dense == a.Brand:
			continue
		case union == nil && !a.Brands.listed(s.dense):
			continue
		}
		n, err := x.ofSet(s, a, union)
		if err != nil {
			return nil, err
		}
		if n > 0 && a.Brands.listed(s.dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: s.id, Members: n})
		}
	}
	x.ofRest(v.rest, a, union, out)
	if union != nil {
		out.Members = members(union)
	}
	return out, nil
}

// members is how many are in a bitset.
func members(set []uint64) (n uint64) {
	for _, w := range set {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// note puts ordinals into a set, if there is one.
func note(set []uint64, ords []uint32) {
	if set == nil {
		return
	}
	for _, o := range ords {
		set[o>>6] |= 1 << (o & 63)
	}
}

// everyone puts the members of the rows collected into the set.
func (x *Scratch) everyone(set []uint64) {
	x.gatherAll()
	note(set, x.ord)
}

// ofSet counts the members of a brand with columns of its own.
func (x *Scratch) ofSet(s *set, a *Ask, union []uint64) (n uint64, err error) {
	x.again()
	if s.cold {
		err = x.stream(s, a.Cold)
	} else {
		for _, r := range s.runs {
			x.span(r)
		}
		x.tail(s.upto(x.view.Seq))
	}
	x.nobody()
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		sp := &x.spans[i]
		if x.filter != nil || sp.dead != nil || sp.drops {
			x.gather(sp, sp.lo, sp.hi)
			continue
		}
		ords := sp.c.ord[sp.lo:sp.hi]
		n += x.unseen(ords)
		note(union, ords)
	}
	note(union, x.ord)
	return n + x.unseen(x.ord), x.fate(err)
}

// ofRest counts the members of each small brand: the rest's passing rows, grouped by
// brand.
func (x *Scratch) ofRest(s *set, a *Ask, union []uint64, out *domain.Crossover) {
	x.again()
	for _, r := range s.runs {
		x.span(r)
	}
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		x.gatherBrands(&x.spans[i])
	}
	p := s.upto(x.view.Seq)
	for i := p.since(x.plan.span.From); i < len(p.rows); i++ {
		r := &p.rows[i]
		if x.passes(r.time, r.ord, x.target(r.kind)) && !p.dead.has(i) {
			n := x.room(1)
			x.ord[n], x.to[n] = r.ord, p.brand[i]
			x.keep(n + 1)
		}
	}
	note(union, x.ord)
	brands := uint32(0)
	for _, b := range x.to {
		brands = max(brands, b+1)
	}
	count := func(dense uint32, n uint64) {
		out.Brands = append(out.Brands, domain.BrandMembers{Brand: a.Brands.ID(dense), Members: n})
	}
	if len(x.ord) < int(brands)/8 {
		x.sortedBrands(a, count)
		return
	}
	x.groupedBrands(int(brands), a, count)
}

// gatherBrands appends the passing rows of a span of the rest to the loose ones,
// their brands for targets.
func (x *Scratch) gatherBrands(sp *span) {
	c, lo, hi := sp.c, sp.lo, sp.hi
	ords, kinds, of := c.ord[lo:hi], c.kind[lo:hi], c.place[lo:hi]
	lut, f := x.table(sp), x.filter
	n := x.places(sp, lo, hi)
	at := x.room(n)
	so, st := x.ord, x.to
	for _, p := range x.pos[:n] {
		o := ords[p]
		so[at], st[at] = o, c.brands[of[p]]
		ok := bit(lut[kinds[p]] != x.targets)
		if f != nil {
			ok &= pass(f, o)
		}
		if sp.dead != nil {
			j := lo + int(p)
			ok &^= int(sp.dead.bits[j>>6] >> (j & 63) & 1)
		}
		at += ok
	}
	x.keep(at)
}

// groupedBrands puts the loose rows in order of their brands by counting.
func (x *Scratch) groupedBrands(brands int, a *Ask, count func(dense uint32, n uint64)) {
	x.at = sized(x.at, brands)
	at := x.at
	clear(at)
	for _, b := range x.to {
		at[b]++
	}
	sum := uint32(0)
	for b, n := range at {
		at[b], sum = sum, sum+n
	}
	x.grouped = sized(x.grouped, int(sum))
	for i, b := range x.to {
		x.grouped[at[b]] = x.ord[i]
		at[b]++
	}
	from := uint32(0)
	for b, end := range at {
		if end > from && a.Brands.listed(uint32(b)) && uint32(b) != a.Brand {
			count(uint32(b), x.distinct(x.grouped[from:end]))
		}
		from = end
	}
}

// sortedBrands does the same by sorting: rows are few beside brands.
func (x *Scratch) sortedBrands(a *Ask, count func(dense uint32, n uint64)) {
	x.pairs = x.pairs[:0]
	for i, b := range x.to {
		x.pairs = append(x.pairs, uint64(b)<<32|uint64(x.ord[i]))
	}
	slices.Sort(x.pairs)
	pairs := slices.Compact(x.pairs)
	for len(pairs) > 0 {
		b, n := uint32(pairs[0]>>32), 1
		for n < len(pairs) && uint32(pairs[n]>>32) == b {
			n++
		}
		if a.Brands.listed(b) && b != a.Brand {
			count(b, uint64(n))
		}
		pairs = pairs[n:]
	}
}
