package shape

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeMemberLists puts the shards' first members, each part in order, into one order and cuts
// the rows wanted out of them. A nil part has no member.
func MergeMemberLists(r domain.MemberListing, parts []*domain.MemberList) *domain.MemberList {
	out := &domain.MemberList{}
	for _, p := range parts {
		if p != nil {
			out.Total += p.Total
			out.Members = append(out.Members, p.Members...)
		}
	}
	slices.Sort(out.Members)
	if !r.Up {
		slices.Reverse(out.Members)
	}
	to := min(len(out.Members), r.End())
	out.Members = out.Members[min(to, r.Offset):to]
	return out
}
