package storage

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// sorter orders rows by a number, time and sequence without moving them: only 16
// bytes a row are sorted.
type sorter struct{ keys []sortKey }

type sortKey struct {
	group uint64
	time  domain.Second
	i     int32 // which row
}

func (s *sorter) reset() { s.keys = s.keys[:0] }

func (s *sorter) add(group uint64, time domain.Second, i int) {
	s.keys = append(s.keys, sortKey{group, time, int32(i)})
}

// sort sorts by (group, time, sequence); seq is the sequence of an i.
func (s *sorter) sort(seq func(i int32) uint64) {
	slices.SortFunc(s.keys, func(a, b sortKey) int {
		switch {
		case a.group != b.group:
			return compareU64(a.group, b.group)
		case a.time != b.time:
			return compareU64(uint64(a.time), uint64(b.time))
		}
		return int(a.i - b.i)
	})
	// arrival order is the order of sequences but for rows that came again
	for from := 0; from < len(s.keys); {
		k, sorted, to := s.keys[from], true, from+1
		for ; to < len(s.keys) && s.keys[to].group == k.group && s.keys[to].time == k.time; to++ {
			sorted = sorted && seq(s.keys[to-1].i) <= seq(s.keys[to].i)
		}
		if !sorted {
			slices.SortStableFunc(s.keys[from:to], func(a, b sortKey) int { return compareU64(seq(a.i), seq(b.i)) })
		}
		from = to
	}
}

// gather copies the marks in their order to dst.
func (s *sorter) gather(dst, marks []mark) []mark {
	dst = slices.Grow(dst[:0], len(s.keys))[:len(s.keys)]
	for j := range s.keys {
		dst[j] = marks[s.keys[j].i]
	}
	return dst
}

// numbering gives account-months small numbers, in order of first appearance.
type numbering struct {
	numbers map[accountMonth]int
	groups  []accountMonth
	last    int // number of the group asked for last
}

func (n *numbering) reset() {
	if n.numbers == nil {
		n.numbers = map[accountMonth]int{}
	}
	clear(n.numbers)
	n.groups, n.last = n.groups[:0], 0
}

func (n *numbering) of(k accountMonth) int {
	if n.last < len(n.groups) && n.groups[n.last] == k {
		return n.last
	}
	i, ok := n.numbers[k]
	if !ok {
		i = len(n.groups)
		n.numbers[k] = i
		n.groups = append(n.groups, k)
	}
	n.last = i
	return i
}
