package shape

import (
	"cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeLeaders ranks the shards' first members, each in order, together and cuts the
// rows wanted out of them. A nil part ranks no member.
func MergeLeaders(top domain.Top, parts []*domain.Leaders) *domain.Leaders {
	out := &domain.Leaders{}
	for _, p := range parts {
		if p != nil {
			out.Total.Add(p.Total)
			out.Audience += p.Audience
			out.Above += p.Above
			out.Ahead += p.Ahead
		}
	}
	at := make([]int, len(parts)) // of each part, the members ranked above the row
	for row := range top.End() {
		next := -1
		for k, p := range parts {
			if p == nil || at[k] == len(p.Members) {
				continue
			}
			if next < 0 || compareLeaders(top, &p.Members[at[k]], &parts[next].Members[at[next]]) < 0 {
				next = k
			}
		}
		if next < 0 {
			break
		}
		if row >= top.Offset {
			p := parts[next]
			out.Members = append(out.Members, p.Members[at[next]])
			if top.Latest {
				out.Latest = append(out.Latest, p.Latest[at[next]])
			}
		}
		at[next]++
	}
	return out
}

// compareLeaders orders members as they are ranked; ties are ordered by ID ascending.
func compareLeaders(top domain.Top, a, b *domain.Leader) int {
	d := cmp.Compare(a.At, b.At)
	switch top.Order {
	case domain.ByScore:
		d = cmp.Compare(a.Score, b.Score)
	case domain.ByActions:
		d = cmp.Compare(a.Actions, b.Actions)
	}
	if !top.Up {
		d = -d
	}
	return cmp.Or(d, cmp.Compare(a.Member, b.Member))
}
