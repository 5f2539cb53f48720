package bitset

import (
	"math/rand/v2"
	"testing"
)

// A set has exactly what a map with the same additions and removals has.
func TestBitset_IsWhatAMapSays(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		set, want := make([]uint64, 1+r.IntN(5)), map[uint32]bool{}
		for range r.IntN(40) {
			n := r.Uint32N(uint32(len(set) * 64))
			switch r.IntN(3) {
			case 0:
				Add(set, n)
				want[n] = true
			case 1:
				AddAll(set, []uint32{n, n / 2})
				want[n], want[n/2] = true, true
			default:
				Remove(set, n)
				delete(want, n)
			}
		}
		for n := range uint32(len(set) * 64) {
			if Get(set, n) != Bit(want[n]) {
				t.Fatalf("seed %d: %d is there: %v", seed, n, Get(set, n))
			}
		}
		only, n := Only(set)
		if Count(set) != uint64(len(want)) || Empty(set) != (len(want) == 0) || min(n, 2) != min(len(want), 2) || len(want) == 1 && !want[only] {
			t.Fatalf("seed %d: %d members, only %d of %d, want %v", seed, Count(set), only, n, want)
		}
	}
}
