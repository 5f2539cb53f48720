package format

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/storage/internal/check"
)

func TestPacker_RoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for width := range 65 {
		for _, n := range []int{1, 2, 7, 64, 100} {
			v := make([]uint64, n)
			base := r.Uint64() >> r.IntN(64)
			for i := range v {
				v[i] = base + r.Uint64()>>(64-width)
				if width == 0 {
					v[i] = base
				}
			}
			var p packer
			p.reset(2)
			p.cols[0], p.cols[1] = append(p.cols[0], v...), append(p.cols[1], 5)
			cur := cursor{b: p.append(nil, 2)}
			var cols [2]column
			cur.columns(cols[:], func(i int) int { return []int{n, 1}[i] })
			check.OK(t, cur.close("columns"))
			first := r.IntN(n)
			got := make([]uint64, n-first)
			if cols[0].unpack(got, first); !slices.Equal(got, v[first:]) {
				t.Fatalf("width %d from %d on: %v, want %v", width, first, got, v[first:])
			}
			for i := range v {
				if cols[0].at(i) != v[i] {
					t.Fatalf("width %d at %d: %d, want %d", width, i, cols[0].at(i), v[i])
				}
			}
			if cols[1].at(0) != 5 {
				t.Fatal("the second column is damaged")
			}
		}
	}
}
