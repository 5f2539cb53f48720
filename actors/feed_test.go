package actors

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A node lists as a naive model does, over several shards, with small brands, large
// ones, and large ones that are on disk only.
func TestNode_ListsMatchTheReferenceModel(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 8))
	const fans, brands = 30, 5
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	ids := make([]domain.MemberID, fans)
	for i := range ids {
		ids[i] = r.register(i)
	}
	var acts []domain.Activity
	for range 2 {
		for n := range 3500 {
			acts = append(acts, domain.Activity{
				Definition: 100, Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)), Service: domain.LastFM,
				Time: 1_650_000_000 + rnd.Int64N(4000)*1000, Hash: rnd.Uint64(), Member: ids[rnd.IntN(fans)],
				Content: domain.Content{Marker: strconv.Itoa(n), Content: fmt.Sprintf(`{"Track":"Song %d"}`, rnd.IntN(30))},
			})
		}
		r.publish(acts[len(acts)-3500:]...)
		r.settled()
		m := modelOf(r.membersOf(ids), acts)
		r.identify(m)
		for n := range 24 {
			q := domain.Question{
				Account: 1, Shape: domain.ShapeFeed, Brand: domain.BrandID(rnd.IntN(brands + 1)), Range: domain.AllTime,
				Groups:  []domain.Group{{Definition: 100}},
				Listing: domain.Listing{Every: n&1 > 0, Recorded: n&2 > 0, Up: n&4 > 0, Limit: 300 + rnd.IntN(3000)},
			}
			if n >= 16 {
				q.Listing.Keyword = []string{"song 7", "song 1", "nothing"}[rnd.IntN(3)]
			}
			if rnd.IntN(2) == 0 {
				q.Range = domain.Range{From: 1_650_500_000, To: 1_653_000_000}
			}
			for {
				if f := r.compare(m, &q).Feed; len(f.Items) < q.Listing.Limit {
					break
				}
				q.Listing.Offset += q.Listing.Limit
			}
			q.Shape, q.Listing = domain.ShapeTally, domain.Listing{} // of the same actions (I12)
			r.compare(m, &q)
		}
	}
}
