package topk

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The first of a ranking are the first of all, however few are kept.
func TestPlaces_AreThoseThatSortFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Uint64Max(rapid.Uint64Max(100).Draw(t, "most")), 0, 500).Draw(t, "keys")
		b := Entries{K: rapid.IntRange(0, 120).Draw(t, "kept")}
		var all []Entry
		for i, key := range keys {
			all = append(all, Entry{Key: key, ID: uint64(len(keys) - i), Ord: uint32(i)})
			b.Offer(all[i])
		}
		slices.SortFunc(all, Compare)
		want := all[:min(b.K, len(all))]
		if got := b.Sorted(); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
