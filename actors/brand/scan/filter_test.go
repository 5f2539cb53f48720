package scan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whether a filter is looked at by bits or by bytes, the same rows pass.
func TestMemberFilter_FlatPassesTheSameRows(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 23))
	for range 200 {
		x := &memberFilter{words: 1 + r.IntN(20)}
		f, ords := make([]uint64, x.words), make([]uint32, x.words*64+r.IntN(1000))
		for i := range f {
			f[i] = r.Uint64()
		}
		for i := range ords {
			ords[i] = r.Uint32N(uint32(x.words * 64))
		}
		x.filterBy(f)
		spanned := len(ords)
		x.flatten(spanned)
		var want []uint16
		for i, o := range ords {
			if f[o/64]>>(o%64)&1 == 1 {
				want = append(want, uint16(i))
			}
		}
		pos := make([]uint16, len(ords)+1)
		if got := pos[:placesIn(pos, ords, f)]; !slices.Equal(got, want) {
			t.Fatalf("seed %d: by bits %d rows pass, want %d", seed, len(got), len(want))
		}
		if got := pos[:placesFlat(pos, ords, x.flat)]; !slices.Equal(got, want) {
			t.Fatalf("seed %d: by bytes %d rows pass, want %d", seed, len(got), len(want))
		}
		x.filterBy(f)
		if spanned = x.words*64 - 1; len(x.flat) > 0 {
			t.Fatal("a filter is flat before its rows are known")
		}
		if x.flatten(spanned); len(x.flat) > 0 {
			t.Fatal("a filter is spread for fewer rows than members")
		}
	}
}
