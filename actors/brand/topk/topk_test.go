package topk

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The first of a ranking are the first of all, however few are kept.
func TestPlaces_AreThoseThatSortFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		all := make([]Place, r.IntN(500))
		for i := range all {
			all[i] = Place{Key: r.Uint64N(1 + r.Uint64N(100)), ID: uint64(len(all) - i), Ord: uint32(i)}
		}
		b := Places{K: r.IntN(120)}
		for _, p := range all {
			b.Offer(p)
		}
		slices.SortFunc(all, Compare)
		want := all[:min(b.K, len(all))]
		if got := b.Sorted(); !slices.Equal(got, want) {
			t.Fatalf("%d of %d: %v, want %v", b.K, len(all), got, want)
		}
	}
}
