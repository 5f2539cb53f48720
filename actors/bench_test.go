package actors

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// BenchmarkAsk is what a question costs beside its scans: a few rows in eight shards.
func BenchmarkAsk(b *testing.B) {
	r := newHarness(b, 8, Options{})
	g := newGraveyard(r, 10, 3)
	whole := domain.Range{To: 1 << 31}
	for name, q := range map[string]*domain.Question{
		"tally":   {Account: 1, Shape: domain.ShapeTally, Brand: 1, Range: whole, Groups: []domain.Group{{Definition: 100}}},
		"leaders": {Account: 1, Shape: domain.ShapeLeaders, Brand: 1, Range: whole, Groups: []domain.Group{{Definition: 100}}, Top: domain.Top{Limit: 10}},
		"named":   {Account: 1, Shape: domain.ShapeTally, Brand: 1, Range: whole, Groups: []domain.Group{{Definition: 100}}, Filter: domain.Filter{Members: g.ids[:1]}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.node.Ask(context.Background(), q, domain.Position{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkErased is what it costs to know of a member that answers show that it is not erased.
func BenchmarkErased(b *testing.B) {
	r := newHarness(b, 8, Options{})
	g := newGraveyard(r, 10, 3)
	b.ReportAllocs()
	for b.Loop() {
		if r.node.Erased(1, g.ids[0]) {
			b.Fatal("the member is there")
		}
	}
}

// BenchmarkPoison_OtherShards is how many records a second three shards apply
// while the fourth meets so many poison records, each of which it starts again for twice.
func BenchmarkPoison_OtherShards(b *testing.B) {
	const shards, sick, each = 4, 3, 100_000
	for _, poisons := range []int{0, 50} {
		b.Run(fmt.Sprint(poisons, " poison records"), func(b *testing.B) {
			var took time.Duration
			for range b.N {
				b.StopTimer()
				r := furnished(b, shards, 1, Options{})
				batches := make([][]domain.Record, shards)
				for p := range shards {
					id := r.memberOf(p)
					for i := range each {
						if p == sick && poisons > 0 && i%(each/poisons) == 0 {
							batches[p] = append(batches[p], domain.Record{Kind: domain.KindRegister, Account: 1, Command: (*domain.RegisterMember)(nil)})
						}
						batches[p] = append(batches[p], domain.Record{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(id, uint64(i))})
					}
				}
				r.settled()
				b.StartTimer()
				began := time.Now()
				for p := range shards {
					if _, err := r.journal.Append(b.Context(), p, batches[p]); err != nil {
						b.Fatal(err)
					}
				}
				r.eventually("others at their ends", func() bool { return r.atEnds(sick) })
				took += time.Since(began)
				b.StopTimer()
				r.eventually("all", func() bool { return r.atEnds(-1) })
				r.close()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.N*(shards-1)*each)/took.Seconds(), "records/s")
		})
	}
}
