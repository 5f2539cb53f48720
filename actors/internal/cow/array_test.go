package cow

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// An array that was copied never changes, whatever is set afterwards.
func TestArray_OfAnEpochNeverChanges(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	var p Array[int]
	model := map[uint32]int{}
	type moment struct {
		p     Array[int]
		model map[uint32]int
	}
	var moments []moment
	for epoch := uint64(1); epoch < 60; epoch++ {
		for range rnd.IntN(20) {
			i, v := uint32(rnd.IntN(1000)), rnd.Int()
			p.Set(i, v, epoch)
			model[i] = v
		}
		kept := map[uint32]int{}
		maps.Copy(kept, model)
		moments = append(moments, moment{p, kept})
	}
	for n, m := range moments {
		for i := range uint32(1100) {
			if got := m.p.Get(i); got != m.model[i] {
				t.Fatalf("seed %d: epoch %d, element %d is %d, want %d", seed, n, i, got, m.model[i])
			}
		}
		met := 0
		m.p.Each(func(i uint32, v int) {
			if v != m.model[i] {
				t.Fatalf("seed %d: each says %d is %d, want %d", seed, i, v, m.model[i])
			}
			if v != 0 {
				met++
			}
		})
		if met != len(m.model) {
			t.Fatalf("seed %d: each met %d, want %d", seed, met, len(m.model))
		}
	}
}
