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
	many  []*[pageWords]uint64 // of each: its members, where they are many
	few   [][]uint16           // of each: its members, where they are not
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
	if m := l.many[at]; m != nil {
		for i, w := range m {
			set[i] |= w
		}
		return
	}
	for _, i := range l.few[at] {
		set[i>>6] |= 1 << (i & 63)
	}
}

// countryCount is how many members of a page have each value, and the values met.
type countryCount struct {
	of  [1 << 16]uint16 // zero between pages, but for unknown
	met []uint16
}

var countryCounts = sync.Pool{New: func() any { return new(countryCount) }}

// countryIndex is the index of a published page.
func (p *columnPage) countryIndex() *countryIndex {
	if l := p.countries.Load(); l != nil {
		return l
	}
	n := countryCounts.Get().(*countryCount)
	defer countryCounts.Put(n)
	n.met = n.met[:0]
	for _, v := range p.values {
		if n.of[v]++; n.of[v] == 1 && v != 0 {
			n.met = append(n.met, v)
		}
	}
	slices.Sort(n.met)
	l := &countryIndex{slices.Clone(n.met), make([]*[pageWords]uint64, len(n.met)), make([][]uint16, len(n.met))}
	few := 0
	for i, v := range n.met {
		if n.of[v] >= manyFrom {
			l.many[i] = new([pageWords]uint64)
		} else {
			few += int(n.of[v])
		}
	}
	free := make([]uint16, few)
	for i, v := range n.met {
		if k := n.of[v]; l.many[i] == nil {
			l.few[i], free = free[:0:k], free[k:]
		}
		n.of[v] = uint16(i)
	}
	for i, v := range p.values {
		if v == 0 {
			continue
		}
		at := n.of[v]
		if m := l.many[at]; m != nil {
			m[i>>6] |= 1 << (i & 63)
		} else {
			l.few[at] = append(l.few[at], uint16(i))
		}
	}
	for _, v := range n.met {
		n.of[v] = 0
	}
	p.countries.Store(l)
	return l
}
