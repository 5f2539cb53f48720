package member

import (
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// pageWords is the number of words of a bitmap's page.
const pageWords = 1 << pageBits / 64

// Select is the dense bitset of the members that pass the filter; nil when that is
// everyone who has a row. ordinal finds the members that the filter names. The
// result is in dst's memory where that is large enough.
func (c *Index) Select(dst []uint64, f *domain.Filter, ordinal func(domain.MemberID) (domain.Ordinal, bool)) []uint64 {
	if c.alive == len(c.ids) && !f.OfMembers() {
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
		c.and(dst, domain.AttrPaid, "")
	}
	if f.Domain != "" {
		c.and(dst, domain.AttrDomain, f.Domain)
	}
	if f.OptIn != "" {
		c.and(dst, domain.AttrOptIn, f.OptIn)
	}
	if len(f.Regions) > 0 {
		c.and(dst, domain.AttrRegion, f.Regions...)
	}
	if len(f.Countries) > 0 {
		c.keepCountries(dst, f.Countries)
	}
	if len(f.Holds) > 0 {
		c.and(dst, domain.AttrService, serviceValues(f.Holds)...)
	}
	for _, field := range f.Has {
		c.and(dst, domain.AttrHas, domain.HasValue(field))
	}
	if len(f.Genders) > 0 {
		c.and(dst, domain.AttrGender, genderValues(f.Genders)...)
	}
	if f.Born != nil {
		c.keepBorn(dst, *f.Born)
	}
	if f.Opted {
		c.keepAny(dst, c.bitmaps.opted(f.Ended))
	}
	for _, id := range f.Exclude {
		if o, ok := ordinal(id); ok && int(o>>6) < len(dst) {
			dst[o>>6] &^= 1 << (o & 63)
		}
	}
	return dst
}

func (c *Index) copyTo(dst []uint64, v bitValue) {
	clear(dst)
	m := c.bitmaps.get(v)
	if m == nil {
		return
	}
	for k, p := range m.pages {
		if at := k * pageWords; p != nil && at < len(dst) {
			copy(dst[at:], p.words[:])
		}
	}
}

// and clears the members that have none of the values.
func (c *Index) and(dst []uint64, a domain.Attribute, values ...string) {
	var maps []*bitmap
	for _, v := range values {
		if m := c.bitmaps.get(bitValue{a, v}); m != nil {
			maps = append(maps, m)
		}
	}
	c.keepAny(dst, maps)
}

// keepAny clears the members that are in none of the bitmaps.
func (c *Index) keepAny(dst []uint64, maps []*bitmap) {
	for k := 0; k*pageWords < len(dst); k++ {
		var any [pageWords]uint64
		for _, m := range maps {
			if k >= len(m.pages) || m.pages[k] == nil {
				continue
			}
			for i, w := range m.pages[k].words {
				any[i] |= w
			}
		}
		for i, w := range any[:min(pageWords, len(dst)-k*pageWords)] {
			dst[k*pageWords+i] &= w
		}
	}
}

// keepOnly clears all but the members named.
func (c *Index) keepOnly(dst []uint64, ids []domain.MemberID, ordinal func(domain.MemberID) (domain.Ordinal, bool)) {
	kept := make([]domain.Ordinal, 0, min(len(ids), c.alive))
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

// keepCountries clears the members of other countries, and those without one.
func (c *Index) keepCountries(dst []uint64, countries []uint16) {
	for at := 0; at < len(dst); at += pageWords {
		var any [pageWords]uint64
		if k := at / pageWords; k < len(c.country.pages) && c.country.pages[k] != nil {
			l := c.country.pages[k].countryIndex()
			for _, code := range countries {
				l.into(&any, code)
			}
		}
		page := dst[at:min(at+pageWords, len(dst))]
		for i := range page {
			page[i] &= any[i]
		}
	}
}

// keepBorn clears the members born on other days, and those of no known birth day.
func (c *Index) keepBorn(dst []uint64, days domain.BirthDays) {
	first := max(days.First, 1)
	for at := 0; at < len(dst); at += pageWords {
		page := dst[at:min(at+pageWords, len(dst))]
		k := at / pageWords
		if k >= len(c.born.pages) || c.born.pages[k] == nil || first > days.Last {
			clear(page)
			continue
		}
		born, width := &c.born.pages[k].values, days.Last-first
		for i, w := range page {
			for ; w != 0; w &= w - 1 {
				bit := bits.TrailingZeros64(w)
				if born[i<<6|bit]-first > width {
					page[i] &^= 1 << bit
				}
			}
		}
	}
}

// genderValues are the values of AttrGender of codes.
func genderValues(codes []uint16) (values []string) {
	for _, code := range codes {
		if i := int(code) - 1; i >= 0 && i < len(domain.Genders) {
			values = append(values, domain.Genders[i])
		}
	}
	return values
}

// Valid is the bitset of the members with a valid record of the service.
func (c *Index) Valid(s domain.Service) []uint64 {
	set := make([]uint64, (len(c.ids)+63)/64)
	c.copyTo(set, bitValue{domain.AttrService, serviceValue(s)})
	lapsed := c.bitmaps.get(bitValue{domain.AttrLapsed, serviceValue(s)})
	if lapsed == nil {
		return set
	}
	for k, p := range lapsed.pages {
		for i := k * pageWords; p != nil && i < min((k+1)*pageWords, len(set)); i++ {
			set[i] &^= p.words[i-k*pageWords]
		}
	}
	return set
}

// Void are the sequences of the signups whose records are not valid, of members with a valid record of
// the same service, and the bitset of these members; nil: there are none. It goes through all values.
func (c *Index) Void() (signups map[uint64]struct{}, members []uint64) {
	for _, p := range c.bitmaps.of {
		if p == nil {
			continue
		}
		for v, m := range p.of {
			if v.attribute != domain.AttrVoid || m.empty() {
				continue
			}
			if signups == nil {
				signups, members = map[uint64]struct{}{}, make([]uint64, (len(c.ids)+63)/64)
			}
			signups[domain.VoidSequence(v.value)] = struct{}{}
			m.addTo(members)
		}
	}
	return signups, members
}

// empty reports that the bitmap has no member.
func (m *bitmap) empty() bool {
	return !slices.ContainsFunc(m.pages, func(p *bitPage) bool { return p != nil && p.words != [1 << pageBits / 64]uint64{} })
}

// addTo adds the bitmap's members to a set of all.
func (m *bitmap) addTo(set []uint64) {
	for k, p := range m.pages {
		for i := k * pageWords; p != nil && i < min((k+1)*pageWords, len(set)); i++ {
			set[i] |= p.words[i-k*pageWords]
		}
	}
}
