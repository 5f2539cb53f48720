package shape

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeCrossover adds the shards' counts and cuts the rows wanted out of them, most
// members first, ties by ID. A nil part counts no member.
func MergeCrossover(top domain.Top, parts []*domain.Crossover) *domain.Crossover {
	out := &domain.Crossover{}
	n, low, high := 0, ^domain.BrandID(0), domain.BrandID(0)
	for _, p := range parts {
		if p == nil {
			continue
		}
		out.Members += p.Members
		n += len(p.Brands)
		for i := range p.Brands {
			low, high = min(low, p.Brands[i].Brand), max(high, p.Brands[i].Brand)
		}
	}
	if n == 0 {
		return out
	}
	var sums []domain.BrandMembers
	if span := int(high-low) + 1; span <= 8*n {
		sums = addBrands(parts, low, span)
	} else {
		sums = sortBrands(parts, n)
	}
	out.Total = uint64(len(sums))
	out.Brands = firstBrands(sums, top)
	return out
}

// addBrands adds counts by the brand's place in [low, low+span).
func addBrands(parts []*domain.Crossover, low domain.BrandID, span int) []domain.BrandMembers {
	sums := make([]domain.BrandMembers, span)
	for _, p := range parts {
		if p != nil {
			for _, b := range p.Brands {
				sums[b.Brand-low].Members += b.Members
			}
		}
	}
	for i := range sums {
		sums[i].Brand = low + domain.BrandID(i)
	}
	return slices.DeleteFunc(sums, func(b domain.BrandMembers) bool { return b.Members == 0 })
}

// sortBrands adds n counts of brands whose ids lie far apart.
func sortBrands(parts []*domain.Crossover, n int) []domain.BrandMembers {
	all := make([]domain.BrandMembers, 0, n)
	for _, p := range parts {
		if p != nil {
			all = append(all, p.Brands...)
		}
	}
	slices.SortFunc(all, func(a, b domain.BrandMembers) int { return cmp.Compare(a.Brand, b.Brand) })
	sums := all[:0]
	for _, b := range all {
		if last := len(sums) - 1; last >= 0 && sums[last].Brand == b.Brand {
			sums[last].Members += b.Members
		} else {
			sums = append(sums, b)
		}
	}
	return sums
}

// firstBrands is the rows wanted of sums, which ascend by brand. They are few, as a
// rule: what cannot be among the first any more is left out on the way, so that little
// is sorted.
func firstBrands(sums []domain.BrandMembers, top domain.Top) []domain.BrandMembers {
	order := func(a, b domain.BrandMembers) int {
		return cmp.Or(cmp.Compare(b.Members, a.Members), cmp.Compare(a.Brand, b.Brand))
	}
	end := top.End()
	if top.Limit == 0 {
		return nil
	}
	var after *domain.BrandMembers
	if a := top.After; a != nil {
		after = &domain.BrandMembers{Brand: domain.BrandID(a.Member), Members: a.Rank}
	}
	var first []domain.BrandMembers
	minMembers := uint64(0)
	for _, b := range sums {
		if b.Members <= minMembers || after != nil && order(b, *after) <= 0 {
			continue
		}
		if first = append(first, b); len(first) == 2*end {
			slices.SortFunc(first, order)
			first = first[:end]
			minMembers = first[end-1].Members
		}
	}
	slices.SortFunc(first, order)
	to := min(len(first), end)
	return first[min(to, top.Offset):to]
}
