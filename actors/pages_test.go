package actors

import (
	"maps"
	"math/rand/v2"
	"testing"
)

func TestPagesOfAnEpochNeverChange(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	var p pages[int]
	model := map[uint32]int{}
	type moment struct {
		p     pages[int]
		model map[uint32]int
	}
	var moments []moment
	for epoch := uint64(1); epoch < 60; epoch++ {
		for range rnd.IntN(20) {
			i, v := uint32(rnd.IntN(1000)), rnd.Int()
			p.set(i, v, epoch)
			model[i] = v
		}
		kept := map[uint32]int{}
		maps.Copy(kept, model)
		moments = append(moments, moment{p, kept})
	}
	for n, m := range moments {
		for i := range uint32(1100) {
			if got := m.p.get(i); got != m.model[i] {
				t.Fatalf("seed %d: epoch %d, element %d is %d, want %d", seed, n, i, got, m.model[i])
			}
		}
		met := 0
		m.p.each(func(i uint32, v int) {
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

func TestRecentForgetsOnlyWhatWasNotAskedSince(t *testing.T) {
	r := newRecent[int, string](4)
	for i := range 4 {
		r.put(i, "x")
	}
	r.put(4, "x") // 0–3 are old now
	if _, ok := r.get(1); !ok {
		t.Fatal("1 is forgotten too early")
	}
	for i := 5; i < 8; i++ {
		r.put(i, "x")
	}
	if _, ok := r.get(1); !ok {
		t.Error("1 was asked for and is forgotten")
	}
	if _, ok := r.get(2); ok {
		t.Error("2 was not asked for and is kept")
	}
	r.drop(1)
	if _, ok := r.get(1); ok {
		t.Error("1 was dropped and is kept")
	}
}
