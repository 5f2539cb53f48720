package actors

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// TestShard_WithoutRowsAnswersEveryQuestion asks, with a filter and without, where some of
// eight shards have no members, some have members without actions, and one has a member with actions.
func TestShard_WithoutRowsAnswersEveryQuestion(t *testing.T) {
	t.Parallel()
	r := furnished(t, 8, 2, Options{})
	id := r.register(0)
	for n := range 9 {
		r.register(n + 1)
	}
	for brand := range domain.BrandID(2) {
		r.publish(domain.Activity{Member: id, Definition: 100, Brand: brand + 1, Time: sep2020, Hash: uint64(brand) + 1})
	}
	r.settled()
	for shape := domain.ShapeTally; shape <= domain.ShapeRankHistogram; shape++ {
		for _, filter := range []domain.Filter{{}, {Services: []domain.Service{domain.LastFM}}, {Paid: true}, {Exclude: []domain.MemberID{id}}, {Holds: []domain.Service{domain.LastFM}}} {
			for _, brand := range []domain.BrandID{0, 1} {
				q := &domain.Question{
					Account: 1, Brand: brand, Shape: shape, Filter: filter, Range: domain.Range{From: sep2020 - 86400, To: sep2020 + 86400},
					Groups: []domain.Group{{Definition: 100}}, Listing: domain.Listing{Limit: 10, Every: true}, Top: domain.Top{Limit: 10},
				}
				r.ask(q)
			}
		}
	}
}
