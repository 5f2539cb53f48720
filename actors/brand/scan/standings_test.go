package scan

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
)

func TestBitset_OnlyIsTheSingleMember(t *testing.T) {
	for _, c := range []struct {
		set  []uint64
		ord  uint32
		many int // 0, 1 or more
	}{
		{nil, 0, 0},
		{[]uint64{0, 0}, 0, 0},
		{[]uint64{1}, 0, 1},
		{[]uint64{0, 0, 1 << 63}, 191, 1},
		{[]uint64{3}, 0, 2},
		{[]uint64{1, 0, 8}, 0, 2},
	} {
		ord, n := bitset.Only(c.set)
		if min(n, 2) != c.many || n == 1 && ord != c.ord {
			t.Errorf("%x: member %d of %d", c.set, ord, n)
		}
	}
}

func TestPlacesOfOne_AreThoseOfItsRows(t *testing.T) {
	for size := range 40 {
		for mask := range 1 << min(size, 10) {
			ords, want := make([]uint32, size), []uint16{}
			for i := range ords {
				if ords[i] = 7; mask>>(i*10/max(size, 1))&1 == 0 {
					ords[i] = uint32(i % 7)
				} else {
					want = append(want, uint16(i))
				}
			}
			pos := make([]uint16, size+1)
			if got := pos[:placesOfOne(pos, ords, 7)]; !slices.Equal(got, want) {
				t.Fatalf("%v: %v, want %v", ords, got, want)
			}
		}
	}
}
