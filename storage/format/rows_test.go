package format

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// checkLiving compares what is read of a value for some ranges with its rows that are in
// them.
func checkLiving(t *testing.T, r *rand.Rand, v []byte, rows []Row) {
	t.Helper()
	k := BrandMonth{1, 3, 600}
	var c RowCodec
	for range 4 {
		in := domain.Range{To: 1<<32 - 1}
		if len(rows) > 0 {
			in = domain.Range{From: rows[r.IntN(len(rows))].Time, To: rows[r.IntN(len(rows))].Time + domain.Second(r.IntN(2))}
		}
		want, got := map[domain.Row]int{}, map[domain.Row]int{}
		for i := range rows {
			if rows[i].Time >= in.From && rows[i].Time < in.To {
				want[rows[i].domainRow(k)]++
			}
		}
		check.OK(t, c.Live(v, k, in, func(some []domain.Row) error {
			sorted := slices.IsSortedFunc(some, func(a, b domain.Row) int { return cmp.Compare(a.Time, b.Time) })
			if len(some) == 0 || len(some) > Stripe || !sorted {
				t.Fatalf("%d rows at a time, in order %v", len(some), sorted)
			}
			for _, x := range some {
				got[x]++
			}
			return nil
		}))
		check.Same(t, fmt.Sprintf("rows of %v", in), got, want)
	}
}
