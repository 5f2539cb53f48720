package rowsort

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Sorter orders rows by a number, time and sequence without moving them: only 16
// bytes a row are sorted.
type Sorter struct {
	Keys  []Key
	spare []Key
}

// Key is a row in the order.
type Key struct {
	Group uint64
	Time  domain.Second
	I     int32 // which row
}

// Reset empties it.
func (s *Sorter) Reset() { s.Keys = s.Keys[:0] }

// Add adds a row; i ascends, unless the groups are different all.
func (s *Sorter) Add(group uint64, time domain.Second, i int) {
	s.Keys = append(s.Keys, Key{group, time, int32(i)})
}

// Sort sorts by (group, time, sequence); seq is the sequence of an i.
func (s *Sorter) Sort(seq func(i int32) uint64) {
	s.Ascending()
	// arrival order is the order of sequences but for rows that came again
	for from := 0; from < len(s.Keys); {
		k, sorted, to := s.Keys[from], true, from+1
		for ; to < len(s.Keys) && s.Keys[to].Group == k.Group && s.Keys[to].Time == k.Time; to++ {
			sorted = sorted && seq(s.Keys[to-1].I) <= seq(s.Keys[to].I)
		}
		if !sorted {
			slices.SortStableFunc(s.Keys[from:to], func(a, b Key) int { return cmp.Compare(seq(a.I), seq(b.I)) })
		}
		from = to
	}
}

// Ascending sorts by (group, time, i).
func (s *Sorter) Ascending() {
	if len(s.Keys) >= radixFrom {
		s.radix()
		return
	}
	slices.SortFunc(s.Keys, func(a, b Key) int {
		switch {
		case a.Group != b.Group:
			return cmp.Compare(a.Group, b.Group)
		case a.Time != b.Time:
			return cmp.Compare(a.Time, b.Time)
		}
		return int(a.I - b.I)
	})
}

// radixFrom is the number of rows from which they are sorted by digits: rows of a tail
// differ in few of the twelve. At 10,000 rows of 5,000 groups a row takes 35 ns by digits
// and 145 ns by comparison, 0.24 × (medians of 3 on a loaded machine, 2026-11-24); a
// committed row takes about 1.9 µs of CPU.
const radixFrom = 256

// radix sorts by (group, time), equal ones in the order they stand in: by one digit of
// eight bits after the other, the least first, those left out in which all are the same.
func (s *Sorter) radix() {
	var groups uint64
	var times domain.Second
	first := s.Keys[0]
	for i := range s.Keys {
		groups |= s.Keys[i].Group ^ first.Group
		times |= s.Keys[i].Time ^ first.Time
	}
	s.spare = slices.Grow(s.spare[:0], len(s.Keys))[:len(s.Keys)]
	for at := range 12 {
		if (&Key{Group: groups, Time: times}).digit(at) != 0 {
			s.byDigit(at)
		}
	}
}

// digit is one of the twelve, the least first: four of the time, then the group's.
func (k *Key) digit(at int) uint8 {
	if at < 4 {
		return uint8(k.Time >> (8 * at))
	}
	return uint8(k.Group >> (8 * (at - 4)))
}

// byDigit puts the keys in order of one digit.
func (s *Sorter) byDigit(at int) {
	var to [256]int32
	for i := range s.Keys {
		to[s.Keys[i].digit(at)]++
	}
	sum := int32(0)
	for d, n := range to {
		to[d], sum = sum, sum+n
	}
	for i := range s.Keys {
		d := s.Keys[i].digit(at)
		s.spare[to[d]] = s.Keys[i]
		to[d]++
	}
	s.Keys, s.spare = s.spare, s.Keys
}

// Gather copies the actions in their order to dst.
func (s *Sorter) Gather(dst, marks []format.Action) []format.Action {
	dst = slices.Grow(dst[:0], len(s.Keys))[:len(s.Keys)]
	for j := range s.Keys {
		dst[j] = marks[s.Keys[j].I]
	}
	return dst
}

// Numbering gives account-months small numbers, in order of first appearance.
type Numbering struct {
	numbers map[format.AccountMonth]int
	Groups  []format.AccountMonth
	last    int // number of the group asked for last
}

// Reset empties it.
func (n *Numbering) Reset() {
	if n.numbers == nil {
		n.numbers = map[format.AccountMonth]int{}
	}
	clear(n.numbers)
	n.Groups, n.last = n.Groups[:0], 0
}

// Of is the number of an account's month.
func (n *Numbering) Of(k format.AccountMonth) int {
	if n.last < len(n.Groups) && n.Groups[n.last] == k {
		return n.last
	}
	i, ok := n.numbers[k]
	if !ok {
		i = len(n.Groups)
		n.numbers[k] = i
		n.Groups = append(n.Groups, k)
	}
	n.last = i
	return i
}
