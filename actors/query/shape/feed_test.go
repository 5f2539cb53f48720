package shape

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func BenchmarkMergeFeed(b *testing.B) {
	for name, l := range map[string]domain.Listing{"first page": {Limit: 10}, "last page": {Offset: 100_000, Limit: 1000}} {
		parts := make([]*domain.Feed, 8)
		for s := range parts {
			parts[s] = &domain.Feed{}
			for i := range l.End() {
				parts[s].Items = append(parts[s].Items, domain.FeedItem{Row: domain.Row{Seq: uint64(i), Slot: domain.Slot(s), Time: uint32(1<<30 - i)}})
			}
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				MergeFeed(&l, parts)
			}
		})
	}
}
