package scan

import "math/bits"

// sequences is a set of sequences: they are added, then indexed, then asked for.
type sequences struct {
	list []uint64
	n    int // in list

	low   uint64
	dense []uint64 // if not empty, a bit for each sequence from low on
	table []uint64 // else 1 + a sequence at its hash or behind it; 0: free. A power of two long, at most half full
	shift int
}

// fewWords and hitWords say when a bit for each sequence in between is kept: where they take
// few words, or no more than so many for each sequence.
const (
	fewWords = 1 << 10
	hitWords = 2
)

func (s *sequences) clear() {
	s.list, s.n = s.list[:0], 0
	if cap(s.list) > 1<<16 {
		*s = sequences{}
	}
}

func (s *sequences) add(seq uint64) {
	s.list = append(s.list, seq)
	s.n++
}

// index prepares for questions. Nothing is added after it.
func (s *sequences) index() {
	high := uint64(0)
	s.low, s.dense = ^uint64(0), s.dense[:0]
	for _, seq := range s.list {
		s.low, high = min(s.low, seq), max(high, seq)
	}
	if s.n == 0 {
		return
	}
	if words := (high-s.low)/64 + 1; words <= fewWords+hitWords*uint64(s.n) {
		s.dense = sized(s.dense, int(words))
		clear(s.dense)
		for _, seq := range s.list {
			s.dense[(seq-s.low)>>6] |= 1 << ((seq - s.low) & 63)
		}
		return
	}
	size := 64
	for size < 2*s.n {
		size *= 2
	}
	s.table, s.shift = sized(s.table, size), 64-bits.TrailingZeros(uint(size))
	clear(s.table)
	for _, seq := range s.list {
		s.table[s.place(seq)] = seq + 1
	}
}

// place is where the sequence stands, or would.
func (s *sequences) place(seq uint64) int {
	i := int((seq + 1) * 0x9E3779B97F4A7C15 >> s.shift)
	for s.table[i] != 0 && s.table[i] != seq+1 {
		i = (i + 1) & (len(s.table) - 1)
	}
	return i
}

func (s *sequences) has(seq uint64) bool {
	if len(s.dense) > 0 {
		at := seq - s.low
		return at>>6 < uint64(len(s.dense)) && s.dense[at>>6]>>(at&63)&1 == 1
	}
	return s.n > 0 && s.table[s.place(seq)] != 0
}
