package scan

import "github.com/ovation-analytics/ovation/actors/brand/bitset"

// meet puts the members of the rows collected into all, some who do not pass the filter
// among them.
func (x *Scratch) meet() {
	x.all = grown(x.all, x.words)
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		sp := &x.spans[i]
		switch {
		case sp.dead != nil:
			x.gather(sp, sp.lo, sp.hi)
		case sp.drops:
			x.meetKept(sp)
		default:
			x.meetSpan(sp)
		}
	}
	bitset.AddAll(x.all, x.ord)
}

// meetSpan is meet for a span of which every row counts.
func (x *Scratch) meetSpan(sp *span) {
	c := sp.c
	if sp.hi-sp.lo == c.Rows() {
		if who := c.Members(); who != nil {
			all := x.all[:len(who)]
			for i, w := range who {
				all[i] |= w
			}
			return
		}
	}
	bitset.AddAll(x.all, c.Ord[sp.lo:sp.hi])
}

// meetKept is meet for a span of which some kinds are dropped.
func (x *Scratch) meetKept(sp *span) {
	lut, ords, all := x.table(sp), sp.c.Ord[sp.lo:sp.hi], x.all
	kinds := sp.c.Kind[sp.lo:sp.hi]
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		all[o>>6] |= uint64(bitset.Bit(lut[kinds[i]] != x.targets)) << (o & 63)
	}
}

// countMembers is how many members the rows collected have.
func (x *Scratch) countMembers() uint64 {
	if x.alone || x.fewerThanSet(0) {
		x.gatherAll()
		x.seen = grown(x.seen, x.words*64)
		return x.distinct(x.ord)
	}
	x.meet()
	return x.part(nil)
}

// fewerThanSet reports that the rows collected, and so many more, are looked at faster than
// a set of all members is gone through.
func (x *Scratch) fewerThanSet(more int) bool {
	return len(x.ord)+more+x.spanned() < x.words/8
}
