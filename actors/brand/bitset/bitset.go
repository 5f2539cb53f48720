package bitset

import "math/bits"

// Get is 1 if the set has n, else 0: loops add it up without a branch.
func Get(set []uint64, n uint32) int { return int(set[n>>6] >> (n & 63) & 1) }

// Bit is 1 if b holds, else 0.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AddAll puts numbers into the set. A nil set takes none.
func AddAll(set []uint64, numbers []uint32) {
	if set == nil {
		return
	}
	for _, n := range numbers {
		set[n>>6] |= 1 << (n & 63)
	}
}

// Remove takes a number out of the set.
func Remove(set []uint64, n uint32) { set[n>>6] &^= 1 << (n & 63) }

// Count is how many numbers the set has.
func Count(set []uint64) (n uint64) {
	for _, w := range set {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// Empty reports that the set has no number.
func Empty(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return false
		}
	}
	return true
}

// Only is the single number of the set; n is how many it has, not counted beyond two.
func Only(set []uint64) (only uint32, n int) {
	for i, w := range set {
		if w == 0 {
			continue
		}
		only = uint32(i<<6 | bits.TrailingZeros64(w))
		if n += bits.OnesCount64(w); n > 1 {
			return only, n
		}
	}
	return only, n
}
