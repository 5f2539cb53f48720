package shape

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeSummaries is the members' summaries by id, each with its first brands.
func MergeSummaries(top domain.Top, parts [][]domain.MemberSummary) []domain.MemberSummary {
	out := slices.Concat(parts...)
	slices.SortFunc(out, func(a, b domain.MemberSummary) int { return cmp.Compare(a.Member, b.Member) })
	for i := range out {
		s := &out[i]
		s.Brands = s.Brands[:min(len(s.Brands), top.Limit)]
	}
	return out
}
