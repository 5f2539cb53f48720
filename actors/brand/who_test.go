package brand

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The members of a chunk are those of its rows; where there are too few rows for them they
// are not kept. What is kept is counted, and goes with the chunk.
func TestTheMembersOfAChunkAreThoseOfItsRows(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 21))
	kept := 0
	for range 60 {
		table, people := NewTable(Options{Promote: 1}), 1+r.IntN(1<<uint(1+r.IntN(16)))
		var rows []domain.Row
		for i := range 1 + r.IntN(3000) {
			rows = append(rows, domain.Row{Seq: uint64(i + 1), Time: testTime + uint32(i), Ord: domain.Ordinal(r.IntN(people)), Brand: 1005, Definition: 100})
		}
		table.Load(5, rows)
		v := table.Commit(nil)
		before := table.Bytes()
		words := 0
		v.each(5, func(s *set, _ bool) {
			for _, run := range s.runs {
				who, want := run.c.members(), map[uint32]bool{}
				most := uint32(0)
				for _, o := range run.c.ord {
					want[o] = true
					most = max(most, o)
				}
				if worth := int(most/64+1)*whoFrom <= run.c.rows(); (who != nil) != worth {
					t.Fatalf("seed %d: members of %d rows up to %d kept: %v", seed, run.c.rows(), most, who != nil)
				}
				for o := range uint32(len(who) * 64) {
					if pass(who, o) == 1 != want[o] {
						t.Fatalf("seed %d: member %d is there: %v", seed, o, want[o])
					}
				}
				words += len(who)
				kept += bit(who != nil)
			}
		})
		if got := table.Bytes() - before; words > 0 && (got < 8*words || got > 8*words+100) {
			t.Fatalf("seed %d: %d words take %d bytes", seed, words, got)
		}
		table.Evict(5)
		table.Commit(nil)
		if after := table.Bytes(); after > before {
			t.Fatalf("seed %d: %d bytes, before %d, though the rows are gone", seed, after, before)
		}
	}
	if kept == 0 {
		t.Errorf("seed %d: no chunk's members were kept", seed)
	}
}

// A feed of each member's latest has as many rows as members did anything: whole chunks,
// parts of them, dead rows, kinds that do not count, filters; asked twice.
func TestWhoDidAnythingIsCountedByChunks(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 22))
	for range 40 {
		table, m := NewTable(Options{Promote: 1, ChunkMax: 256, TailMax: 64, FanIn: 2}), model{}
		people := 1 + r.IntN(900)
		for i := range 1 + r.IntN(2500) {
			row := domain.Row{Seq: uint64(i + 1), Time: testTime + uint32(i) - min(uint32(i), r.Uint32N(20)), Ord: domain.Ordinal(r.IntN(people)), Brand: 1005, Definition: domain.DefinitionID(100 + r.IntN(3))}
			table.Append(5, []domain.Row{row})
			m[row.Seq] = &fact{dense: 5, Row: row}
		}
		table.Settle()
		for range r.IntN(2) * r.IntN(20) {
			if f := m[1+r.Uint64N(uint64(len(m)+1))]; f != nil && table.Remove(5, &f.Row) {
				delete(m, f.Seq)
			}
		}
		v, x := table.Commit(nil), NewScratch()
		for range 20 {
			h := &question{dense: []uint32{5, EveryBrand}[r.IntN(2)]}
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
			want := m.feed(h).Total
			for range 2 {
				got, err := v.Feed(x, h.ask(nil))
				if err != nil || got.Total != want {
					t.Fatalf("seed %d: %+v: %d members, want %d, %v", seed, h.q, got.Total, want, err)
				}
			}
		}
	}
}
