package actors

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/querytest"
)

// TestPagesOfANodeMeetEachRowThatStaysOnceWhileItIngests walks over the lists of a node
// that applies activities meanwhile: late ones, and earlier ones of one-time pairs, which
// take the places of others.
func TestPagesOfANodeMeetEachRowThatStaysOnceWhileItIngests(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 22))
	const fans, brands, start = 40, 3, 1_650_000_000
	r := newRig(t, 3, Options{Memory: Memory{AwakeBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	var ids []domain.MemberID
	for i := range fans {
		ids = append(ids, r.register(i))
	}
	latest := int64(2000)
	publish := func(n int) {
		var acts []domain.Activity
		for range n {
			latest += rnd.Int64N(3)
			at := latest
			if rnd.IntN(3) == 0 {
				at = rnd.Int64N(latest)
			}
			acts = append(acts, domain.Activity{
				Member: ids[rnd.IntN(fans)], Definition: domain.DefinitionID(100 + rnd.IntN(2)), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
				Time: start + at, Hash: rnd.Uint64(), Content: domain.Content{Content: fmt.Sprintf(`{"Track":"Song %d"}`, rnd.IntN(4))},
			})
		}
		r.publish(acts...)
		r.settled()
	}
	publish(3000)
	for n := range 48 {
		q := querytest.Question(rnd)
		q.Range, q.Brand, q.Groups = domain.Range{To: 1<<32 - 1}, domain.BrandID(rnd.IntN(brands+1)), []domain.Group{{Definition: 100}, {Definition: 101}}
		q.Listing = domain.Listing{Every: n&1 > 0, Recorded: n&2 > 0, Up: n&4 > 0, Limit: 100 + rnd.IntN(500)}
		q.Top.Offset, q.Top.Limit = 0, 5+rnd.IntN(20)
		if n%6 == 5 {
			q.Listing.Keyword = "song 1"
		}
		ask := func(q *domain.Question) (*domain.Answer, error) { return r.node.Ask(t.Context(), q, domain.Position{}) }
		if err := querytest.Walk(q, ask, func() { publish(rnd.IntN(20)) }); err != nil {
			t.Fatalf("%+v %+v: %v", q.Listing, q.Top, err)
		}
	}
}
