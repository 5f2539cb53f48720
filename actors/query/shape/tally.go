package shape

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeTally adds the shards' counts. A nil part counts nothing.
func MergeTally(parts []*domain.Tally) *domain.Tally {
	t, n := &domain.Tally{}, 0
	for _, p := range parts {
		if p != nil {
			n += len(p.Groups)
			t.Total.Add(p.Total)
			t.Before += p.Before
		}
	}
	if n == 0 {
		return t
	}
	all := make([]domain.GroupCount, 0, n)
	for _, p := range parts {
		if p != nil {
			all = append(all, p.Groups...)
		}
	}
	slices.SortFunc(all, func(a, b domain.GroupCount) int { return cmp.Compare(a.Group, b.Group) })
	for _, g := range all {
		if last := len(t.Groups) - 1; last >= 0 && t.Groups[last].Group == g.Group {
			t.Groups[last].Add(g.Count)
		} else {
			t.Groups = append(t.Groups, g)
		}
	}
	return t
}
