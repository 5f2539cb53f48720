package member

import (
	"slices"
	"sync"
)

// countryIndex has the members of each country of a page. It is made when a
// question first filters by country, and of a page that is published, which never
// changes: so it holds for as long as the page does. A member takes at most 4 bytes
// of it.
type countryIndex struct {
	codes []uint16             // ascending; unknown is not among them
	sets  []*[pageWords]uint64 // of each: its members, where they are many
	lists [][]uint16           // of each: its members, where they are not
}

// manyFrom is the number of members of a page from which a set of them takes no more than
// 4 bytes for each.
const manyFrom = pageWords * 8 / 4

// into adds the members of a country to a page's set.
func (l *countryIndex) into(set *[pageWords]uint64, code uint16) {
	at, ok := slices.BinarySearch(l.codes, code)
	if !ok {
		return
	}
	if m := l.sets[at]; m != nil {
		for i, w := range m {
			set[i] |= w
		}
		return
	}
	for _, i := range l.lists[at] {
		set[i>>6] |= 1 << (i & 63)
	}
}

// countryCount is how many members of a page have each value, and the values that occur.
type countryCount struct {
	of       [1 << 16]uint16 // zero between pages, but for unknown
	distinct []uint16
}

var countryCounts = sync.Pool{New: func() any { return new(countryCount) }}

// countryIndex is the index of a published page.
func (p *columnPage) countryIndex() *countryIndex {
	if l := p.countries.Load(); l != nil {
		return l
	}
	n := countryCounts.Get().(*countryCount)
	defer countryCounts.Put(n)
	n.distinct = n.distinct[:0]
	for _, v := range p.values {
		if n.of[v]++; n.of[v] == 1 && v != 0 {
			n.distinct = append(n.distinct, v)
		}
	}
	slices.Sort(n.distinct)
	l := &countryIndex{slices.Clone(n.distinct), make([]*[pageWords]uint64, len(n.distinct)), make([][]uint16, len(n.distinct))}
	listed := 0
	for i, v := range n.distinct {
		if n.of[v] >= manyFrom {
			l.sets[i] = new([pageWords]uint64)
		} else {
			listed += int(n.of[v])
		}
	}
	free := make([]uint16, listed)
	for i, v := range n.distinct {
		if k := n.of[v]; l.sets[i] == nil {
			l.lists[i], free = free[:0:k], free[k:]
		}
		n.of[v] = uint16(i)
	}
	for i, v := range p.values {
		if v == 0 {
			continue
		}
		at := n.of[v]
		if m := l.sets[at]; m != nil {
			m[i>>6] |= 1 << (i & 63)
		} else {
			l.lists[at] = append(l.lists[at], uint16(i))
		}
	}
	for _, v := range n.distinct {
		n.of[v] = 0
	}
	p.countries.Store(l)
	return l
}
