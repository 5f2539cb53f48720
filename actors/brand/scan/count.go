package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// countRows counts the question's rows, whoever did them: where all of a chunk or of a
// tail belong to it, they are not looked at.
func (x *feedWalk) countRows(a *Ask) (n uint64, err error) {
	if err := x.collectSets(a, func(p rows.Tail) { n += x.countTail(p) }); err != nil {
		return 0, err
	}
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		n += x.countSpan(&x.spans[i])
	}
	return n + uint64(len(x.ord)), nil
}

// countSpan counts the rows of a span, or makes them loose ones.
func (x *feedWalk) countSpan(sp *span) (n uint64) {
	size := sp.hi - sp.lo
	switch {
	case x.filter != nil || sp.dead != nil && sp.drops:
		x.gather(sp, sp.lo, sp.hi)
		return 0
	case !sp.drops:
		return uint64(size - sp.dead.CountIn(sp.lo, sp.hi))
	case size == sp.c.Rows():
		return uint64(sp.kept)
	}
	lut := x.table(sp)
	for _, k := range sp.c.Kind[sp.lo:sp.hi] {
		n += uint64(bitset.Bit(lut[k] != x.targets))
	}
	return n
}

// countTail counts the passing rows of a tail.
func (x *feedWalk) countTail(p rows.Tail) (n uint64) {
	in, size := x.plan.span, len(p.Rows)
	if x.filter == nil && x.whole(p) {
		return uint64(size)
	}
	for i := p.Skip(in.From); i < size; i++ {
		r := &p.Rows[i]
		ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(x.target(r.Kind) != x.targets)
		if x.filter != nil {
			ok &= bitset.Get(x.filter, r.Ord)
		}
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		n += uint64(ok)
	}
	return n
}
