package scan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// The rows that a question has to read are counted one by one: those in the range that
// count, and of a brand on disk no fewer, but not all that it has.
func TestRowsIn_IsWhatANaiveModelCounts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 15))
	w := population{members: 150, brands: 12, definitions: 7, start: 20_000 * 86400, span: 20 * 86400}
	table, m := w.mixed(r)
	for i := range some(400) {
		if i == some(200) && !table.Evict(1) {
			t.Fatal("not evicted")
		}
		v, dense := table.Commit(nil), uint32(r.IntN(w.brands))
		if r.IntN(3) == 0 {
			dense = rows.EveryBrand
		}
		in := domain.Range{From: w.start + uint32(r.IntN(int(w.span)))}
		in.To = in.From + uint32(r.IntN(int(w.span)))
		list, held, span := uint64(0), uint64(0), w.span/32
		for _, f := range m.rows {
			if f.dense != dense && (dense != rows.EveryBrand || f.dense == rows.Visits) {
				continue
			}
			cold := i >= some(200) && f.dense == 1
			inside := f.Time >= in.From && f.Time < in.To
			near := cold && f.Time+span >= in.From && f.Time < in.To+span
			held += uint64(bitset.Bit(near && !inside))
			list += uint64(bitset.Bit(inside))
		}
		if got := v.RowsIn(dense, in); got < list || got > list+held {
			t.Fatalf("seed %d, %d: brand %d has %d rows in %+v, want %d and at most %d more", seed, i, dense, got, in, list, held)
		}
	}
}

// BenchmarkRowsIn is what it costs to count the hot brand's rows, in all eight shards.
func BenchmarkRowsIn(b *testing.B) {
	h := hotBrand()
	for _, days := range []uint32{7, 180} {
		q := benchQuestion(domain.ShapeTally, days, 1)
		b.Run(fmt.Sprintf("%dd", days), func(b *testing.B) {
			for b.Loop() {
				for _, v := range h.views {
					v.RowsIn(7, q.Range)
				}
			}
		})
	}
}
