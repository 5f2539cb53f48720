package scan

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// memberSet finds the distinct members of the rows selected.
type memberSet struct {
	*selection
	*marks
	all []uint64 // members; zero between questions
}

// addRows puts the members of the rows collected into all, some that do not pass the filter
// among them.
func (x *memberSet) addRows() {
	x.all = bitset.Grown(x.all, x.words)
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		switch {
		case sp.deleted != nil:
			x.gather(sp, sp.lo, sp.hi)
		case sp.drops:
			x.addKeptMembers(sp)
		default:
			x.addSpanMembers(sp)
		}
	}
	bitset.AddAll(x.all, x.ord)
}

// addSpanMembers is addRows for a span of which every row counts.
func (x *memberSet) addSpanMembers(sp *span) {
	c := sp.c
	if sp.hi-sp.lo == c.Rows() {
		if members := c.Members(); members != nil {
			all := x.all[:len(members)]
			for i, w := range members {
				all[i] |= w
			}
			return
		}
	}
	bitset.AddAll(x.all, c.Ord[sp.lo:sp.hi])
}

// addKeptMembers is addRows for a span of which some kinds are dropped.
func (x *memberSet) addKeptMembers(sp *span) {
	lut, ords, all := x.table(sp), sp.c.Ord[sp.lo:sp.hi], x.all
	kinds := sp.c.Kind[sp.lo:sp.hi]
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		all[o>>6] |= uint64(bitset.Bit(lut[kinds[i]] != x.targets)) << (o & 63)
	}
}

// countMembers is how many members the rows collected have.
func (x *memberSet) countMembers() uint64 {
	if x.alone || x.fewerThanSet(0) {
		x.gatherAll()
		x.seen = bitset.Grown(x.seen, x.words*64)
		return x.distinct(x.ord)
	}
	x.addRows()
	return x.take(nil)
}

// fewerThanSet reports that the rows collected, and so many more, are looked at faster than
// a set of all members is gone through.
func (x *memberSet) fewerThanSet(more int) bool {
	return len(x.ord)+more+x.spanned() < x.words/8
}

// takeInto puts the members of the rows collected into the set.
func (x *memberSet) takeInto(set []uint64) {
	x.addRows()
	x.take(set)
}

// take counts the members met that pass the filter, adds them to the set, if there is
// one, and clears all.
func (x *memberSet) take(set []uint64) (n uint64) {
	all, f := x.all[:x.words], x.filter
	if set == nil && f != nil {
		f = f[:len(all)]
		for i, w := range all {
			n += uint64(bits.OnesCount64(w & f[i]))
			all[i] = 0
		}
		return n
	}
	for i, w := range all {
		if f != nil {
			w &= f[i]
		}
		if set != nil {
			set[i] |= w
		}
		n += uint64(bits.OnesCount64(w))
		all[i] = 0
	}
	return n
}

// addTailMembers puts the members of a tail's rows into all.
func (x *memberSet) addTailMembers(p rows.Tail) {
	sel := x.selection
	in, all := sel.plan.span, x.all
	if sel.whole(p) {
		for i := range p.Rows {
			o := p.Rows[i].Ord
			all[o>>6] |= 1 << (o & 63)
		}
		return
	}
	for i := p.Skip(in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(sel.target(r.Kind) != sel.targets)
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		all[r.Ord>>6] |= uint64(ok) << (r.Ord & 63)
	}
}

// marks tell by ordinal in which count a member was met last: a new generation forgets all.
type marks struct {
	seen []uint32
	gen  uint32
}

// distinct counts the different ordinals.
func (x *marks) distinct(ords []uint32) uint64 {
	x.nextGeneration()
	return x.countNew(ords)
}

// nextGeneration invalidates all marks.
func (x *marks) nextGeneration() {
	if x.gen++; x.gen == 0 {
		clear(x.seen)
		x.gen = 1
	}
}

// countNew counts the ordinals not met in this generation, and marks them.
func (x *marks) countNew(ords []uint32) (n uint64) {
	seen, gen := x.seen, x.gen
	for _, o := range ords {
		n += uint64(bitset.Bit(seen[o] != gen))
		seen[o] = gen
	}
	return n
}
