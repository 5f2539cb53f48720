package scan

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
)

// memberFilter is whose rows count.
type memberFilter struct {
	filter []uint64 // nil: everybody's
	flat   []uint8  // the filter, a byte a member, if not empty
	padded []uint64
	alone  bool // only the member one passes the filter
	one    uint32
	words  int // of a set of members
}

// pad is the filter with a word for every member.
func (x *memberFilter) pad(f []uint64) []uint64 {
	if f == nil || len(f) >= x.words {
		return f
	}
	x.padded = sized(x.padded, x.words)
	clear(x.padded[copy(x.padded, f):])
	return x.padded
}

// filterBy has rows of these members alone pass.
func (x *memberFilter) filterBy(f []uint64) { x.filter, x.flat = f, x.flat[:0] }

// passing is about how many of so many rows are of members who pass the filter.
func (x *memberFilter) passing(size int) int {
	if x.filter == nil || size == 0 {
		return size
	}
	return int(uint64(size) * bitset.Count(x.filter[:x.words]) / uint64(64*x.words))
}

// flatten spreads the filter to a byte a member where the spans have more rows,
// spanned of them, than there
// are members: a row takes half as long then.
func (x *memberFilter) flatten(spanned int) {
	if x.filter == nil || x.alone || len(x.flat) > 0 || spanned < x.words*64 {
		return
	}
	x.flat = sized(x.flat, x.words*64)
	for i, w := range x.filter[:x.words] {
		to := x.flat[i*64:][:64]
		for j := 0; j < 64; j += 8 {
			binary.LittleEndian.PutUint64(to[j:], eight[w>>j&255])
		}
	}
}

// eight are the bits of a byte, a byte each.
var eight = func() (out [256]uint64) {
	for v := range out {
		for i := range 8 {
			out[v] |= uint64(v>>i&1) << (8 * i)
		}
	}
	return out
}()
