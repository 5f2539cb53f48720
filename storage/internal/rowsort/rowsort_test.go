package rowsort

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Few rows are compared and many are put in order by their digits: both give the order
// by (group, time, sequence), also of rows whose sequences do not ascend.
func TestSorter_ByGroupTimeAndSequence(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	var s Sorter
	for _, n := range []int{0, 1, 2, radixFrom - 1, radixFrom, 5000} {
		for _, groups := range []uint64{1, 3, 300, 1 << 20, 1 << 63} {
			seqs, want := make([]uint64, n), make([]Key, n)
			s.Reset()
			for i := range n {
				seqs[i] = uint64(i)
				if rnd.IntN(20) == 0 {
					seqs[i] = rnd.Uint64N(uint64(n))
				}
				want[i] = Key{rnd.Uint64N(groups), domain.Second(1_700_000_000 + rnd.Uint32N(1<<rnd.IntN(24))), int32(i)}
				s.Add(want[i].Group, want[i].Time, i)
			}
			slices.SortStableFunc(want, func(a, b Key) int {
				for _, c := range [...]int{cmp.Compare(a.Group, b.Group), cmp.Compare(a.Time, b.Time)} {
					if c != 0 {
						return c
					}
				}
				return cmp.Compare(seqs[a.I], seqs[b.I])
			})
			s.Sort(func(i int32) uint64 { return seqs[i] })
			if diff := gocmp.Diff(want, s.Keys, gocmp.AllowUnexported(Key{})); diff != "" && n > 0 {
				t.Fatalf("seed %d, %d rows of %d groups (-want +got):\n%s", seed, n, groups, diff)
			}
		}
	}
}
