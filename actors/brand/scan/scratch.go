package scan

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Scratch is what one goroutine needs to answer questions; whoever has many, pools
// them. It grows with the members and rows of what it is asked and holds no
// chunk between questions. After a panic throw it away.
type Scratch struct {
	view    *rows.View
	plan    *Plan
	filter  []uint64 // nil: everybody
	flat    []uint8  // the filter, a byte a member, if not empty
	padded  []uint64
	alone   bool // only the member one passes the filter
	one     uint32
	daily   bool   // targets are services and rows keep their day; else targets are groups
	targets uint32 // so many; a row of this target is dropped
	words   int    // of a bitset of members
	first   uint32 // day of the range's start

	known []uint32 // account's number of a kind → 1 + its target; 0: not looked up yet
	kinds int8     // 1: rows of every kind of the account count; −1: not so; 0: not looked yet
	near  [64]struct {
		kind   rows.Kind
		target uint32 // 1 + that of a kind met lately on disk; 0: none
	}
	spans []span
	lut   []uint32 // the spans' tables: code in the chunk → target

	ord, to, day []uint32 // loose rows: ordinal, target and, if daily, day of the range

	pos     []uint16 // places of rows in a chunk
	bits    []uint64 // dense counting: members by target; zero between questions
	all     []uint64 // members; zero between questions
	mask    []uint64 // sparse counting, by ordinal: targets met; zero between questions
	touched []uint32
	seen    []uint32 // counting by groups, by ordinal: generation
	gen     uint32
	at      []uint32
	grouped []uint32
	mark    []uint64 // timeline, by ordinal: see marks
	dayGen  uint32
	askGen  uint32
	counts  []domain.Count
	values  *values
	did     []uint32 // by value, by ordinal: rows; zero between questions

	sums   sums        // leaders
	met    []uint32    // leaders: the ordinals with a sum
	owners []*rows.Set // leaders: of each span
	worths []value     // leaders: of a span's kinds
	index  []uint32    // leaders, by ordinal: 1 + the place among those looked for; zero between questions
	wanted []uint64    // leaders, a crossover: members that are looked for
	pairs  []uint64    // crossover: brand << 32 | ordinal
	out    []uint64    // crossover: rows of a chunk that do not count
	keys   []uint64    // depths: ranks of leaders
	newest []uint32    // depths, by ordinal: 1 + the second of the latest row; zero between questions

	ended func() bool // nobody waits for the answer; nil: somebody always does
	over  bool        // ended reported so

	feed  feeder
	deeds deedFinder
}

// NewScratch is a scratch that has yet to grow.
func NewScratch() *Scratch { return &Scratch{feed: feeder{atOnce: searchAtOnce}} }

// span is a stretch of a chunk's rows that belong to the question, but for those
// that are dead or dropped.
type span struct {
	c      *rows.Chunk
	lo, hi int
	first  uint32          // time of the first row
	dead   *rows.Deletions // nil when none is dead
	lut    int             // where its table stands
	drops  bool            // its table drops some kind
	kept   int             // rows of the whole chunk that are not dropped
}

func (x *Scratch) table(sp *span) []uint32 { return x.lut[sp.lut : sp.lut+len(sp.c.Dict)] }

// begin prepares for a question and collects its rows: spans and loose ones.
func (x *Scratch) begin(v *rows.View, a *Ask, daily bool) error {
	if !x.open(v, a, daily) {
		return nil
	}
	return x.collect(a)
}

// open prepares for a question; false when no row can count.
func (x *Scratch) open(v *rows.View, a *Ask, daily bool) bool {
	x.view, x.plan, x.daily = v, a.Plan, daily
	x.words = int(v.Members()+63) / 64
	x.filterBy(x.pad(a.Members))
	x.targets = uint32(len(a.Plan.labels))
	x.first = domain.DayOf(a.Plan.span.From)
	if daily {
		x.targets = uint32(domain.Services)
	}
	x.known, x.kinds = sized(x.known, len(v.Kinds)), 0
	clear(x.known)
	clear(x.near[:])
	x.again()
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

// again forgets the rows collected, but not the question.
func (x *Scratch) again() {
	x.spans, x.lut = x.spans[:0], x.lut[:0]
	x.keep(0)
}

// end lets go of everything the question held.
func (x *Scratch) end() {
	clear(x.spans[:cap(x.spans)])
	clear(x.owners[:cap(x.owners)])
	x.view, x.plan, x.filter = nil, nil, nil
	if cap(x.ord) > looseKept {
		x.ord, x.to, x.day = nil, nil, nil
	}
}

// looseKept is for how many loose rows the memory is kept: a question about an account
// that is on disk has millions.
const looseKept = 1 << 19

// pad is the filter with a word for every member.
func (x *Scratch) pad(f []uint64) []uint64 {
	if f == nil || len(f) >= x.words {
		return f
	}
	x.padded = sized(x.padded, x.words)
	clear(x.padded[copy(x.padded, f):])
	return x.padded
}

// target is where rows of a kind count, by the account's number of it.
func (x *Scratch) target(k uint32) uint32 {
	if t := x.known[k]; t != 0 {
		return t - 1
	}
	t := x.targetOf(x.view.Kinds[k])
	x.known[k] = t + 1
	return t
}

func (x *Scratch) targetOf(k rows.Kind) uint32 {
	g, ok := x.plan.groupOf(k)
	switch {
	case !ok:
		return x.targets
	case x.daily:
		return uint32(k.Service)
	}
	return g
}

// room makes place for n more loose rows and one more, which a loop without a
// branch may write in vain.
func (x *Scratch) room(n int) (at int) {
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

// keep leaves n loose rows.
func (x *Scratch) keep(n int) { x.ord, x.to, x.day = x.ord[:n], x.to[:n], x.day[:n] }

// sized is s with length n; what it holds is undefined where it did not grow.
func sized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

// grown is s with at least length n, its elements kept and zero beyond.
func grown[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(slices.Grow(s, n-len(s)+n/4), make([]T, n-len(s))...)
}
