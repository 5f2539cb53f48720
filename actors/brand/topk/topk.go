package topk

import (
	"cmp"
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Row is a row that may be on a feed.
type Row struct {
	Seq    uint64
	Time   uint32
	Ord    uint32
	Brand  uint32 // dense number
	Kind   rows.Kind
	Points uint16
}

// Page keeps those of the rows offered that are the first of a listing, or more.
type Page struct {
	Up, recorded bool
	Latest       bool // of each member only the latest row is listed
	take         int
	pruned       bool // what is after the first take rows may be dropped
	full         bool // take rows are known: whatever is after edge is not among the first
	edge         Row
	Rows         []Row
	at           []uint32 // if latest, by ordinal: 1 + the place in rows; zero between questions
	key          [2][]uint64
	spare        []Row
	Cursor       *Cursor // nil: rows are wanted from the start
	Ahead        uint64  // rows of the listing that were left out, being ahead of the cursor
}

// Open prepares for a listing. whole keeps every row: they are to be counted, too.
func (p *Page) Open(l *domain.Listing, take, members int, whole bool) {
	p.Up, p.recorded, p.Latest, p.take = l.Up, l.Recorded, !l.Every, take
	p.full, p.Rows = false, p.Rows[:0]
	// A member's latest row is the first one met only where the latest come first.
	p.pruned = !whole && (!p.Latest || !p.Up && !p.recorded)
	if p.Latest {
		p.at = bitset.Grown(p.at, members)
	}
}

// Close forgets the rows.
func (p *Page) Close() {
	p.forget(p.Rows)
	if cap(p.Rows) > 1<<16 {
		p.Rows, p.spare, p.key = nil, nil, [2][]uint64{}
	}
	p.Rows = p.Rows[:0]
}

func (p *Page) forget(list []Row) {
	if p.Latest {
		for i := range list {
			p.at[list[i].Ord] = 0
		}
	}
}

// before orders rows as they are listed. Sequences are those of one shard: there they
// order as ids do, and as recordings, which never fall with the sequence.
func (p *Page) before(a, b *Row) bool {
	switch {
	case p.recorded:
		return (a.Seq < b.Seq) == p.Up
	case a.Time != b.Time:
		return (a.Time < b.Time) == p.Up
	}
	return a.Seq < b.Seq
}

// later tells which of a member's rows is listed: the one that a list of all its
// rows, newest first, would begin with.
func later(a, b *Row) bool { return a.Time > b.Time || a.Time == b.Time && a.Seq < b.Seq }

// Beyond reports that no row of that time is among the first any more.
func (p *Page) Beyond(time uint32) bool {
	if !p.full || p.recorded || time == p.edge.Time {
		return false
	}
	return (time > p.edge.Time) == p.Up
}

// Settle has Beyond and Near know the last of the first rows as soon as there are so many.
func (p *Page) Settle() {
	if p.pruned && p.take > 0 && len(p.Rows) >= p.take {
		p.cut()
	}
}

// Near is the part of a range whose rows may still be among the first.
func (p *Page) Near(in domain.Range) domain.Range {
	switch {
	case !p.full || p.recorded:
		return in
	case p.Up:
		return Within(in, 0, int64(p.edge.Time)+1)
	}
	return Within(in, int64(p.edge.Time), math.MaxUint32)
}

// NearSequences is Near for an order of recording.
func (p *Page) NearSequences(in outline.Sequences) outline.Sequences {
	switch {
	case !p.full || !p.recorded:
	case p.Up:
		in.To = min(in.To, p.edge.Seq)
	default:
		in.From = max(in.From, p.edge.Seq+1)
	}
	return in
}

// Add takes a row into account.
func (p *Page) Add(r *Row) {
	if p.full && !p.before(r, &p.edge) {
		return
	}
	if p.Cursor != nil && !p.Latest && p.Cursor.Ahead(r) {
		p.Ahead++
		return
	}
	if p.Latest {
		if i := p.at[r.Ord]; i != 0 {
			if o := &p.Rows[i-1]; later(r, o) {
				*o = *r
			}
			return
		}
		p.at[r.Ord] = uint32(len(p.Rows) + 1)
	}
	p.Rows = append(p.Rows, *r)
	if p.pruned && len(p.Rows) >= 2*p.take+32 {
		p.cut()
	}
}

// Superseded reports that a row of the member is listed instead of this one.
func (p *Page) Superseded(r *Row) bool {
	i := uint32(0)
	if p.Latest {
		i = p.at[r.Ord]
	}
	return i != 0 && !later(r, &p.Rows[i-1])
}

// cut drops what is after the first rows.
func (p *Page) cut() {
	p.sort()
	p.forget(p.Rows[p.take:])
	p.Rows = p.Rows[:p.take]
	if p.Latest {
		for i := range p.Rows {
			p.at[p.Rows[i].Ord] = uint32(i + 1)
		}
	}
	if p.full = p.take > 0; p.full {
		p.edge = p.Rows[p.take-1]
	}
}

// compare is before, as sorting wants it.
func (p *Page) compare(a, b Row) int {
	switch {
	case p.before(&a, &b):
		return -1
	case p.before(&b, &a):
		return 1
	}
	return 0
}

// sort puts the rows in order; at holds no more.
func (p *Page) sort() {
	if n := len(p.Rows); p.recorded || n < 1024 {
		slices.SortFunc(p.Rows, p.compare)
		return
	}
	k := rows.KeysFor(&p.key, len(p.Rows))
	for i := range p.Rows {
		t := p.Rows[i].Time
		if !p.Up {
			t = ^t
		}
		k[i] = uint64(t)<<32 | uint64(i)
	}
	k = rows.Radix(k, p.key[1][:len(k)])
	p.spare = bitset.Sized(p.spare, len(p.Rows))
	for i, v := range k {
		p.spare[i] = p.Rows[uint32(v)]
	}
	p.Rows, p.spare = p.spare, p.Rows
	for lo := 0; lo < len(p.Rows); {
		hi := lo + 1
		for hi < len(p.Rows) && p.Rows[hi].Time == p.Rows[lo].Time {
			hi++
		}
		if hi > lo+1 {
			slices.SortFunc(p.Rows[lo:hi], p.compare)
		}
		lo = hi
	}
}

// First are the first rows, at most so many, in order. No row is added after it.
func (p *Page) First(n int) []Row {
	p.forget(p.Rows)
	all := p.Rows
	p.Latest, p.pruned, p.full, p.take, p.Rows = false, true, false, n, p.Rows[:0]
	for i := range all { // what is kept never gets beyond what was looked at
		p.Add(&all[i])
	}
	p.sort()
	return p.Rows[:min(n, len(p.Rows))]
}

// Entry is a member in a ranking.
type Entry struct {
	Key, ID uint64
	Ord     uint32
}

// Compare orders entries: the greatest key first, ties by id ascending.
func Compare(a, b Entry) int { return cmp.Or(cmp.Compare(b.Key, a.Key), cmp.Compare(a.ID, b.ID)) }

// Entries keeps the first k of the entries offered.
type Entries struct {
	K     int
	Floor Entry // if full: what comes after it is not among them
	Full  bool
	kept  []Entry
}

// Offer takes an entry into account.
func (b *Entries) Offer(p Entry) {
	if b.K == 0 || b.Full && Compare(p, b.Floor) > 0 {
		return
	}
	b.kept = append(b.kept, p)
	if len(b.kept) >= max(2*b.K, 64) {
		b.Floor, b.Full = b.Sorted()[b.K-1], true
	}
}

// Sorted is the first k, in order.
func (b *Entries) Sorted() []Entry {
	slices.SortFunc(b.kept, Compare)
	b.kept = b.kept[:min(b.K, len(b.kept))]
	return b.kept
}
