package member

import (
	"maps"
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Audience is what is filtered by of all members of one account in one shard, for
// the one who writes it. Commit publishes a Crowd; pages are copied when first
// written after it, so a commit copies no more than it changes.
type Audience struct {
	epoch uint64
	crowd Crowd
	ids   []domain.MemberID
}

// Crowd is an Audience as of one commit: any goroutine may read it.
type Crowd struct {
	bitmaps *bitmaps
	country column
	ids     []domain.MemberID
	alive   int
}

type bitmaps struct {
	epoch uint64
	of    map[bitValue]*bitmap
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
	epoch  uint64
	values [1 << pageBits]uint16
}

// NewAudience is an audience of nobody.
func NewAudience() *Audience {
	return &Audience{epoch: 1, crowd: Crowd{bitmaps: &bitmaps{of: map[bitValue]*bitmap{}}}}
}

// Members is the number of ordinals given.
func (a *Audience) Members() domain.Ordinal { return domain.Ordinal(len(a.ids)) }

// Add notes the next member: ordinals come in order.
func (a *Audience) Add(id domain.MemberID) { a.ids = append(a.ids, id) }

// ID is the member of an ordinal.
func (a *Audience) ID(ord domain.Ordinal) domain.MemberID { return a.ids[ord] }

// Put sets or clears a bit.
func (a *Audience) Put(b *domain.Bit) {
	page := a.page(bitValue{b.Attribute, b.Value}, b.Ord)
	i := b.Ord & (1<<pageBits - 1)
	word, mask := &page.words[i>>6], uint64(1)<<(i&63)
	if b.Attribute == domain.AttrMember && (*word&mask != 0) != b.On {
		if b.On {
			a.crowd.alive++
		} else {
			a.crowd.alive--
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
	all := a.crowd.bitmaps
	if all.epoch != a.epoch {
		of := make(map[bitValue]*bitmap, len(all.of)+1)
		maps.Copy(of, all.of)
		all = &bitmaps{a.epoch, of}
		a.crowd.bitmaps = all
	}
	m := all.of[v]
	if m == nil || m.epoch != a.epoch {
		c := &bitmap{epoch: a.epoch}
		if m != nil {
			c.pages = append(make([]*bitPage, 0, len(m.pages)+1), m.pages...)
		}
		m = c
		all.of[v] = m
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

// PutColumn sets a member's value of a column. Only the country is filtered by so
// far; other columns are the store's alone.
func (a *Audience) PutColumn(c *domain.Column) {
	if c.Attribute != domain.AttrCountry {
		return
	}
	col := &a.crowd.country
	if col.epoch != a.epoch {
		*col = column{a.epoch, append(make([]*columnPage, 0, len(col.pages)+1), col.pages...)}
	}
	k := int(c.Ord >> pageBits)
	for k >= len(col.pages) {
		col.pages = append(col.pages, nil)
	}
	switch p := col.pages[k]; {
	case p == nil:
		col.pages[k] = &columnPage{epoch: a.epoch}
	case p.epoch != a.epoch:
		q := *p
		q.epoch = a.epoch
		col.pages[k] = &q
	}
	col.pages[k].values[c.Ord&(1<<pageBits-1)] = c.Value
}

// Commit publishes what was put since the last one.
func (a *Audience) Commit() *Crowd {
	c := a.crowd
	c.ids = a.ids[:len(a.ids):len(a.ids)]
	a.epoch++
	return &c
}

// Members is the number of ordinals given, members that are no more included.
func (c *Crowd) Members() int { return len(c.ids) }

// ID is the member of an ordinal.
func (c *Crowd) ID(ord domain.Ordinal) domain.MemberID { return c.ids[ord] }

// Alive is the number of members that answers show.
func (c *Crowd) Alive() int { return c.alive }

// Select is the dense bitset of the members that pass the filter; nil when that is
// everyone who has a row. ordinal finds the members that the filter names. The
// result is in dst's memory where that is large enough.
func (c *Crowd) Select(dst []uint64, f *domain.Filter, ordinal func(domain.MemberID) (domain.Ordinal, bool)) []uint64 {
	if c.alive == len(c.ids) && len(f.Members) == 0 && len(f.Exclude) == 0 && len(f.Countries) == 0 && !f.Paid {
		return nil
	}
	words := (len(c.ids) + 63) / 64
	if cap(dst) < words {
		dst = make([]uint64, words)
	}
	dst = dst[:words]
	c.copyTo(dst, bitValue{domain.AttrMember, ""})
	if len(f.Members) > 0 {
		c.keepOnly(dst, f.Members, ordinal)
	}
	if f.Paid {
		c.and(dst, bitValue{domain.AttrPaid, ""})
	}
	if len(f.Countries) > 0 {
		c.keepCountries(dst, f.Countries)
	}
	for _, id := range f.Exclude {
		if o, ok := ordinal(id); ok && int(o>>6) < len(dst) {
			dst[o>>6] &^= 1 << (o & 63)
		}
	}
	return dst
}

func (c *Crowd) copyTo(dst []uint64, v bitValue) {
	clear(dst)
	m := c.bitmaps.of[v]
	if m == nil {
		return
	}
	for k, p := range m.pages {
		if at := k << pageBits / 64; p != nil && at < len(dst) {
			copy(dst[at:], p.words[:])
		}
	}
}

func (c *Crowd) and(dst []uint64, v bitValue) {
	const words = 1 << pageBits / 64
	m := c.bitmaps.of[v]
	for i := range dst {
		k := i / words
		if m == nil || k >= len(m.pages) || m.pages[k] == nil {
			dst[i] = 0
			continue
		}
		dst[i] &= m.pages[k].words[i%words]
	}
}

// keepOnly clears all but the members named.
func (c *Crowd) keepOnly(dst []uint64, ids []domain.MemberID, ordinal func(domain.MemberID) (domain.Ordinal, bool)) {
	var kept []domain.Ordinal
	for _, id := range ids {
		if o, ok := ordinal(id); ok && int(o>>6) < len(dst) && dst[o>>6]>>(o&63)&1 == 1 {
			kept = append(kept, o)
		}
	}
	clear(dst)
	for _, o := range kept {
		dst[o>>6] |= 1 << (o & 63)
	}
}

// keepCountries clears the members of other countries.
func (c *Crowd) keepCountries(dst []uint64, countries []uint16) {
	for i := range dst {
		for w := dst[i]; w != 0; w &= w - 1 {
			o := i<<6 + bits.TrailingZeros64(w)
			land := uint16(0)
			if k := o >> pageBits; k < len(c.country.pages) && c.country.pages[k] != nil {
				land = c.country.pages[k].values[o&(1<<pageBits-1)]
			}
			if !contains(countries, land) {
				dst[i] &^= 1 << (o & 63)
			}
		}
	}
}

func contains(countries []uint16, land uint16) bool {
	for _, c := range countries {
		if c == land && land != 0 {
			return true
		}
	}
	return false
}
