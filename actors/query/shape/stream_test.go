package shape

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Pages of any size, asked one after the other, give each shard's events once and in order, whatever else a shard
// has; a shard with very many does not hold up the others; a shard that is not asked keeps its place.
func TestMergeStream_PagesAreTheWhole(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		var whole [4][]uint64
		for shard := range whole {
			seq := uint64(0)
			for range rnd.IntN(60) * rnd.IntN(2) {
				seq += 1 + rnd.Uint64N(3)
				whole[shard] = append(whole[shard], seq)
			}
		}
		whole[3] = nil // it is never asked
		part := func(shard int, q *domain.StreamQuery) *domain.StreamPart {
			p := &domain.StreamPart{Next: 1000}
			for _, seq := range whole[shard] {
				if seq > q.AboveIn(shard) && len(p.Events) < q.Limit {
					e := domain.StreamEvent{Item: domain.FeedItem{Row: domain.Row{Seq: seq}}}
					if seq%3 == 0 {
						e = domain.StreamEvent{Notice: domain.Notice{Seq: seq, Kind: domain.EventErased}}
					}
					p.Events = append(p.Events, e)
				}
			}
			if n := len(p.Events); n == q.Limit {
				p.Next, p.More = p.Events[n-1].Sequence(), true
			}
			return p
		}
		q := &domain.StreamQuery{Above: []uint64{0, 0, 0, 7}}
		var got [4][]uint64
		for more := true; more; {
			q.Limit = 1 + rnd.IntN(20)
			parts := []*domain.StreamPart{part(0, q), part(1, q), part(2, q), nil}
			s := MergeStream(q, parts)
			if len(s.Events) > q.Limit || s.Next[3] != 7 {
				t.Fatalf("seed %d: %d events on a page of %d, %v", seed, len(s.Events), q.Limit, s.Next)
			}
			var of [4]int
			for _, e := range s.Events {
				got[e.Shard] = append(got[e.Shard], e.Sequence())
				of[e.Shard]++
			}
			for shard, p := range parts[:3] {
				if len(p.Events) > 0 && of[shard] == 0 && q.Limit >= 3 {
					t.Fatalf("seed %d: a page of %d has none of shard %d, which has some", seed, q.Limit, shard)
				}
			}
			q.Above, more = s.Next, s.More
		}
		for shard := range whole {
			if !slices.Equal(got[shard], whole[shard]) {
				t.Fatalf("seed %d: shard %d: %v, want %v", seed, shard, got[shard], whole[shard])
			}
		}
	}
}
