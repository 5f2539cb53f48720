package bitset

import (
	"testing"

	"pgregory.net/rapid"
)

// A set has exactly what a map with the same additions and removals has.
func TestBitset_IsWhatAMapSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, want := make([]uint64, rapid.IntRange(1, 5).Draw(t, "words")), map[uint32]bool{}
		ord := func(t *rapid.T) uint32 { return rapid.Uint32Range(0, uint32(len(set)*64-1)).Draw(t, "ord") }
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				n := ord(t)
				AddAll(set, []uint32{n, n / 2})
				want[n], want[n/2] = true, true
			},
			"remove": func(t *rapid.T) {
				n := ord(t)
				Remove(set, n)
				delete(want, n)
			},
			"": func(t *rapid.T) {
				for n := range uint32(len(set) * 64) {
					if Get(set, n) != Bit(want[n]) {
						t.Fatalf("%d is there: %v", n, Get(set, n))
					}
				}
				only, n := Only(set)
				if Count(set) != uint64(len(want)) || Empty(set) != (len(want) == 0) || min(n, 2) != min(len(want), 2) || len(want) == 1 && !want[only] {
					t.Fatalf("%d members, only %d of %d, want %v", Count(set), only, n, want)
				}
			},
		})
	})
}
