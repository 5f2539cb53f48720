package scan

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// tally counts rows and distinct members by group.
type tally struct {
	*selection
	*marks
	bits    []uint64 // dense counting: members by target; zero between questions
	all     []uint64 // members; zero between questions
	mask    []uint64 // sparse counting, by ordinal: targets met; zero between questions
	touched []uint32
	counts  []domain.Count
}

// answer counts actions and distinct members by group and in all, over the
// question's range. The error is ErrCold, or that of the Source.
func (x *tally) answer(v *rows.View, a *Ask) (*domain.Tally, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	return x.groupCounts(), nil
}

// groupCounts counts the rows collected by group.
func (x *tally) groupCounts() *domain.Tally {
	t := &domain.Tally{}
	t.Total.Members = x.countAll()
	groups := 0
	for _, c := range x.counts[:x.targets] {
		groups += bitset.Bit(c.Actions > 0)
	}
	if groups == 0 {
		return t
	}
	t.Groups = make([]domain.GroupCount, 0, groups)
	for g, c := range x.counts[:x.targets] {
		if c.Actions > 0 {
			t.Groups = append(t.Groups, domain.GroupCount{Group: x.labels[g], Count: c})
			t.Total.Actions += c.Actions
		}
	}
	return t
}

// countAll counts the rows collected into counts, by target, and returns the
// distinct members.
func (x *tally) countAll() (members uint64) {
	x.counts = bitset.Sized(x.counts, int(x.targets)+1)
	clear(x.counts)
	switch n := x.settle(); {
	case n == 0:
		return 0
	case x.targets > 64:
		return x.byGroup()
	case n < x.denseFrom():
		x.gatherAll()
		return x.sparse()
	}
	return x.dense()
}

// denseFrom is the number of rows from which bitsets are cheaper than masks: they
// cost their own size once more.
func (x *tally) denseFrom() int { return (int(x.targets) + 1) * x.words / 3 }

// sparse counts loose rows of at most 64 targets and returns the distinct members.
func (x *tally) sparse() uint64 {
	x.mask = bitset.Grown(x.mask, x.words*64)
	counts, mask, touched := x.counts, x.mask, x.touched[:0]
	to := x.to[:len(x.ord)]
	for i, o := range x.ord {
		c := &counts[to[i]]
		c.Actions++
		m, b := mask[o], uint64(1)<<(to[i]&63)
		if m&b == 0 {
			c.Members++
			if m == 0 {
				touched = append(touched, o)
			}
			mask[o] = m | b
		}
	}
	for _, o := range touched {
		mask[o] = 0
	}
	x.touched = touched
	return uint64(len(touched))
}

// dense counts spans and loose rows of at most 64 targets by a bitset each and
// returns the distinct members. The rows that spans drop have a bitset too, which
// that is not read.
func (x *tally) dense() uint64 {
	w := x.words
	x.bits = bitset.Grown(x.bits, (int(x.targets)+1)*w)
	for i := range x.spans {
		if !x.running() {
			break
		}
		x.denseSpan(&x.spans[i])
	}
	b, counts := x.bits, x.counts
	for lo := 0; lo < len(x.ord) && x.running(); lo += stretch {
		ord := x.ord[lo:min(lo+stretch, len(x.ord))]
		to := x.to[lo:][:len(ord)]
		for i, o := range ord {
			t := to[i]
			counts[t].Actions++
			b[int(t)*w+int(o>>6)] |= 1 << (o & 63)
		}
	}
	return x.count()
}

// denseSpan counts a span by bitsets. The actions of a whole chunk are known by
// kind already.
func (x *tally) denseSpan(sp *span) {
	var base, byKind [256]uint32
	lut := x.table(sp)
	for k, t := range lut {
		base[k] = t * uint32(x.words)
	}
	ords, kinds := sp.c.Ord[sp.lo:sp.hi], sp.c.Kind[sp.lo:sp.hi]
	kinds = kinds[:len(ords)]
	b, count := x.bits, sp.c.Count
	if len(ords) == sp.c.Rows() {
		for i, o := range ords {
			b[base[kinds[i]&255]+o>>6] |= 1 << (o & 63)
		}
	} else {
		for i, o := range ords {
			k := kinds[i] & 255
			byKind[k]++
			b[base[k]+o>>6] |= 1 << (o & 63)
		}
		count = byKind[:len(lut)]
	}
	for k, n := range count {
		x.counts[lut[k]].Actions += uint64(n)
	}
}

// count counts the bitsets and clears them; it returns the members in any.
func (x *tally) count() (members uint64) {
	w := x.words
	x.all = bitset.Grown(x.all, w)
	all := x.all[:w]
	for t := range int(x.targets) {
		d, n := x.bits[t*w:(t+1)*w], 0
		if x.counts[t].Actions == 0 {
			continue
		}
		d = d[:len(all)]
		for i, v := range d {
			n += bits.OnesCount64(v)
			all[i] |= v
		}
		x.counts[t].Members = uint64(n)
		clear(d)
	}
	clear(x.bits[int(x.targets)*w : int(x.targets+1)*w])
	for _, v := range all {
		members += uint64(bits.OnesCount64(v))
	}
	clear(all)
	return members
}

// byGroup counts rows of very many groups: they are put in group order first, then
// each group is counted with a generation of its own. It returns the distinct
// members.
func (x *tally) byGroup() (members uint64) {
	x.at = bitset.Sized(x.at, int(x.targets)+1)
	x.countGroups()
	if x.fillGroups(); x.cancelled {
		return 0
	}
	x.seen = bitset.Grown(x.seen, x.words*64)
	dropped := x.at[x.targets-1] // where the last group that counts ends
	members = x.distinct(x.grouped[:dropped])
	from := uint32(0)
	for g, end := range x.at[:x.targets] {
		if n := end - from; n > 0 {
			x.counts[g].Actions = uint64(n)
			x.counts[g].Members = x.distinct(x.grouped[from:end])
		}
		from = end
	}
	return members
}

// countGroups sets at to where each group starts.
func (x *tally) countGroups() {
	at := x.at
	clear(at)
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		lut := x.table(sp)
		for _, k := range sp.c.Kind[sp.lo:sp.hi] {
			at[lut[k]]++
		}
	}
	for _, t := range x.to {
		at[t]++
	}
	sum := uint32(0)
	for g, n := range at {
		at[g], sum = sum, sum+n
	}
	x.grouped = bitset.Sized(x.grouped, int(sum))
}

// fillGroups puts the ordinals in group order; at becomes where each group ends.
func (x *tally) fillGroups() {
	at, grouped := x.at, x.grouped
	put := func(t, o uint32) {
		grouped[at[t]] = o
		at[t]++
	}
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		lut := x.table(sp)
		ords := sp.c.Ord[sp.lo:sp.hi]
		for j, k := range sp.c.Kind[sp.lo:sp.hi] {
			put(lut[k], ords[j])
		}
	}
	for i, t := range x.to {
		put(t, x.ord[i])
	}
}

// atLeast is the set of the members that have at least so many rows of the question,
// of whatever groups; in dst's memory where that is large enough. The error is
// ErrCold, or that of the Source.
func (x *tally) atLeast(v *rows.View, dst []uint64, a *Ask, minActions uint32) ([]uint64, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	dst = bitset.Sized(dst, x.words)
	clear(dst)
	countMember := func(o uint32) { dst[o>>6] |= 1 << (o & 63) }
	if minActions > 1 {
		x.mask = bitset.Grown(x.mask, x.words*64) // counts by ordinal, here
		mask := x.mask
		defer clear(mask[:x.words*64])
		countMember = func(o uint32) {
			if mask[o]++; mask[o] == uint64(minActions) {
				dst[o>>6] |= 1 << (o & 63)
			}
		}
	}
	x.settle()
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		lut, ords := x.table(sp), sp.c.Ord[sp.lo:sp.hi]
		for j, k := range sp.c.Kind[sp.lo:sp.hi] {
			if lut[k] != x.targets {
				countMember(ords[j])
			}
		}
	}
	for _, o := range x.ord {
		countMember(o)
	}
	return dst, x.result(nil)
}
