package member

import "github.com/ovation-analytics/ovation/actors/domain"

// Listed is the dense bitset of the members on a segment's list: who opted in or was
// put there, and those in performed, a bitset that may be nil, without those who have opted out since.
// The result is in dst's memory where that is large enough.
func (c *Index) Listed(dst []uint64, segment domain.SegmentID, performed []uint64) []uint64 {
	words := (len(c.ids) + 63) / 64
	if cap(dst) < words {
		dst = make([]uint64, words)
	}
	dst = dst[:words]
	value := domain.OptValue(domain.OptSegment, uint32(segment))
	c.copyTo(dst, bitValue{domain.AttrOptIn, value})
	c.each(bitValue{domain.AttrListed, value}, words, func(i int, w uint64) { dst[i] |= w })
	for i, w := range performed[:min(len(performed), words)] {
		dst[i] |= w
	}
	c.each(bitValue{domain.AttrOptOut, value}, words, func(i int, w uint64) { dst[i] &^= w })
	c.and(dst, domain.AttrMember, "")
	return dst
}

// Listed is Index.Listed as of now.
func (a *Audience) Listed(dst []uint64, segment domain.SegmentID, performed []uint64) []uint64 {
	now := a.index
	now.ids = a.ids
	return now.Listed(dst, segment, performed)
}

// OnList reports that a member is on a segment's list; performed: it did enough for that. It says of a member what Listed says of
// all.
func (a *Audience) OnList(ord domain.Ordinal, segment domain.SegmentID, performed bool) bool {
	value := domain.OptValue(domain.OptSegment, uint32(segment))
	return a.has(bitValue{domain.AttrMember, ""}, ord) && !a.has(bitValue{domain.AttrOptOut, value}, ord) &&
		(performed || a.has(bitValue{domain.AttrOptIn, value}, ord) || a.has(bitValue{domain.AttrListed, value}, ord))
}

// has reports that a bit is set.
func (a *Audience) has(v bitValue, ord domain.Ordinal) bool {
	m, k := a.index.bitmaps.get(v), int(ord>>pageBits)
	if m == nil || k >= len(m.pages) || m.pages[k] == nil {
		return false
	}
	i := ord & (1<<pageBits - 1)
	return m.pages[k].words[i>>6]>>(i&63)&1 != 0
}

// each calls f with the first words of a value's bitmap, those of pages that are not
// there left out.
func (c *Index) each(v bitValue, words int, f func(i int, w uint64)) {
	m := c.bitmaps.get(v)
	if m == nil {
		return
	}
	for k, p := range m.pages {
		if p == nil {
			continue
		}
		for i, w := range p.words[:max(0, min(pageWords, words-k*pageWords))] {
			f(k*pageWords+i, w)
		}
	}
}
