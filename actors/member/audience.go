package member

import (
	"maps"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Audience is what is filtered by of all members of one account in one shard, for
// the one who writes it. Commit publishes an Index; pages are copied when first
// written after it, so a commit copies no more than it changes.
type Audience struct {
	epoch  uint64
	index  Index
	ids    []domain.MemberID
	traits []uint32 // by ordinal: what a plain activity needs to know of its member
}

// traitActive says that the member is active; the other bits are its muted services.
const traitActive = 1 << 31

// Index is an Audience as of one commit: any goroutine may read it.
type Index struct {
	bitmaps   *bitmaps
	country   column
	born      column       // domain.BirthDay
	gender    column       // domain.GenderCode; made of the bitmaps
	times     [3][2]column // as timeAttributes
	handed    [2]column    // as handedOver
	handedSum uint64       // of the times in handed
	ids       []domain.MemberID
	alive     int
}

// bitmaps are the bitmaps by value, spread over maps of which a commit copies only
// those with a bitmap that it touches: there are as many values as members spell
// regions.
type bitmaps struct {
	epoch uint64
	of    [64]*bitmapsPart
}

type bitmapsPart struct {
	epoch uint64
	of    map[bitValue]*bitmap
}

// part is the number of the part that has a value's bitmap.
func (v bitValue) part() int {
	h := uint32(v.attribute)
	for i := range len(v.value) {
		h = h*31 + uint32(v.value[i])
	}
	return int(h * 0x9E3779B1 >> 26) // six bits: the parts are 64
}

// get is the bitmap of a value; nil: no member has it.
func (b *bitmaps) get(v bitValue) *bitmap {
	if p := b.of[v.part()]; p != nil {
		return p.of[v]
	}
	return nil
}

// own is the map of the value's part, free to be written in the epoch. b is, too.
func (b *bitmaps) own(v bitValue, epoch uint64) map[bitValue]*bitmap {
	at := &b.of[v.part()]
	if *at == nil || (*at).epoch != epoch {
		p := &bitmapsPart{epoch, map[bitValue]*bitmap{}}
		if *at != nil {
			maps.Copy(p.of, (*at).of)
		}
		*at = p
	}
	return (*at).of
}

// pageBits is the number of members a page holds, as a power of two.
const pageBits = 12

type bitmap struct {
	epoch uint64
	pages []*bitPage
}

type bitPage struct {
	epoch uint64
	words [1 << pageBits / 64]uint64
}

type column struct {
	epoch uint64
	pages []*columnPage
}

type columnPage struct {
	epoch     uint64
	values    [1 << pageBits]uint16
	countries atomic.Pointer[countryIndex] // of countries; nil until they are filtered by
}

// NewAudience is an audience without members.
func NewAudience() *Audience {
	return &Audience{epoch: 1, index: Index{bitmaps: &bitmaps{}}}
}

// Members is the number of ordinals given.
func (a *Audience) Members() domain.Ordinal { return domain.Ordinal(len(a.ids)) }

// Add notes the next member: ordinals come in order.
func (a *Audience) Add(id domain.MemberID) {
	a.ids = append(a.ids, id)
	a.traits = append(a.traits, 0)
}

// Active reports that answers show the member of an ordinal, and its muted services, a bit
// each.
func (a *Audience) Active(ord domain.Ordinal) (muted uint32, active bool) {
	t := a.traits[ord]
	return t &^ traitActive, t&traitActive != 0
}

// putTrait follows a bit of which a trait is made.
func (a *Audience) putTrait(b *domain.Bit) {
	trait := uint32(traitActive)
	if b.Attribute == domain.AttrMuted {
		trait = 1 << b.Value[0]
	}
	if b.On {
		a.traits[b.Ord] |= trait
	} else {
		a.traits[b.Ord] &^= trait
	}
}

// ID is the member of an ordinal.
func (a *Audience) ID(ord domain.Ordinal) domain.MemberID { return a.ids[ord] }

// Put sets or clears a bit.
func (a *Audience) Put(b *domain.Bit) {
	switch b.Attribute {
	case domain.AttrGender:
		a.putGender(b)
	case domain.AttrMember, domain.AttrMuted:
		a.putTrait(b)
	}
	page := a.page(bitValue{b.Attribute, b.Value}, b.Ord)
	i := b.Ord & (1<<pageBits - 1)
	word, mask := &page.words[i>>6], uint64(1)<<(i&63)
	if b.Attribute == domain.AttrMember && (*word&mask != 0) != b.On {
		if b.On {
			a.index.alive++
		} else {
			a.index.alive--
		}
	}
	if b.On {
		*word |= mask
	} else {
		*word &^= mask
	}
}

// page is the page of a value's bitmap, free to be written.
func (a *Audience) page(v bitValue, ord domain.Ordinal) *bitPage {
	if a.index.bitmaps.epoch != a.epoch {
		all := *a.index.bitmaps
		all.epoch = a.epoch
		a.index.bitmaps = &all
	}
	of := a.index.bitmaps.own(v, a.epoch)
	m := of[v]
	if m == nil || m.epoch != a.epoch {
		c := &bitmap{epoch: a.epoch}
		if m != nil {
			c.pages = append(make([]*bitPage, 0, len(m.pages)+1), m.pages...)
		}
		m = c
		of[v] = m
	}
	k := int(ord >> pageBits)
	for k >= len(m.pages) {
		m.pages = append(m.pages, nil)
	}
	switch p := m.pages[k]; {
	case p == nil:
		m.pages[k] = &bitPage{epoch: a.epoch}
	case p.epoch != a.epoch:
		c := *p
		c.epoch = a.epoch
		m.pages[k] = &c
	}
	return m.pages[k]
}

// PutColumn sets a member's value of a column. Columns that no question reads are the
// store's alone.
func (a *Audience) PutColumn(c *domain.Column) {
	col := a.index.column(c.Attribute)
	switch c.Attribute {
	case domain.AttrHandedOverHigh:
		a.index.handedSum += (uint64(c.Value) - uint64(col.at(c.Ord))) << 16
	case domain.AttrHandedOverLow:
		a.index.handedSum += uint64(c.Value) - uint64(col.at(c.Ord))
	}
	if col != nil {
		a.putInto(col, c.Ord, c.Value)
	}
}

// putGender keeps the column of genders. A bit is cleared before or after another one
// is set: only the value that the column has can leave it.
func (a *Audience) putGender(b *domain.Bit) {
	code, col := domain.GenderCode(b.Value), &a.index.gender
	switch {
	case b.On:
		a.putInto(col, b.Ord, code)
	case col.at(b.Ord) == code:
		a.putInto(col, b.Ord, 0)
	}
}

// putInto sets a member's value of a column.
func (a *Audience) putInto(col *column, ord domain.Ordinal, value uint16) {
	if col.epoch != a.epoch {
		*col = column{a.epoch, append(make([]*columnPage, 0, len(col.pages)+1), col.pages...)}
	}
	k := int(ord >> pageBits)
	for k >= len(col.pages) {
		col.pages = append(col.pages, nil)
	}
	switch p := col.pages[k]; {
	case p == nil:
		col.pages[k] = &columnPage{epoch: a.epoch}
	case p.epoch != a.epoch:
		col.pages[k] = &columnPage{epoch: a.epoch, values: p.values}
	}
	col.pages[k].values[ord&(1<<pageBits-1)] = value
}

// column is the attribute's column; nil: it is not kept.
func (c *Index) column(a domain.Attribute) *column {
	switch a {
	case domain.AttrCountry:
		return &c.country
	case domain.AttrBirthDay:
		return &c.born
	case domain.AttrHandedOverHigh:
		return &c.handed[0]
	case domain.AttrHandedOverLow:
		return &c.handed[1]
	}
	for i, time := range timeAttributes {
		for k, half := range time {
			if a == half {
				return &c.times[i][k]
			}
		}
	}
	return nil
}

// at is a member's value.
func (c *column) at(ord domain.Ordinal) uint16 {
	k := int(ord >> pageBits)
	if k >= len(c.pages) || c.pages[k] == nil {
		return 0
	}
	return c.pages[k].values[ord&(1<<pageBits-1)]
}

// Commit publishes what was put since the last one.
func (a *Audience) Commit() *Index {
	c := a.index
	c.ids = a.ids[:len(a.ids):len(a.ids)]
	a.epoch++
	return &c
}

// Members is the number of ordinals given, members that are no more included.
func (c *Index) Members() int { return len(c.ids) }

// ID is the member of an ordinal.
func (c *Index) ID(ord domain.Ordinal) domain.MemberID { return c.ids[ord] }

// Shows reports that answers show the member of an ordinal: it is active, and its own.
func (c *Index) Shows(ord domain.Ordinal) bool {
	m, k := c.bitmaps.get(bitValue{domain.AttrMember, ""}), int(ord>>pageBits)
	if m == nil || k >= len(m.pages) || m.pages[k] == nil {
		return false
	}
	i := ord & (1<<pageBits - 1)
	return m.pages[k].words[i>>6]&(1<<(i&63)) != 0
}

// Alive is the number of members that answers show.
func (c *Index) Alive() int { return c.alive }
