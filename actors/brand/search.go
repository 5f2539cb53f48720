package brand

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Search reads what a brand's actions at the range's times say, but for those that near
// passes over, and calls f with each, perhaps with others too: f knows its rows by
// their sequence. Neither keeps what it is given.
type Search func(brand domain.BrandID, in domain.Range, near func(text []byte) (next func(from int) int), f func(seq uint64, content []byte)) error

// searchFrom says when contents are searched rather than read row by row: when one in so
// many of the rows at those times waits. A row that is passed over costs a twentieth of
// one that is looked up.
const searchFrom = 16

// sought is what a search needs to know its rows by their sequence.
type sought struct {
	keys [2][]uint64
	low  uint64
	in   []uint64 // sequence above low, and which row, in order of sequence
}

// search looks for the keyword in the rows that wait by going through all that the brand's
// actions of their times say; false where that does not pay, or cannot be done.
func (f *feeder) search() bool {
	a := f.ask
	if a.Search == nil || f.rowsIn == nil || len(f.wait) < 2*searchFrom {
		return false
	}
	in, high := f.measure()
	if high-f.low >= 1<<32 || uint64(len(f.wait))*searchFrom < f.rowsIn(in) {
		return false
	}
	s := &f.sought
	s.in = room(&s.keys, len(f.wait))
	for i := range f.wait {
		s.in[i] = (f.wait[i].seq-s.low)<<32 | uint64(i)
	}
	s.in = radix(s.in, s.keys[1][:len(s.in)])
	f.err = a.Search(a.Label(f.wait[0].brand), in, f.word.near, func(seq uint64, content []byte) {
		if i, ok := s.find(seq); ok && f.word.in(content) {
			f.found++
			f.add(&f.wait[i])
		}
	})
	f.wait = f.wait[:0]
	return true
}

// measure is the times of the rows that wait, and their highest sequence.
func (f *feeder) measure() (in domain.Range, high uint64) {
	in, f.low = domain.Range{From: f.wait[0].time, To: f.wait[0].time}, f.wait[0].seq
	for i := range f.wait {
		r := &f.wait[i]
		in.From, in.To = min(in.From, r.time), max(in.To, r.time)
		f.low, high = min(f.low, r.seq), max(high, r.seq)
	}
	in.To++
	return in, high
}

// find is the row with a sequence.
func (s *sought) find(seq uint64) (int, bool) {
	if seq < s.low || seq-s.low >= 1<<32 {
		return 0, false
	}
	at, _ := slices.BinarySearch(s.in, (seq-s.low)<<32)
	if at == len(s.in) || s.in[at]>>32 != seq-s.low {
		return 0, false
	}
	return int(uint32(s.in[at])), true
}
