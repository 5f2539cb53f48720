package scan

import (
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// countPool counts the members of each small brand: those that some chunk of the pool, or
// its tail, has a passing row of.
func (x *crossover) countPool(s *rows.Set, a *Ask, union []uint64, out *domain.Crossover) {
	count := func(dense uint32, n uint64) {
		if n > 0 && dense != a.Brand && a.Brands.listed(dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: a.Brands.ID(dense), Members: n})
		}
	}
	x.reset()
	for _, r := range s.Runs {
		x.addSpan(r)
	}
	x.tailBrands(s.TailAt(x.view.Seq))
	if x.mostPass() {
		x.brandByBrand(union, count)
		return
	}
	x.flatten(x.spanned())
	for i := range x.spans {
		if !x.running() {
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

// tailBrands appends the passing rows of the pool's tail to the loose ones, their brands
// for targets.
func (x *crossover) tailBrands(p rows.Tail) {
	for i := p.Skip(x.plan.span.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if x.passes(r.Time, r.Ord, x.target(r.Kind)) && !p.Deleted.Has(i) {
			n := x.grow(1)
			x.ord[n], x.to[n] = r.Ord, p.Brands[i]
			x.truncate(n + 1)
		}
	}
}

// gatherBrands appends the passing rows of a span of the pool to the loose ones,
// their brands for targets.
func (x *crossover) gatherBrands(sp *span) {
	c, lo, hi := sp.c, sp.lo, sp.hi
	ords, kinds, of := c.Ord[lo:hi], c.Kind[lo:hi], c.BrandOf[lo:hi]
	lut, f := x.table(sp), x.filter
	n := x.places(sp, lo, hi)
	at := x.grow(n)
	so, st := x.ord, x.to
	for _, p := range x.pos[:n] {
		o := ords[p]
		so[at], st[at] = o, c.Brands[of[p]]
		ok := bitset.Bit(lut[kinds[p]] != x.targets)
		if f != nil {
			ok &= bitset.Get(f, o)
		}
		if sp.deleted != nil {
			j := lo + int(p)
			ok &^= int(sp.deleted.Bits[j>>6] >> (j & 63) & 1)
		}
		at += ok
	}
	x.truncate(at)
}

// groupedBrands puts the loose rows in order of their brands by counting.
func (x *crossover) groupedBrands(brands int, count func(dense uint32, n uint64)) {
	x.at = bitset.Sized(x.at, brands)
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
	x.grouped = bitset.Sized(x.grouped, int(sum))
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

// mostPassFrom says when the pool is read brand by brand rather than its passing rows
// gathered and put in order: when one in so many rows of its chunks may pass. To put a
// row in order takes longer than to pass over it.
const mostPassFrom = 4

// mostPass reports that so many of the rows of the spans' chunks may pass.
func (x *crossover) mostPass() bool {
	all := 0
	for i := range x.spans {
		all += x.spans[i].c.Rows()
	}
	return all > 0 && x.passing(x.spanned())*mostPassFrom >= all
}

// excludedMark marks members that do not pass: no generation is after it.
const excludedMark = math.MaxUint32

// brandByBrand counts the members of each brand of the spans and of the loose rows, all
// rows of the spans' chunks being put in the order of their brands: how many each has of
// them is known.
func (x *crossover) brandByBrand(union []uint64, count func(dense uint32, n uint64)) {
	brands := x.looseBrands()
	for i := range x.spans {
		of := x.spans[i].c.Brands
		brands = max(brands, int(of[len(of)-1])+1)
	}
	x.at = bitset.Sized(x.at, brands)
	at := x.at
	clear(at)
	for i := range x.spans {
		c := x.spans[i].c
		for j, b := range c.Brands {
			at[b] += c.Starts[j+1] - c.Starts[j]
		}
	}
	x.excludeFiltered()
	x.startBrands()
	for i := range x.spans {
		if !x.running() {
			break
		}
		x.spreadBrands(&x.spans[i])
	}
	x.fillBrands()
	from := uint32(0)
	for b, end := range at {
		if from < end && !x.cancelled {
			x.gen++
			count(uint32(b), x.countAllowed(x.grouped[from:end]))
		}
		from = end
	}
	x.clearMarks(union)
}

// spreadBrands puts the ordinals of a chunk's rows where their brands are; for a row that
// does not count, an ordinal beyond all. The rows are taken in the order of the brands, so that
// what is written is near what was written before.
func (x *crossover) spreadBrands(sp *span) {
	c, at, grouped, ords := sp.c, x.at, x.grouped, sp.c.Ord
	out, nobody := x.excludedRows(sp), uint32(x.words*64)
	from := c.Starts[0]
	for j, b := range c.Brands {
		end := c.Starts[j+1]
		places := c.ByBrand[from:end]
		to := grouped[at[b]:][:len(places)]
		at[b] += end - from
		from = end
		if out == nil {
			for i, p := range places {
				to[i] = ords[p]
			}
			continue
		}
		for i, p := range places {
			to[i] = max(ords[p], nobody*uint32(out[p>>6]>>(p&63)&1))
		}
	}
}

// excludedRows are bits of the rows of a span's chunk that do not count; nil: all do.
func (x *crossover) excludedRows(sp *span) []uint64 {
	size := sp.c.Rows()
	if sp.deleted == nil && !sp.drops && sp.hi-sp.lo == size {
		return nil
	}
	x.excluded = bitset.Sized(x.excluded, rows.MaxChunk/64)
	lut := x.table(sp)
	for lo := 0; lo < size; lo += 64 {
		hi, out := min(lo+64, size), uint64(0)
		if sp.deleted != nil {
			out = sp.deleted.Bits[lo>>6]
		}
		if lo < sp.lo || hi > sp.hi {
			for i := lo; i < hi; i++ {
				out |= uint64(bitset.Bit(i < sp.lo)|bitset.Bit(i >= sp.hi)) << (i & 63)
			}
		}
		if sp.drops {
			for i, k := range sp.c.Kind[lo:hi] {
				out |= uint64(bitset.Bit(lut[k] == x.targets)) << i
			}
		}
		x.excluded[lo>>6] = out
	}
	return x.excluded
}

// countAllowed counts the ordinals that are neither excluded nor counted yet in this generation, and
// marks them.
func (x *crossover) countAllowed(ords []uint32) (n uint64) {
	seen, gen := x.seen, x.gen
	for _, o := range ords {
		was := seen[o]
		n += uint64(bitset.Bit(was < gen))
		seen[o] = max(was, gen)
	}
	return n
}

// excludeFiltered begins with generation 0, and excludes members that do not pass the filter.
func (x *crossover) excludeFiltered() {
	x.gen, x.seen = 0, bitset.Grown(x.seen, x.words*64+1)
	seen := x.seen[:x.words*64]
	if x.filter == nil {
		clear(seen)
	} else {
		for i, w := range x.filter[:x.words] {
			for j := range seen[i*64:][:64] {
				seen[i*64+j] = uint32(w>>j&1) - 1
			}
		}
	}
	x.seen[len(seen)] = excludedMark
}

// clearMarks forgets the marks; the members met are added to the union, if there is one.
func (x *crossover) clearMarks(union []uint64) {
	for i := range union {
		w := uint64(0)
		for j, gen := range x.seen[i*64:][:64] {
			w |= uint64(bitset.Bit(gen-1 < excludedMark-1)) << j
		}
		union[i] |= w
	}
	clear(x.seen)
	x.gen = 0
}
