package scan

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// selection is the rows of a question: the stretches of chunks that belong to it, and loose rows from
// tails, from small brands and from disk.
type selection struct {
	cancellation
	memberFilter
	kindTargets
	looseRows

	view  *rows.View
	plan  *Plan
	first uint32 // day of the range's start
	spans []span
	lut   []uint32    // the spans' tables: code in the chunk → target
	pos   []uint16    // places of rows in a chunk
	sets  []*rows.Set // those on disk
}

// span is a stretch of a chunk's rows that belong to the question, but for those
// that are deleted or dropped.
type span struct {
	c       *rows.Chunk
	lo, hi  int
	first   uint32          // time of the first row
	deleted *rows.Deletions // nil when none is deleted
	lut     int             // where its table is
	drops   bool            // its table drops some kind
	kept    int             // rows of the whole chunk that are not dropped
}

func (x *selection) table(sp *span) []uint32 { return x.lut[sp.lut : sp.lut+len(sp.c.Dict)] }

// begin prepares for a question and collects its rows: spans and loose ones.
func (x *selection) begin(v *rows.View, a *Ask, daily bool) error {
	if !x.open(v, a, daily) {
		return nil
	}
	return x.selectRows(a)
}

// open prepares for a question; false when no row can count.
func (x *selection) open(v *rows.View, a *Ask, daily bool) bool {
	x.view, x.plan = v, a.Plan
	x.words = int(v.Members()+63) / 64
	x.filterBy(x.pad(a.Members))
	x.first = domain.DayOf(a.Plan.span.From)
	x.kindTargets.begin(a.Plan, v.KindsOf(a.Brand), a.Places, daily)
	x.reset()
	x.alone = false
	if x.filter != nil {
		one, n := bitset.Only(x.filter)
		if n == 0 {
			return false
		}
		x.one, x.alone = one, n == 1
	}
	return a.Plan.span.From < a.Plan.span.To && len(x.labels) > 0
}

// reset forgets the rows collected, but not the question.
func (x *selection) reset() {
	x.spans, x.lut = x.spans[:0], x.lut[:0]
	x.truncate(0)
}

// end drops everything that the question held.
func (x *selection) end() {
	clear(x.spans[:cap(x.spans)])
	clear(x.sets[:cap(x.sets)])
	x.view, x.plan, x.asked, x.all, x.filter = nil, nil, nil, nil, nil
	x.labels = nil
	x.sites.end()
	if cap(x.ord) > looseKept {
		x.ord, x.to, x.day = nil, nil, nil
	}
}

// looseKept is for how many loose rows the memory is kept: a question about an account
// that is on disk has millions.
const looseKept = 1 << 19

// passes reports that a row of a target belongs to the question.
func (x *selection) passes(time, ord, target uint32) bool {
	in := x.plan.span
	return time-in.From < in.To-in.From && target != x.targets && (x.filter == nil || bitset.Get(x.filter, ord) == 1)
}

// allPass reports that every row of the range belongs to the question.
func (x *selection) allPass() bool { return x.filter == nil && x.everyKind() }

// plain reports that of a stretch of the span every row counts, but for kinds that
// are dropped: it can be counted in place.
func (x *selection) plain(sp *span) bool {
	return x.filter == nil && sp.deleted == nil && sp.kept*4 >= sp.c.Rows()
}

// whole reports that every row of a tail belongs to the question, for all members.
func (x *selection) whole(p rows.Tail) bool {
	if len(p.Rows) == 0 {
		return true
	}
	last, in := &p.Rows[len(p.Rows)-1], x.plan.span
	return p.Deleted == nil && last.Low >= in.From && last.High < in.To && x.everyKind()
}

// spanned is how many rows the spans have.
func (x *selection) spanned() (n int) {
	for i := range x.spans {
		n += x.spans[i].hi - x.spans[i].lo
	}
	return n
}

// looseRows are rows outside of chunks, or gathered from them, in columns: ordinal, target and, if
// daily, day of the range.
type looseRows struct {
	ord, to, day []uint32
	at           []uint32 // by group or day: where the ordinals in grouped start, then where they end
	grouped      []uint32 // the ordinals of rows in order of their groups or days
}

// grow makes place for n more loose rows and one more, which a loop without a
// branch may write in vain.
func (x *looseRows) grow(n int) (at int) {
	at = len(x.ord)
	if need := at + n + 1; need > cap(x.ord) {
		need += need / 2
		x.ord = append(make([]uint32, 0, need), x.ord...)
		x.to = append(make([]uint32, 0, need), x.to...)
		x.day = append(make([]uint32, 0, need), x.day...)
	}
	x.ord, x.to, x.day = x.ord[:at+n+1], x.to[:at+n+1], x.day[:at+n+1]
	return at
}

// truncate leaves n loose rows.
func (x *looseRows) truncate(n int) { x.ord, x.to, x.day = x.ord[:n], x.to[:n], x.day[:n] }

// ErrCancelled is the error of a question that was cancelled before it was answered.
var ErrCancelled = errors.New("scan: the question was cancelled")

// cancellation is whether the answer is still wanted.
type cancellation struct {
	ended     func() bool // reports that it is not; nil: it always is
	cancelled bool        // ended reported so
}

// stretch is how many loose rows are counted between two looks.
const stretch = 1 << 16

// running reports that the question is not cancelled. What is counted after it was is no
// answer, but the scratch is as after any other question.
func (x *cancellation) running() bool {
	if !x.cancelled && x.ended != nil {
		x.cancelled = x.ended()
	}
	return !x.cancelled
}

// result is the error, or ErrCancelled where there is none and the question was cancelled.
func (x *cancellation) result(err error) error {
	if err == nil && x.cancelled {
		return ErrCancelled
	}
	return err
}

// selectRows finds the question's rows: stretches of chunks, and loose rows from
// tails, from small brands and from disk.
func (x *selection) selectRows(a *Ask) error {
	return x.selectSets(a, x.addTail, func(s *rows.Set) error { return x.addCold(s, a.Cold) })
}

// selectSets is selectRows; tail takes the tails of whole sets, and cold takes cold sets.
func (x *selection) selectSets(a *Ask, tail func(rows.Tail), cold func(*rows.Set) error) (err error) {
	v := x.view
	v.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.running():
		case s.Cold:
			err = cold(s)
		case small:
			x.addSmall(s, a.Brand)
		default:
			for _, r := range s.Runs {
				x.addSpan(r)
			}
			tail(s.TailAt(v.Seq))
		}
	})
	return x.result(err)
}

// addSpan adds the chunk's rows in the range, unless all of them are dropped.
func (x *selection) addSpan(r rows.Run) {
	c, in := r.Chunk, x.plan.span
	if c.Max < in.From || c.Min >= in.To {
		return
	}
	lo, hi := c.Cut(in.From, in.To)
	if lo >= hi {
		return
	}
	sp := span{c: c, lo: lo, hi: hi, first: c.Time[lo], lut: len(x.lut)}
	for code, k := range c.Dict {
		t := x.target(k)
		x.lut = append(x.lut, t)
		if t == x.targets {
			sp.drops = true
		} else {
			sp.kept += int(c.Count[code])
		}
	}
	if sp.kept == 0 {
		x.lut = x.lut[:sp.lut]
		return
	}
	if r.Deleted.Count() > 0 {
		sp.deleted = r.Deleted
	}
	x.spans = append(x.spans, sp)
}

// addTail appends the passing rows of a tail, of all its brands.
func (x *selection) addTail(p rows.Tail) {
	skip := p.Skip(x.plan.span.From)
	from, width := x.plan.span.From, x.plan.span.To-x.plan.span.From
	n := x.grow(len(p.Rows) - skip)
	for i := skip; i < len(p.Rows); i++ {
		r := &p.Rows[i]
		t := x.target(r.Kind)
		x.ord[n], x.to[n], x.day[n] = r.Ord, t, r.Time/86400-x.first
		ok := bitset.Bit(r.Time-from < width) & bitset.Bit(t != x.targets)
		if x.filter != nil {
			ok &= bitset.Get(x.filter, r.Ord)
		}
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		n += ok
	}
	x.truncate(n)
}

// addSmall appends the passing rows of one brand of the rest. They are few: a branch
// is right.
func (x *selection) addSmall(s *rows.Set, dense uint32) {
	in := x.plan.span
	for _, r := range s.Runs {
		c := r.Chunk
		if c.Max < in.From || c.Min >= in.To {
			continue
		}
		for _, p := range c.Of(dense) {
			if i := int(p); !r.Deleted.Has(i) {
				x.addLoose(c.Time[i], c.Ord[i], x.target(c.Dict[c.Kind[i]]))
			}
		}
	}
	p := s.TailAt(x.view.Seq)
	skip := p.Skip(in.From)
	for i, b := range p.Brands[min(skip, len(p.Brands)):] {
		if b == dense && !p.Deleted.Has(skip+i) {
			r := &p.Rows[skip+i]
			x.addLoose(r.Time, r.Ord, x.target(r.Kind))
		}
	}
}

// addLoose appends a row if it belongs to the question.
func (x *selection) addLoose(time, ord, target uint32) {
	if !x.passes(time, ord, target) {
		return
	}
	n := x.grow(1)
	x.ord[n], x.to[n], x.day[n] = ord, target, time/86400-x.first
	x.truncate(n + 1)
}

// addCold appends the passing rows of a cold brand.
func (x *selection) addCold(s *rows.Set, from rows.Source) error {
	v, in := x.view, x.plan.span
	return s.Read(from, in, func(stored []domain.Row) {
		n := x.grow(len(stored))
		ord, to, day := x.ord, x.to, x.day
		for i := range stored {
			r := &stored[i]
			if !v.Holds(r) {
				continue
			}
			k := rows.KindOf(r)
			t := x.coldTarget(k)
			ord[n], to[n], day[n] = uint32(r.Ord), t, r.Time/86400-x.first
			ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(t != x.targets)
			if x.filter != nil {
				ok &= bitset.Get(x.filter, uint32(r.Ord))
			}
			n += ok
		}
		x.truncate(n)
	})
}
