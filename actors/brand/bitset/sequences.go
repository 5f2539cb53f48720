package bitset

import "math/bits"

// Sequences is a set of sequences: they are added, then indexed, then asked for.
type Sequences struct {
	list []uint64
	Len  int // in list

	low   uint64
	dense []uint64 // if not empty, a bit for each sequence from low on
	table []uint64 // else 1 + a sequence at its hash or after it; 0: free. A power of two long, at most half full
	shift int
}

// fewWords and hitWords say when a bit for each sequence in between is kept: where they take
// few words, or no more than so many for each sequence.
const (
	fewWords = 1 << 10
	hitWords = 2
)

// Clear empties the set.
func (s *Sequences) Clear() {
	s.list, s.Len = s.list[:0], 0
	if cap(s.list) > 1<<16 {
		*s = Sequences{}
	}
}

// Add puts a sequence into the set.
func (s *Sequences) Add(seq uint64) {
	s.list = append(s.list, seq)
	s.Len++
}

// Index prepares for questions. Nothing is added after it.
func (s *Sequences) Index() {
	high := uint64(0)
	s.low, s.dense = ^uint64(0), s.dense[:0]
	for _, seq := range s.list {
		s.low, high = min(s.low, seq), max(high, seq)
	}
	if s.Len == 0 {
		return
	}
	if words := (high-s.low)/64 + 1; words <= fewWords+hitWords*uint64(s.Len) {
		s.dense = Sized(s.dense, int(words))
		clear(s.dense)
		for _, seq := range s.list {
			s.dense[(seq-s.low)>>6] |= 1 << ((seq - s.low) & 63)
		}
		return
	}
	size := 64
	for size < 2*s.Len {
		size *= 2
	}
	s.table, s.shift = Sized(s.table, size), 64-bits.TrailingZeros(uint(size))
	clear(s.table)
	for _, seq := range s.list {
		s.table[s.place(seq)] = seq + 1
	}
}

// place is where the sequence is, or would be.
func (s *Sequences) place(seq uint64) int {
	i := int((seq + 1) * 0x9E3779B97F4A7C15 >> s.shift)
	for s.table[i] != 0 && s.table[i] != seq+1 {
		i = (i + 1) & (len(s.table) - 1)
	}
	return i
}

// Has reports that the set has the sequence. Index was called.
func (s *Sequences) Has(seq uint64) bool {
	if len(s.dense) > 0 {
		at := seq - s.low
		return at>>6 < uint64(len(s.dense)) && s.dense[at>>6]>>(at&63)&1 == 1
	}
	return s.Len > 0 && s.table[s.place(seq)] != 0
}
