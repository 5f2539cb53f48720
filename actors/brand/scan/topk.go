package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// feedRow is a row that may be on a feed.
type feedRow struct {
	seq    uint64
	time   uint32
	ord    uint32
	brand  uint32 // dense number
	kind   rows.Kind
	points uint16
}

// topRows keeps those of the rows offered that are the first of a listing, or more.
type topRows struct {
	up, recorded bool
	latest       bool // of each member only the latest row is listed
	take         int
	pruned       bool // what is behind the first take rows may be let go
	full         bool // take rows are known: whatever is behind edge is not among the first
	edge         feedRow
	rows         []feedRow
	at           []uint32 // if latest, by ordinal: 1 + the place in rows; zero between questions
	key          [2][]uint64
	spare        []feedRow
	cursor       *cursor // nil: rows are wanted from the start
	ahead        uint64  // rows of the listing that were left out, being ahead of the line
}

// open prepares for a listing. whole keeps every row: they are to be counted, too.
func (p *topRows) open(l *domain.Listing, take, members int, whole bool) {
	p.up, p.recorded, p.latest, p.take = l.Up, l.Recorded, !l.Every, take
	p.full, p.rows = false, p.rows[:0]
	// A member's latest row is the first one met only where the latest come first.
	p.pruned = !whole && (!p.latest || !p.up && !p.recorded)
	if p.latest {
		p.at = grown(p.at, members)
	}
}

// close forgets the rows.
func (p *topRows) close() {
	p.forget(p.rows)
	if cap(p.rows) > 1<<16 {
		p.rows, p.spare, p.key = nil, nil, [2][]uint64{}
	}
	p.rows = p.rows[:0]
}

func (p *topRows) forget(list []feedRow) {
	if p.latest {
		for i := range list {
			p.at[list[i].ord] = 0
		}
	}
}

// before orders rows as they are listed. Sequences are those of one shard: there they
// order as ids do, and as recordings, which never fall with the sequence.
func (p *topRows) before(a, b *feedRow) bool {
	switch {
	case p.recorded:
		return (a.seq < b.seq) == p.up
	case a.time != b.time:
		return (a.time < b.time) == p.up
	}
	return a.seq < b.seq
}

// later tells which of a member's rows is listed: the one that a list of all its
// rows, newest first, would begin with.
func later(a, b *feedRow) bool { return a.time > b.time || a.time == b.time && a.seq < b.seq }

// beyond reports that no row of that time is among the first any more.
func (p *topRows) beyond(time uint32) bool {
	if !p.full || p.recorded || time == p.edge.time {
		return false
	}
	return (time > p.edge.time) == p.up
}

// add takes a row into account.
func (p *topRows) add(r *feedRow) {
	if p.full && !p.before(r, &p.edge) {
		return
	}
	if p.cursor != nil && !p.latest && p.cursor.ahead(r) {
		p.ahead++
		return
	}
	if p.latest {
		if i := p.at[r.ord]; i != 0 {
			if o := &p.rows[i-1]; later(r, o) {
				*o = *r
			}
			return
		}
		p.at[r.ord] = uint32(len(p.rows) + 1)
	}
	p.rows = append(p.rows, *r)
	if p.pruned && len(p.rows) >= 2*p.take+32 {
		p.cut()
	}
}

// superseded reports that a row of the member is listed in the place of this one.
func (p *topRows) superseded(r *feedRow) bool {
	i := uint32(0)
	if p.latest {
		i = p.at[r.ord]
	}
	return i != 0 && !later(r, &p.rows[i-1])
}

// cut lets go of what is behind the first rows.
func (p *topRows) cut() {
	p.sort()
	p.forget(p.rows[p.take:])
	p.rows = p.rows[:p.take]
	if p.latest {
		for i := range p.rows {
			p.at[p.rows[i].ord] = uint32(i + 1)
		}
	}
	if p.full = p.take > 0; p.full {
		p.edge = p.rows[p.take-1]
	}
}

// compare is before, as sorting wants it.
func (p *topRows) compare(a, b feedRow) int {
	switch {
	case p.before(&a, &b):
		return -1
	case p.before(&b, &a):
		return 1
	}
	return 0
}

// sort puts the rows in order; at holds no more.
func (p *topRows) sort() {
	if n := len(p.rows); p.recorded || n < 1024 {
		slices.SortFunc(p.rows, p.compare)
		return
	}
	k := rows.KeysFor(&p.key, len(p.rows))
	for i := range p.rows {
		t := p.rows[i].time
		if !p.up {
			t = ^t
		}
		k[i] = uint64(t)<<32 | uint64(i)
	}
	k = rows.Radix(k, p.key[1][:len(k)])
	p.spare = sized(p.spare, len(p.rows))
	for i, v := range k {
		p.spare[i] = p.rows[uint32(v)]
	}
	p.rows, p.spare = p.spare, p.rows
	for lo := 0; lo < len(p.rows); {
		hi := lo + 1
		for hi < len(p.rows) && p.rows[hi].time == p.rows[lo].time {
			hi++
		}
		if hi > lo+1 {
			slices.SortFunc(p.rows[lo:hi], p.compare)
		}
		lo = hi
	}
}

// first are the first rows, at most so many, in order. No row is added after it.
func (p *topRows) first(n int) []feedRow {
	p.forget(p.rows)
	all := p.rows
	p.latest, p.pruned, p.full, p.take, p.rows = false, true, false, n, p.rows[:0]
	for i := range all { // what is kept never gets beyond what was looked at
		p.add(&all[i])
	}
	p.sort()
	return p.rows[:min(n, len(p.rows))]
}

// place is a member in a ranking.
type place struct {
	key, id uint64
	ord     uint32
}

// before orders places: the greatest key first, ties by id ascending.
func before(a, b place) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.id, b.id)) }

// topPlaces keeps the first k of the places offered.
type topPlaces struct {
	k      int
	floor  place // if full: who comes after it is not among them
	full   bool
	places []place
}

// offer takes a place into account.
func (b *topPlaces) offer(p place) {
	if b.k == 0 || b.full && before(p, b.floor) > 0 {
		return
	}
	b.places = append(b.places, p)
	if len(b.places) >= max(2*b.k, 64) {
		b.floor, b.full = b.sorted()[b.k-1], true
	}
}

// sorted is the first k, in order.
func (b *topPlaces) sorted() []place {
	slices.SortFunc(b.places, before)
	b.places = b.places[:min(b.k, len(b.places))]
	return b.places
}
