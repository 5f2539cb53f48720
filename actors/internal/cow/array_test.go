package cow

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// An array that was copied never changes, whatever is set afterwards.
func TestArray_OfAnEpochNeverChanges(t *testing.T) {
	type version struct {
		array Array[int]
		model map[uint32]int
	}
	rapid.Check(t, func(t *rapid.T) {
		now, versions := version{model: map[uint32]int{}}, []version{}
		set := rapid.MapOfN(rapid.Uint32Max(1000), rapid.IntRange(1, 99), 0, 20)
		for epoch, values := range rapid.SliceOfN(set, 1, 20).Draw(t, "sets") {
			for i, v := range values {
				now.array.Set(i, v, uint64(epoch+1))
			}
			maps.Copy(now.model, values)
			versions = append(versions, version{now.array, maps.Clone(now.model)})
		}
		for epoch, old := range versions {
			for i := range uint32(1100) {
				if got := old.array.Get(i); got != old.model[i] {
					t.Fatalf("epoch %d, element %d is %d, want %d", epoch, i, got, old.model[i])
				}
			}
			each := map[uint32]int{}
			old.array.Each(func(i uint32, v int) {
				if v != 0 {
					each[i] = v
				}
			})
			if !maps.Equal(each, old.model) {
				t.Fatalf("epoch %d: each says %v, want %v", epoch, each, old.model)
			}
		}
	})
}
