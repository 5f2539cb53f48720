package scan

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// selection is the rows of a question: the stretches of chunks that belong to it, and loose rows from
// tails, from small brands and from disk.
type selection struct {
	cancellation
	memberFilter
	kindTargets
	looseRows

	view   *rows.View
	plan   *Plan
	first  uint32 // day of the range's start
	spans  []span
	lut    []uint32        // the spans' tables: code in the chunk → target
	pos    []uint16        // places of rows in a chunk
	stored func(*topk.Row) // of a feed: takes the rows from disk that pass; else nil
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
	x.kindTargets.begin(a.Plan, v.KindsOf(a.Brand), daily)
	x.reset()
	x.alone = false
	if x.filter != nil {
		one, n := bitset.Only(x.filter)
		if n == 0 {
			return false
		}
		x.one, x.alone = one, n == 1
	}
	return a.Plan.span.From < a.Plan.span.To && len(a.Plan.labels) > 0
}

// reset forgets the rows collected, but not the question.
func (x *selection) reset() {
	x.spans, x.lut = x.spans[:0], x.lut[:0]
	x.truncate(0)
}

// end drops everything that the question held.
func (x *selection) end() {
	clear(x.spans[:cap(x.spans)])
	x.stored = nil
	x.view, x.plan, x.asked, x.all, x.filter = nil, nil, nil, nil, nil
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
var ErrCancelled = errors.New("brand: the question was cancelled")

// cancellation is whether the answer is still wanted.
type cancellation struct {
	ended func() bool // reports that it is not; nil: it always is
	over  bool        // ended reported so
}

// stretch is how many loose rows are counted between two looks.
const stretch = 1 << 16

// running reports that the question is not cancelled. What is counted after it was is no
// answer, but the scratch is as after any other question.
func (x *cancellation) running() bool {
	if !x.over && x.ended != nil {
		x.over = x.ended()
	}
	return !x.over
}

// result is the error, or ErrCancelled where there is none and the question was cancelled.
func (x *cancellation) result(err error) error {
	if err == nil && x.over {
		return ErrCancelled
	}
	return err
}
