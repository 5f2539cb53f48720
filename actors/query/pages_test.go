package query

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/query/querytest"
)

// TestKeyset_EachRowThatStaysIsMetOnceWhileDataArrives has rows come, late ones
// too, and go between the pages of each kind of list, over several shards.
func TestKeyset_EachRowThatStaysIsMetOnceWhileDataArrives(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 21))
		s := newTables(1 + rnd.IntN(4))
		for range 1 + rnd.IntN(4) {
			s.move(rnd, 150)
		}
		q := querytest.Question(rnd)
		q.Listing.Offset, q.Top.Offset, q.Listing.Limit, q.Top.Limit = 0, 0, 1+rnd.IntN(40), 1+rnd.IntN(10)
		q.Listing.Recorded = rnd.IntN(3) == 0
		if rnd.IntN(4) == 0 {
			q.Listing.Keyword = "SAID 1"
		}
		moves := rnd.IntN(2) * rnd.IntN(20)
		if err := querytest.Walk(q, s.ask, func() { s.move(rnd, moves) }); err != nil {
			t.Fatalf("seed %d: %+v %+v, at most %d moves: %v", seed, q.Listing, q.Top, moves, err)
		}
	}
}
