package audience

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPick_FollowsTheWeights(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var w weights
		var plain []uint64
		for range 1 + r.IntN(6) {
			n := r.Uint64N(4) // also 0
			plain, w = append(plain, n), w.add(n)
		}
		if w.sum() == 0 {
			continue
		}
		seed := r.Uint64()
		x := rand.New(rand.NewPCG(seed, 1)).Uint64N(w.sum())
		want := 0
		for x >= plain[want] {
			x -= plain[want]
			want++
		}
		if got := w.pick(rand.New(rand.NewPCG(seed, 1))); got != want {
			t.Fatalf("of %v number %d is picked, not %d", plain, got, want)
		}
	}
}

func TestScaled_IsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, part, whole, want uint64 }{
		{0, 5, 7, 0}, {10, 7, 7, 10}, {10, 3, 7, 4}, {10, 14, 7, 20}, {MaxActions, math.MaxUint64 - 1, math.MaxUint64, MaxActions - 1},
	} {
		if got := scaled(c.n, c.part, c.whole); got != c.want {
			t.Errorf("%d·%d/%d is %d, not %d", c.n, c.part, c.whole, got, c.want)
		}
	}
}

func TestStream_EachIsDistinct(t *testing.T) {
	t.Parallel()
	seen := map[uint64]bool{}
	for _, c := range []chance{0, 1, 1 << 63} {
		for tr := ofBrand; tr <= ofSecond; tr++ {
			for n := range 100 {
				first := c.stream(tr, n).Uint64()
				if seen[first] {
					t.Fatalf("the stream of trait %d and number %d begins like another", tr, n)
				}
				seen[first] = true
			}
		}
	}
}
