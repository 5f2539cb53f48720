package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A sum is a standing in 64 bits, by ordinal: actions in the upper ones, the score in the
// lower. While sums hold fewer than spillRows rows and a chunk's more, none of the two can
// outgrow its bits.
const (
	scoreBits = 40
	oneAction = 1 << scoreBits
	scoreOnly = oneAction - 1
	spillRows = 1<<(64-scoreBits) - 2*rows.MaxChunk
)

// memberSums are what a Scratch needs to rank members beside the rest.
type memberSums struct {
	of      []uint64   // zero between questions
	wide    []standing // what of was emptied into, if folded; zero between questions
	spilled bool
	rows    int     // in of
	limit   int     // of rows; spillRows but in tests
	kinds   []value // by the account's number of them; unknown: not looked up yet
	all     bool    // the members with a sum are found by reading all sums; else they are in ordinals
}

// value is what a row of a kind adds to a sum: one and its own points where keep is all
// ones, or add. Of a kind that is dropped all is 0.
type value struct {
	one       uint64
	keep, add uint16
}

// unknown is no kind's value.
var unknown = value{add: 1}

func (v *value) of(given uint16) uint64 { return v.one + uint64(given&v.keep+v.add) }

// ranking ranks members by their sums.
type ranking struct {
	*rowScan
	latest   *latestRows
	sums     memberSums
	ordinals []uint32 // the ordinals with a sum
	values   []value  // of a span's kinds
	visits   []uint32 // of an order by it, by ordinal: the time of the latest visit
}

// standing is the member's.
func (x *ranking) standing(o uint32) standing {
	s := standing{x.sums.of[o] & scoreOnly, x.sums.of[o] >> scoreBits}
	if x.sums.spilled {
		s.score += x.sums.wide[o].score
		s.actions += x.sums.wide[o].actions
	}
	return s
}

// allFrom says when the members with a sum are found by reading all sums: when one in so many
// members may have one.
const allFrom = 8

// score fills in the sums of the members.
func (x *ranking) score(a *Ask) error {
	l := &x.sums
	l.of = bitset.Grown(l.of, x.words*64)
	l.rows = 0
	if l.limit == 0 {
		l.limit = spillRows
	}
	l.kinds = bitset.Sized(l.kinds, len(x.all))
	for k := range l.kinds {
		l.kinds[k] = unknown
	}
	x.ordinals = bitset.Sized(x.ordinals, x.words*64+1)[:0]
	if x.alone {
		return x.scanAll(a, x.scoreMet)
	}
	cold := func(s *rows.Set) error { return x.scanCold(s, a.Cold, x.plan.span, x.scoreMet) }
	if err := x.scanSets(a, x.scoreMet, x.scoreTail, cold); err != nil {
		return err
	}
	l.all = l.all || x.passing(x.spanned())*allFrom >= x.words*64
	x.flatten(x.spanned())
	for i := range x.spans {
		if !x.running() {
			break
		}
		x.scoreSpan(&x.spans[i])
	}
	return nil
}

// hold makes room for so many rows.
func (x *ranking) hold(n int) {
	l := &x.sums
	if l.rows += n; l.rows < l.limit {
		return
	}
	l.rows, l.all, l.spilled = n, true, true
	x.ordinals = x.ordinals[:0]
	l.wide = bitset.Grown(l.wide, len(l.of))
	for o, s := range l.of {
		l.wide[o].score += s & scoreOnly
		l.wide[o].actions += s >> scoreBits
	}
	clear(l.of)
}

// list puts all members with a sum into ordinals.
func (x *ranking) list() {
	l := &x.sums
	if !l.all {
		return
	}
	ordinals, n := x.ordinals[:cap(x.ordinals)], 0
	for o, s := range l.of[:x.words*64] {
		ordinals[n] = uint32(o)
		some := s
		if l.spilled {
			some |= l.wide[o].actions
		}
		n += bitset.Bit(some != 0)
	}
	x.ordinals = ordinals[:n]
}

// forget takes the sums back.
func (x *ranking) forget() {
	l := &x.sums
	if l.spilled {
		clear(l.wide)
	}
	if l.all {
		clear(l.of[:min(x.words*64, len(l.of))])
	} else {
		for _, o := range x.ordinals {
			l.of[o] = 0
		}
	}
	l.all, l.spilled, x.ordinals = false, false, x.ordinals[:0]
}

// simple reports that members are ranked by their sums alone.
func (x *ranking) simple(top *domain.Top) bool {
	return !x.sums.spilled && !top.Up && !top.Order.Timed() && top.Above == nil && top.After == nil
}

// rankSums offers all members with a sum.
func (x *ranking) rankSums(a *Ask, total *domain.Leaders, b *topk.Entries) {
	shift, mask := 0, uint64(scoreOnly)
	if a.Plan.top.Order == domain.ByActions {
		shift, mask = scoreBits, ^uint64(0)
	}
	floor, actions, sums := uint64(0), uint64(0), x.sums.of[:x.words*64]
	offer := func(o uint32, key uint64) {
		b.Offer(topk.Entry{Key: key, ID: uint64(a.ID(domain.Ordinal(o))), Ord: o})
		if b.Full {
			floor = b.Floor.Key
		}
	}
	if x.sums.all {
		for o, s := range sums {
			total.Total.Members += uint64(bitset.Bit(s != 0))
			actions += s >> scoreBits
			if key := s >> shift & mask; key >= floor && s != 0 {
				offer(uint32(o), key)
			}
		}
	} else {
		total.Total.Members = uint64(len(x.ordinals))
		for _, o := range x.ordinals {
			s := sums[o]
			actions += s >> scoreBits
			if key := s >> shift & mask; key >= floor {
				offer(o, key)
			}
		}
	}
	total.Total.Actions = actions
}

// scoreMet counts a row outside of chunks.
func (x *ranking) scoreMet(m scannedRow) {
	x.hold(1)
	w, s := x.plan.pointsOf(m.kind.Definition), &x.sums.of[m.ord]
	if *s == 0 && !x.sums.all {
		x.ordinals = append(x.ordinals, m.ord)
	}
	*s += oneAction + uint64(m.points&w.keep+w.add)
}

// scoreTail counts the rows of a tail.
func (x *ranking) scoreTail(p rows.Tail) {
	in, f := x.plan.span, x.filter
	x.hold(len(p.Rows))
	sums, n := x.sums.of, len(x.ordinals)
	ordinals := x.ordinals[:cap(x.ordinals)] // one more than there are members: a place to write in vain
	if f == nil && x.whole(p) {
		for i := range p.Rows {
			r := &p.Rows[i]
			s := sums[r.Ord]
			ordinals[n] = r.Ord
			n += bitset.Bit(s == 0)
			sums[r.Ord] = s + x.valueOf(r.Kind).of(r.Points)
		}
		x.ordinals = ordinals[:n]
		return
	}
	for i := p.Skip(in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		v := x.valueOf(r.Kind)
		ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(v.one != 0)
		if f != nil {
			ok &= bitset.Get(f, r.Ord)
		}
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		if f != nil && ok == 0 { // as a rule few pass
			continue
		}
		s := sums[r.Ord]
		ordinals[n] = r.Ord
		n += ok & bitset.Bit(s == 0)
		sums[r.Ord] = s + v.of(r.Points)&-uint64(ok)
	}
	x.ordinals = ordinals[:n]
}

// valueOf is what a row of a kind adds, by the account's number of it.
func (x *ranking) valueOf(k uint32) *value {
	v := &x.sums.kinds[k]
	if *v == unknown {
		*v = value{}
		if x.target(k) != x.targets {
			w := x.plan.pointsOf(x.all[k].Definition)
			*v = value{oneAction, w.keep, w.add}
		}
	}
	return v
}

// scoreSpan counts the rows of a span, without a branch on any of them.
func (x *ranking) scoreSpan(sp *span) {
	x.hold(sp.hi - sp.lo)
	values := x.valuesOf(sp)
	if x.filter != nil || sp.deleted != nil {
		x.scorePlaces(sp, values)
		return
	}
	c, lo, hi := sp.c, sp.lo, sp.hi
	ords, kinds, given := c.Ord[lo:hi], c.Kind[lo:hi], c.Points[lo:hi]
	kinds, given = kinds[:len(ords)], given[:len(ords)]
	sums := x.sums.of
	if x.sums.all {
		for i, o := range ords {
			sums[o] += values[kinds[i]].of(given[i])
		}
		return
	}
	n, ordinals := len(x.ordinals), x.ordinals[:cap(x.ordinals)]
	for i, o := range ords {
		v, s := &values[kinds[i]], sums[o]
		ordinals[n] = o
		n += bitset.Bit(s == 0) & bitset.Bit(v.one != 0)
		sums[o] = s + v.of(given[i])
	}
	x.ordinals = ordinals[:n]
}

// scorePlaces counts the rows of a span of which some do not pass.
func (x *ranking) scorePlaces(sp *span, values []value) {
	c, lo, hi, f := sp.c, sp.lo, sp.hi, x.filter
	ords, kinds, given := c.Ord[lo:hi], c.Kind[lo:hi], c.Points[lo:hi]
	passing := x.places(sp, lo, hi)
	sums, n := x.sums.of, len(x.ordinals)
	ordinals := x.ordinals[:cap(x.ordinals)]
	for _, p := range x.pos[:passing] {
		o, v := ords[p], &values[kinds[p]]
		ok := bitset.Bit(v.one != 0)
		if f != nil {
			ok &= bitset.Get(f, o)
		}
		if sp.deleted != nil {
			j := lo + int(p)
			ok &^= int(sp.deleted.Bits[j>>6] >> (j & 63) & 1)
		}
		s := sums[o]
		ordinals[n] = o
		n += ok & bitset.Bit(s == 0)
		sums[o] = s + v.of(given[p])&-uint64(ok)
	}
	x.ordinals = ordinals[:n]
}

// valuesOf are what rows of the span's kinds add.
func (x *ranking) valuesOf(sp *span) []value {
	x.values = bitset.Sized(x.values, len(sp.c.Dict))
	for code, k := range sp.c.Dict {
		x.values[code] = *x.valueOf(k)
	}
	return x.values
}
