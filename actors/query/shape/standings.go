package shape

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeStandings adds what the shards' members did for each brand and ranks the brands
// that reach the threshold: most points first, ties by actions, then by ID. A nil part
// did nothing.
func MergeStandings(top domain.Top, parts []*domain.Standings) *domain.Standings {
	sums := map[domain.BrandID]domain.Standing{}
	for _, p := range parts {
		if p == nil {
			continue
		}
		for _, b := range p.Brands {
			s := sums[b.Brand]
			sums[b.Brand] = domain.Standing{Brand: b.Brand, Score: s.Score + b.Score, Actions: s.Actions + b.Actions}
		}
	}
	out := &domain.Standings{}
	for _, s := range sums {
		if s.Actions >= top.Least {
			out.Brands = append(out.Brands, s)
		}
	}
	out.Total = uint64(len(out.Brands))
	slices.SortFunc(out.Brands, func(a, b domain.Standing) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Brand, b.Brand))
	})
	to := min(len(out.Brands), top.End())
	out.Brands = out.Brands[min(to, top.Offset):to]
	return out
}
