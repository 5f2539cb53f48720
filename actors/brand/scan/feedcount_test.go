package scan

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Rows of a tail that come in no order of time are counted as a whole only where all of
// them are in the range, of every kind, and living.
func TestFeed_CountsATailRowByRowUnlessAllOfItBelongs(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 9))
	whole := 0
	for range 300 {
		table, m := rows.NewTable(rows.Options{Promote: 1}), newModel()
		for seq := range 1 + r.Uint64N(12) {
			row := domain.Row{Seq: seq + 1, Time: testTime + r.Uint32N(9), Ord: domain.Ordinal(r.IntN(5)), Brand: 1005, Definition: domain.DefinitionID(100 + r.IntN(2))}
			table.Append(5, []domain.Row{row})
			m.put(&placedRow{dense: 5, Row: row})
			if r.IntN(3) == 0 {
				table.Commit(nil)
			}
		}
		if r.IntN(3) == 0 {
			for seq, f := range m.rows {
				table.Remove(5, &f.Row)
				m.take(seq)
				break
			}
		}
		v, x := table.Commit(nil), NewScratch()
		for range 10 {
			h := &question{dense: []uint32{5, rows.EveryBrand}[r.IntN(2)]}
			h.q.Shape, h.q.Listing = domain.ShapeFeed, domain.Listing{Every: true, Limit: r.IntN(4)}
			h.q.Groups = []domain.Group{{Definition: 100}, {Definition: 101}}[:1+r.IntN(2)]
			h.q.Range.From = testTime + r.Uint32N(3)
			h.q.Range.To = h.q.Range.From + 1 + r.Uint32N(10)
			got, err := x.Feed(v, h.ask(nil))
			if err != nil {
				t.Fatal(err)
			}
			want := m.answer(h).Feed
			if got.Total != want.Total {
				t.Fatalf("seed %d: %+v: %d rows, want %d", seed, h.q, got.Total, want.Total)
			}
			if int(want.Total) == len(m.rows) {
				whole++
			}
		}
	}
	if whole == 0 {
		t.Errorf("seed %d: no question was about a whole tail", seed)
	}
}
