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
