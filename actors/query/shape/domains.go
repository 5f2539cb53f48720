package shape

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeDomains adds the shards' visits by the text of the domain.
func MergeDomains(parts []*domain.Domains) *domain.Domains {
	out, n := &domain.Domains{}, 0
	for _, p := range parts {
		n += len(p.Rows)
		out.Total.Add(p.Total)
		out.Registrations += p.Registrations
	}
	all := make([]domain.DomainCount, 0, n)
	for _, p := range parts {
		all = append(all, p.Rows...)
	}
	slices.SortFunc(all, func(a, b domain.DomainCount) int { return cmp.Compare(a.Domain, b.Domain) })
	for _, row := range all {
		last := len(out.Rows) - 1
		if last < 0 || out.Rows[last].Domain != row.Domain {
			out.Rows = append(out.Rows, row)
			continue
		}
		out.Rows[last].Add(row.Count)
		out.Rows[last].Registrations += row.Registrations
	}
	return out
}
