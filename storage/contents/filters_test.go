package contents

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// A slot's filter is known only where it is that of what the snapshot has there: a model
// keeps when each slot was written. What is kept takes no more than was allowed.
func TestFilters_AreThoseOfTheirSnapshot(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	const shards, slotsOf = 2, 9
	for range 100 {
		limit := 2000 + r.IntN(20_000)
		g := NewFilters(limit)
		written := map[format.SlotKey][]uint64{} // seals of the shard with which the slot was written
		at := func(i int, slot uint16) format.SlotKey {
			return format.SlotKey{Shard: uint16(i), Of: format.BrandMonth{Account: 1, Brand: domain.BrandID(r.IntN(2)), Month: 600}, Class: format.ClassDay, Slot: slot}
		}
		asOf := func(p format.SlotKey, seals uint64) (n uint64) {
			for _, w := range written[p] {
				if w <= seals {
					n++
				}
			}
			return n
		}
		known := 0
		for range 300 {
			shard := r.IntN(shards)
			now := g.Seals(uint16(shard))
			switch r.IntN(4) {
			case 0:
				g.Sealing(uint16(shard))
				for range r.IntN(4) {
					p := at(shard, uint16(r.IntN(slotsOf)))
					g.Forget(p)
					written[p] = append(written[p], now+1)
				}
			case 1, 2:
				seals, p := now-min(now, r.Uint64N(3)), at(shard, 0)
				made := map[uint16][]uint64{}
				for slot := range uint16(slotsOf) {
					if p.Slot = slot; r.IntN(3) == 0 {
						made[slot] = append(make([]uint64, r.IntN(20)), asOf(p, seals))
					}
				}
				p.Slot = 0
				g.keep(p, made, seals)
			default:
				seals, p := now-min(now, r.Uint64N(3)), at(shard, 0)
				var sums []uint64
				read, have := g.look(p, slotsOf-1, seals, func(_ uint16, sum []uint64) bool {
					sums = append(sums, sum[len(sum)-1])
					return len(sums)%2 == 0
				})
				for slot, i := have.from(0), 0; slot < slotsOf; slot, i = have.from(slot+1), i+1 {
					if p.Slot = slot; sums[i] != asOf(p, seals) || read.has(slot) != (i%2 == 1) {
						t.Fatalf("seed %d: slot %v is read: %v, by a filter of version %d, want %d", seed, p, read.has(slot), sums[i], asOf(p, seals))
					}
					known++
				}
				for slot := range uint16(slotsOf) {
					if !have.has(slot) && !read.has(slot) {
						t.Fatalf("seed %d: slot %d without a filter is not read", seed, slot)
					}
				}
			}
			if taken := g.Size(); taken > limit {
				t.Fatalf("seed %d: %d bytes of %d", seed, taken, limit)
			}
		}
		if known == 0 {
			t.Fatalf("seed %d: no filter was ever known", seed)
		}
	}
}
