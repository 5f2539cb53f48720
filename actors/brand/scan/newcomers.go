package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// newcomers counts members without a row before the range.
type newcomers struct {
	*tally
	wanted []uint64
}

// answer is a tally that also tells how many of its members had a living row of the
// brand before the question's range: any row, whatever the question filters. Rows of
// cold brands before the range are from Ask.Earlier. The error is ErrCold, or that of a
// Source.
func (x *newcomers) answer(v *rows.View, a *Ask) (*domain.Tally, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	x.wanted = bitset.Sized(x.wanted, x.words)
	clear(x.wanted)
	x.addMembers(x.wanted)
	t := x.groupCounts()
	if t.Total.Members == 0 {
		return t, nil
	}
	if err := x.dropEarlier(a, x.wanted); err != nil {
		return nil, err
	}
	t.Before = t.Total.Members - bitset.Count(x.wanted)
	return t, nil
}

// dropEarlier takes the members with a living row of the brand before the range out of
// left, until it is empty.
func (x *newcomers) dropEarlier(a *Ask, left []uint64) (err error) {
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.running() || bitset.Empty(left):
		case s.Cold:
			err = x.dropCold(s, a.Earlier, left)
		default:
			for _, r := range s.Runs {
				if r.Chunk.Min < x.plan.span.From && x.running() && !bitset.Empty(left) {
					x.dropRun(r, a.Brand, small, left)
				}
			}
			x.dropTail(s, a.Brand, small, left)
		}
	})
	return x.result(err)
}

// dropRun takes out those with a row in a chunk, of one brand if small.
func (x *newcomers) dropRun(r rows.Run, dense uint32, small bool, left []uint64) {
	c, from := r.Chunk, x.plan.span.From
	if small {
		for _, p := range c.Of(dense) {
			if i := int(p); c.Time[i] < from && !r.Deleted.Has(i) {
				bitset.Remove(left, c.Ord[i])
			}
		}
		return
	}
	_, hi := c.Cut(0, from)
	if r.Deleted.Count() == 0 {
		for _, o := range c.Ord[:hi] {
			bitset.Remove(left, o)
		}
		return
	}
	for i, o := range c.Ord[:hi] {
		if !r.Deleted.Has(i) {
			bitset.Remove(left, o)
		}
	}
}

// dropTail takes out those with a row in a set's tail.
func (x *newcomers) dropTail(s *rows.Set, dense uint32, small bool, left []uint64) {
	p := s.TailAt(x.view.Seq)
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Time < x.plan.span.From && !p.Deleted.Has(i) && (!small || p.Brands[i] == dense) {
			bitset.Remove(left, r.Ord)
		}
	}
}

// dropCold takes out those with a row on disk.
func (x *newcomers) dropCold(s *rows.Set, from rows.Source, left []uint64) error {
	return s.Read(from, domain.Range{To: x.plan.span.From}, func(stored []domain.Row) {
		for i := range stored {
			r := &stored[i]
			if r.Time < x.plan.span.From && x.view.Holds(r) {
				bitset.Remove(left, uint32(r.Ord))
			}
		}
	})
}

// addMembers puts the members of the rows collected into the set.
func (x *newcomers) addMembers(set []uint64) {
	x.settle()
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		lut, ords := x.table(sp), sp.c.Ord[sp.lo:sp.hi]
		for j, k := range sp.c.Kind[sp.lo:sp.hi] {
			o := ords[j]
			set[o>>6] |= uint64(bitset.Bit(lut[k] != x.targets)) << (o & 63)
		}
	}
	bitset.AddAll(set, x.ord)
}
