package scan

import "github.com/ovation-analytics/ovation/actors/brand/bitset"

// marks tell by ordinal in which count a member was met last: a new generation forgets all.
type marks struct {
	seen []uint32
	gen  uint32
}

// distinct counts the different ordinals.
func (x *marks) distinct(ords []uint32) uint64 {
	x.nobody()
	return x.unseen(ords)
}

// nobody makes all generation marks worthless.
func (x *marks) nobody() {
	if x.gen++; x.gen == 0 {
		clear(x.seen)
		x.gen = 1
	}
}

// unseen counts the ordinals not met since nobody was, and marks them.
func (x *marks) unseen(ords []uint32) (n uint64) {
	seen, gen := x.seen, x.gen
	for _, o := range ords {
		n += uint64(bitset.Bit(seen[o] != gen))
		seen[o] = gen
	}
	return n
}
