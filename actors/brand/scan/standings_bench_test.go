package scan

import (
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// BenchmarkStandings_OneMember asks the shard of one member of an account of 2 M rows in eight
// shards what that member did: its score, its brands, its latest actions.
func BenchmarkStandings_OneMember(b *testing.B) {
	h := crowdedAccount()
	said := func([]domain.Row, func(int, int64, []byte)) error { return nil }
	alone := make([]uint64, 1+1000>>6)
	alone[1000>>6] = 1 << (1000 & 63)
	for name, q := range map[string]domain.Question{
		"score":  {Shape: domain.ShapeLeaders, Top: domain.Top{Limit: 1}},
		"brands": {Shape: domain.ShapeStandings},
		"feed":   {Shape: domain.ShapeFeed, Listing: domain.Listing{Every: true, Limit: 3}},
	} {
		for _, days := range []uint32{7, 90, 180} {
			of := benchQuestion(q.Shape, days, benchKinds)
			of.Top, of.Listing = q.Top, q.Listing
			plan := NewPlan(of)
			b.Run(fmt.Sprintf("%s/%dd", name, days), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a := &Ask{Plan: plan, Brand: rows.EveryBrand, ID: memberOf, Label: labelOf, Brands: h.directory, Members: alone, Contents: said}
					if _, err := h.x[3].Answer(h.views[3], a); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
