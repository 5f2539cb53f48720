package storage

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// sorter orders rows by a number, time and sequence without moving them: only 16
// bytes a row are sorted.
type sorter struct {
	keys  []sortKey
	spare []sortKey
}

type sortKey struct {
	group uint64
	time  domain.Second
	i     int32 // which row
}

func (s *sorter) reset() { s.keys = s.keys[:0] }

// add adds a row; i ascends, unless the groups are different all.
func (s *sorter) add(group uint64, time domain.Second, i int) {
	s.keys = append(s.keys, sortKey{group, time, int32(i)})
}

// sort sorts by (group, time, sequence); seq is the sequence of an i.
func (s *sorter) sort(seq func(i int32) uint64) {
	s.ascending()
	// arrival order is the order of sequences but for rows that came again
	for from := 0; from < len(s.keys); {
		k, sorted, to := s.keys[from], true, from+1
		for ; to < len(s.keys) && s.keys[to].group == k.group && s.keys[to].time == k.time; to++ {
			sorted = sorted && seq(s.keys[to-1].i) <= seq(s.keys[to].i)
		}
		if !sorted {
			slices.SortStableFunc(s.keys[from:to], func(a, b sortKey) int { return cmp.Compare(seq(a.i), seq(b.i)) })
		}
		from = to
	}
}

// ascending sorts by (group, time, i).
func (s *sorter) ascending() {
	if len(s.keys) >= radixFrom {
		s.radix()
		return
	}
	slices.SortFunc(s.keys, func(a, b sortKey) int {
		switch {
		case a.group != b.group:
			return cmp.Compare(a.group, b.group)
		case a.time != b.time:
			return cmp.Compare(a.time, b.time)
		}
		return int(a.i - b.i)
	})
}

// radixFrom is the number of rows from which they are sorted by digits: rows of a tail
// differ in few of the twelve. At 10,000 rows of 5,000 groups a row takes 35 ns by digits
// and 145 ns by comparison, 0.24 × (medians of 3 on a loaded machine, 2026-11-24); a
// committed row takes about 1.9 µs of CPU.
const radixFrom = 256

// radix sorts by (group, time), equal ones in the order they stand in: by one digit of
// eight bits after the other, the least first, those left out in which all are the same.
func (s *sorter) radix() {
	var groups uint64
	var times domain.Second
	first := s.keys[0]
	for i := range s.keys {
		groups |= s.keys[i].group ^ first.group
		times |= s.keys[i].time ^ first.time
	}
	s.spare = slices.Grow(s.spare[:0], len(s.keys))[:len(s.keys)]
	for at := range 12 {
		if (&sortKey{group: groups, time: times}).digit(at) != 0 {
			s.byDigit(at)
		}
	}
}

// digit is one of the twelve, the least first: four of the time, then the group's.
func (k *sortKey) digit(at int) uint8 {
	if at < 4 {
		return uint8(k.time >> (8 * at))
	}
	return uint8(k.group >> (8 * (at - 4)))
}

// byDigit puts the keys in order of one digit.
func (s *sorter) byDigit(at int) {
	var to [256]int32
	for i := range s.keys {
		to[s.keys[i].digit(at)]++
	}
	sum := int32(0)
	for d, n := range to {
		to[d], sum = sum, sum+n
	}
	for i := range s.keys {
		d := s.keys[i].digit(at)
		s.spare[to[d]] = s.keys[i]
		to[d]++
	}
	s.keys, s.spare = s.spare, s.keys
}

// gather copies the marks in their order to dst.
func (s *sorter) gather(dst, marks []format.Action) []format.Action {
	dst = slices.Grow(dst[:0], len(s.keys))[:len(s.keys)]
	for j := range s.keys {
		dst[j] = marks[s.keys[j].i]
	}
	return dst
}

// numbering gives account-months small numbers, in order of first appearance.
type numbering struct {
	numbers map[format.AccountMonth]int
	groups  []format.AccountMonth
	last    int // number of the group asked for last
}

func (n *numbering) reset() {
	if n.numbers == nil {
		n.numbers = map[format.AccountMonth]int{}
	}
	clear(n.numbers)
	n.groups, n.last = n.groups[:0], 0
}

func (n *numbering) of(k format.AccountMonth) int {
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
