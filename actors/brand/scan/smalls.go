package scan

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// ofRest counts the members of each small brand: those that some chunk of the rest, or
// its tail, has a passing row of.
func (x *crossover) ofRest(s *rows.Set, a *Ask, union []uint64, out *domain.Crossover) {
	count := func(dense uint32, n uint64) {
		if n > 0 && dense != a.Brand && a.Brands.listed(dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: a.Brands.ID(dense), Members: n})
		}
	}
	x.again()
	for _, r := range s.Runs {
		x.span(r)
	}
	x.tailBrands(s.TailAt(x.view.Seq))
	if x.mostPass() {
		x.brandByBrand(union, count)
		return
	}
	x.flatten(x.spanned())
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		x.gatherBrands(&x.spans[i])
	}
	bitset.AddAll(union, x.ord)
	if brands := x.looseBrands(); len(x.ord) < brands/8 {
		x.sortedBrands(count)
	} else {
		x.groupedBrands(brands, count)
	}
}

// tailBrands appends the passing rows of the rest's tail to the loose ones, their brands
// for targets.
func (x *crossover) tailBrands(p rows.Tail) {
	for i := p.Skip(x.plan.span.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if x.passes(r.Time, r.Ord, x.target(r.Kind)) && !p.Deleted.Has(i) {
			n := x.room(1)
			x.ord[n], x.to[n] = r.Ord, p.Brands[i]
			x.keep(n + 1)
		}
	}
}

// gatherBrands appends the passing rows of a span of the rest to the loose ones,
// their brands for targets.
func (x *crossover) gatherBrands(sp *span) {
	c, lo, hi := sp.c, sp.lo, sp.hi
	ords, kinds, of := c.Ord[lo:hi], c.Kind[lo:hi], c.BrandOf[lo:hi]
	lut, f := x.table(sp), x.filter
	n := x.places(sp, lo, hi)
	at := x.room(n)
	so, st := x.ord, x.to
	for _, p := range x.pos[:n] {
		o := ords[p]
		so[at], st[at] = o, c.Brands[of[p]]
		ok := bitset.Bit(lut[kinds[p]] != x.targets)
		if f != nil {
			ok &= bitset.Get(f, o)
		}
		if sp.dead != nil {
			j := lo + int(p)
			ok &^= int(sp.dead.Bits[j>>6] >> (j & 63) & 1)
		}
		at += ok
	}
	x.keep(at)
}

// groupedBrands puts the loose rows in order of their brands by counting.
func (x *crossover) groupedBrands(brands int, count func(dense uint32, n uint64)) {
	x.at = sized(x.at, brands)
	clear(x.at)
	x.startBrands()
	x.fillBrands()
	from := uint32(0)
	for b, end := range x.at {
		if end > from {
			count(uint32(b), x.distinct(x.grouped[from:end]))
		}
		from = end
	}
}

// looseBrands is above every brand of the loose rows.
func (x *crossover) looseBrands() (brands int) {
	for _, b := range x.to {
		brands = max(brands, int(b)+1)
	}
	return brands
}

// startBrands sets at, which tells how many rows each brand has beside the loose ones,
// to where each starts in grouped.
func (x *crossover) startBrands() {
	at := x.at
	for _, b := range x.to {
		at[b]++
	}
	sum := uint32(0)
	for b, n := range at {
		at[b], sum = sum, sum+n
	}
	x.grouped = sized(x.grouped, int(sum))
}

// fillBrands puts the loose rows where their brands are; at becomes where each ends.
func (x *crossover) fillBrands() {
	at, grouped := x.at, x.grouped
	for i, b := range x.to {
		grouped[at[b]] = x.ord[i]
		at[b]++
	}
}

// sortedBrands does the same by sorting: rows are few beside brands.
func (x *crossover) sortedBrands(count func(dense uint32, n uint64)) {
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
		count(b, uint64(n))
		pairs = pairs[n:]
	}
}
