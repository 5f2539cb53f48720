package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// gather appends the living, passing rows [lo, hi) of a span's chunk to the loose
// ones; their day is not filled in. The places of the rows that pass one test are
// written down first, without a branch and without touching other columns; what is
// left is tested on those.
func (x *selection) gather(sp *span, lo, hi int) {
	ords, kinds := sp.c.Ord[lo:hi], sp.c.Kind[lo:hi]
	lut := x.table(sp)
	n := x.places(sp, lo, hi)
	at := x.grow(n)
	so, st, f, targets := x.ord, x.to, x.filter, x.targets
	for _, p := range x.pos[:n] {
		o, t := ords[p], lut[kinds[p]]
		so[at], st[at] = o, t
		ok := bitset.Bit(t != targets)
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

// places writes down in pos which of the span's rows [lo, hi) may pass: those that
// pass the test that is likely to leave the fewest. It returns how many.
func (x *selection) places(sp *span, lo, hi int) int {
	x.pos = bitset.Sized(x.pos, rows.MaxChunk+1)
	switch {
	case x.alone:
		return placesOfOne(x.pos, sp.c.Ord[lo:hi], x.one)
	case sp.kept*4 < sp.c.Rows():
		return placesOfKinds(x.pos, sp.c.Kind[lo:hi], x.table(sp), x.targets)
	case len(x.flat) > 0:
		return placesFlat(x.pos, sp.c.Ord[lo:hi], x.flat)
	case x.filter != nil:
		return placesIn(x.pos, sp.c.Ord[lo:hi], x.filter)
	}
	return placesLiving(x.pos, lo, hi, sp.deleted)
}

// placesOfKinds are the rows of kinds that are not dropped.
func placesOfKinds(pos []uint16, kinds []uint16, lut []uint32, drop uint32) (n int) {
	for i, k := range kinds {
		pos[n] = uint16(i)
		n += bitset.Bit(lut[k] != drop)
	}
	return n
}

// placesIn are the rows of members in the filter.
func placesIn(pos []uint16, ords []uint32, f []uint64) (n int) {
	for i, o := range ords {
		pos[n] = uint16(i)
		n += bitset.Bit(f[o>>6]&(1<<(o&63)) != 0)
	}
	return n
}

// placesFlat is placesIn, a byte a member.
func placesFlat(pos []uint16, ords []uint32, flat []uint8) (n int) {
	for i, o := range ords {
		pos[n] = uint16(i)
		n += int(flat[o])
	}
	return n
}

// placesLiving are the rows of [lo, hi) that are not deleted.
func placesLiving(pos []uint16, lo, hi int, d *rows.Deletions) (n int) {
	for i := lo; i < hi; i++ {
		pos[n] = uint16(i - lo)
		n += bitset.Bit(!d.Has(i))
	}
	return n
}

// settle gathers the spans that a loop over the columns cannot count: under a
// filter, with deleted rows, with most rows dropped, with very many kinds. It returns
// how many rows there are, those included that a span drops.
func (x *selection) settle() (n int) {
	x.flatten(x.spanned())
	direct := x.spans[:0]
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := x.spans[i]
		if x.filter != nil || sp.deleted != nil || len(sp.c.Dict) > 256 || sp.kept*4 < sp.c.Rows() {
			x.gather(&sp, sp.lo, sp.hi)
			continue
		}
		n += sp.hi - sp.lo
		direct = append(direct, sp)
	}
	x.spans = direct
	return n + len(x.ord)
}

// gatherAll gathers what spans are left.
func (x *selection) gatherAll() {
	for i := range x.spans {
		if !x.running() {
			break
		}
		x.gather(&x.spans[i], x.spans[i].lo, x.spans[i].hi)
	}
	x.spans = x.spans[:0]
}

// eachDay visits the question's rows by day: it calls rows with stretches
// of spans, loose with pairs of ordinal and target, and end when it has given a day's
// rows.
func (x *selection) eachDay(columns func(sp *span, lo, hi int), loose func(pairs []uint32), end func(day, days int)) {
	x.flatten(x.spanned())
	_, days := x.plan.span.Days()
	x.orderByDay(days)
	slices.SortFunc(x.spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	spans, from := x.spans, uint32(0)
	for day := range days {
		midnight := uint64(x.first+uint32(day)+1) * 86400
		for i := range spans {
			sp := &spans[i]
			if uint64(sp.first) >= midnight {
				break
			}
			if !x.running() {
				return
			}
			if lo, hi := sp.lo, sp.before(midnight); lo < hi {
				sp.lo = hi
				columns(sp, lo, hi)
			}
		}
		for len(spans) > 0 && spans[0].lo == spans[0].hi {
			spans = spans[1:]
		}
		if at := x.at[day]; from < at {
			loose(x.grouped[2*from : 2*at])
			from = at
		}
		end(day, days)
	}
}

// orderByDay puts the loose rows into grouped, ordinal and service one after the
// other, by day; at tells where each day ends.
func (x *selection) orderByDay(days int) {
	x.at = bitset.Sized(x.at, days)
	clear(x.at)
	for _, d := range x.day {
		x.at[d]++
	}
	sum := uint32(0)
	for d, n := range x.at {
		x.at[d], sum = sum, sum+n
	}
	x.grouped = bitset.Sized(x.grouped, 2*int(sum))
	for i, d := range x.day {
		p := 2 * x.at[d]
		x.grouped[p], x.grouped[p+1] = x.ord[i], x.to[i]
		x.at[d]++
	}
	x.truncate(0)
}
