package scan

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A feed of each member's latest has as many rows as members did anything: whole chunks,
// parts of them, dead rows, kinds that do not count, filters; asked twice.
func TestMemberSet_CountsByChunks(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 22))
	for range 40 {
		table, m := rows.NewTable(rows.Options{Promote: 1, ChunkMax: 256, TailMax: 64, FanIn: 2}), newModel()
		people := 1 + r.IntN(900)
		for i := range 1 + r.IntN(2500) {
			row := domain.Row{Seq: uint64(i + 1), Time: testTime + uint32(i) - min(uint32(i), r.Uint32N(20)), Ord: domain.Ordinal(r.IntN(people)), Brand: 1005, Definition: domain.DefinitionID(100 + r.IntN(3))}
			table.Append(5, []domain.Row{row})
			m.put(&placedRow{dense: 5, Row: row})
		}
		table.Settle()
		for range r.IntN(2) * r.IntN(20) {
			if f := m.rows[1+r.Uint64N(uint64(len(m.rows)+1))]; f != nil && table.Remove(5, &f.Row) {
				m.take(f.Seq)
			}
		}
		v, x := table.Commit(nil), NewScratch()
		for range 20 {
			h := &question{dense: []uint32{5, rows.EveryBrand}[r.IntN(2)]}
			h.q.Shape, h.q.Listing = domain.ShapeFeed, domain.Listing{Limit: r.IntN(3)}
			h.q.Groups = []domain.Group{{Definition: 100}, {Definition: 101}, {Definition: 102}}[:1+r.IntN(3)]
			h.q.Range.From = testTime + r.Uint32N(1000)
			h.q.Range.To = h.q.Range.From + r.Uint32N(3000)
			if r.IntN(2) == 0 {
				h.q.Range = domain.Range{To: 1<<32 - 1}
			}
			if r.IntN(3) == 0 {
				h.members = make([]uint64, people/64+1)
				for i := range h.members {
					h.members[i] = r.Uint64()
				}
			}
			want := m.answer(h).Feed.Total
			for range 2 {
				got, err := x.Feed(v, h.ask(nil))
				if err != nil || got.Total != want {
					t.Fatalf("seed %d: %+v: %d members, want %d, %v", seed, h.q, got.Total, want, err)
				}
			}
		}
	}
}
