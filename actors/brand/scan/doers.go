package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// atLeast is the bitset of the members who have at least so many rows of the question,
// of whatever groups; in dst's memory where that is large enough. The error is
// ErrCold, or that of the Source.
func (x *tally) atLeast(v *rows.View, dst []uint64, a *Ask, least uint32) ([]uint64, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	dst = sized(dst, x.words)
	clear(dst)
	did := func(o uint32) { dst[o>>6] |= 1 << (o & 63) }
	if least > 1 {
		x.mask = grown(x.mask, x.words*64) // counts by ordinal, here
		mask := x.mask
		defer clear(mask[:x.words*64])
		did = func(o uint32) {
			if mask[o]++; mask[o] == uint64(least) {
				dst[o>>6] |= 1 << (o & 63)
			}
		}
	}
	x.settle()
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		sp := &x.spans[i]
		lut, ords := x.table(sp), sp.c.Ord[sp.lo:sp.hi]
		for j, k := range sp.c.Kind[sp.lo:sp.hi] {
			if lut[k] != x.targets {
				did(ords[j])
			}
		}
	}
	for _, o := range x.ord {
		did(o)
	}
	return dst, x.fate(nil)
}
