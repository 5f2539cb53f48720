package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// BenchmarkAsk is what a question costs beside its scans: a few rows in eight shards.
func BenchmarkAsk(b *testing.B) {
	r := newRig(b, 8, Options{})
	newGraveyard(r, 10, 3)
	whole := domain.Range{To: 1 << 31}
	for name, q := range map[string]*domain.Question{
		"tally":   {Account: 1, Shape: domain.ShapeTally, Brand: 1, Range: whole, Groups: []domain.Group{{Definition: 100}}},
		"leaders": {Account: 1, Shape: domain.ShapeLeaders, Brand: 1, Range: whole, Groups: []domain.Group{{Definition: 100}}, Top: domain.Top{Limit: 10}},
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
