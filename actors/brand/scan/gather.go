package scan

import (
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
	so, st, f := x.ord, x.to, x.filter
	for _, p := range x.pos[:n] {
		o, t := ords[p], lut[kinds[p]]
		so[at], st[at] = o, t
		ok := bitset.Bit(t != x.targets)
		if f != nil {
			ok &= bitset.Get(f, o)
		}
		if sp.dead != nil {
			j := lo + int(p)
			ok &^= int(sp.dead.Bits[j>>6] >> (j & 63) & 1)
		}
		at += ok
	}
	x.truncate(at)
}

// places writes down in pos which of the span's rows [lo, hi) may pass: those that
// pass the test that is likely to leave the fewest. It returns how many.
func (x *selection) places(sp *span, lo, hi int) int {
	x.pos = sized(x.pos, rows.MaxChunk+1)
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
	return placesLiving(x.pos, lo, hi, sp.dead)
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

// placesLiving are the rows of [lo, hi) that are not dead.
func placesLiving(pos []uint16, lo, hi int, d *rows.Deletions) (n int) {
	for i := lo; i < hi; i++ {
		pos[n] = uint16(i - lo)
		n += bitset.Bit(!d.Has(i))
	}
	return n
}
