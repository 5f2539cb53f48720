package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// checkLiving compares what is read of a value for some ranges with its rows that are in
// them.
func checkLiving(t *testing.T, r *rand.Rand, v []byte, rows []action) {
	t.Helper()
	k := brandMonth{1, 3, 600}
	var c rowCodec
	for range 4 {
		in := always
		if len(rows) > 0 {
			in = domain.Range{From: rows[r.IntN(len(rows))].time, To: rows[r.IntN(len(rows))].time + domain.Second(r.IntN(2))}
		}
		want, got := map[domain.Row]int{}, map[domain.Row]int{}
		for i := range rows {
			if rows[i].time >= in.From && rows[i].time < in.To {
				want[rows[i].row(k)]++
			}
		}
		ok(t, c.living(v, k, in, func(some []domain.Row) error {
			if len(some) == 0 || len(some) > stripe || !slices.IsSortedFunc(some, byTime) {
				t.Fatalf("%d rows at a time, in order %v", len(some), slices.IsSortedFunc(some, byTime))
			}
			for _, x := range some {
				got[x]++
			}
			return nil
		}))
		same(t, fmt.Sprintf("rows of %v", in), got, want)
	}
}
