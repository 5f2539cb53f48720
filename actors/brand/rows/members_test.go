package rows

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// The members of a chunk are those of its rows; where there are too few rows for them they
// are not kept. What is kept is counted, and goes with the chunk.
func TestChunk_MembersAreThoseOfItsRows(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 21))
	kept := 0
	for range 60 {
		table, people := NewTable(Options{Promote: 1}), 1+r.IntN(1<<uint(1+r.IntN(16)))
		var list []domain.Row
		for i := range 1 + r.IntN(3000) {
			list = append(list, domain.Row{Seq: uint64(i + 1), Time: testTime + uint32(i), Ord: domain.Ordinal(r.IntN(people)), Brand: 1005, Definition: 100})
		}
		table.Load(5, list)
		v := table.Commit(nil)
		before := table.Bytes()
		words := 0
		v.Each(5, func(s *Set, _ bool) {
			for _, run := range s.Runs {
				who, want := run.Chunk.Members(), map[uint32]bool{}
				last := uint32(0)
				for _, o := range run.Chunk.Ord {
					want[o] = true
					last = max(last, o)
				}
				if worth := int(last/64+1)*rowsPerWord <= run.Chunk.Rows(); (who != nil) != worth {
					t.Fatalf("seed %d: members of %d rows up to %d kept: %v", seed, run.Chunk.Rows(), last, who != nil)
				}
				for o := range uint32(len(who) * 64) {
					if bitset.Get(who, o) == 1 != want[o] {
						t.Fatalf("seed %d: member %d is there: %v", seed, o, want[o])
					}
				}
				words += len(who)
				kept += bitset.Bit(who != nil)
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
