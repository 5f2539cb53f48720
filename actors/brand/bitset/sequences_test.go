package bitset

import (
	"math/rand/v2"
	"testing"
)

// A set has what was added and nothing else.
func TestSequences_AreWhatAMapSays(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 5))
	var s Sequences
	dense := 0
	for range 50 {
		s.Clear()
		model, most, step := map[uint64]bool{}, 1+r.Uint64N(1<<uint(1+r.IntN(18))), uint64(1)<<uint(r.IntN(40))
		for range r.IntN(20_000) {
			seq := step * r.Uint64N(most)
			s.Add(seq)
			model[seq] = true
		}
		s.Index()
		for range 1000 {
			if seq := step * r.Uint64N(most); s.Has(seq) != model[seq] {
				t.Fatalf("seed %d: %d is there: %v, want %v", seed, seq, s.Has(seq), model[seq])
			}
		}
		dense += Bit(len(s.dense) > 0)
	}
	if dense == 0 || dense == 50 {
		t.Errorf("seed %d: %d sets of 50 have a bit for each sequence", seed, dense)
	}
}
