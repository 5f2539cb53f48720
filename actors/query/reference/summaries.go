package reference

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// summaries is what each member did that counts, member by member: its brands by score, its domains
// by text.
func (m *Model) summaries(q *domain.Question) (out []domain.MemberSummary) {
	by := map[domain.MemberID][]Action{}
	for a := range m.Counted(q) {
		if q.Visits == nil && (a.Row.Brand == m.Visits || slices.Contains(q.Without, a.Row.Brand)) {
			continue
		}
		by[a.Member] = append(by[a.Member], *a)
	}
	for _, id := range slices.Sorted(maps.Keys(by)) {
		s := domain.MemberSummary{Member: id}
		for _, a := range by[id] {
			s.Latest = max(s.Latest, a.Row.Time)
		}
		if q.Visits != nil {
			s.Domains = domainsOf(by[id])
		} else {
			whole := *q
			whole.Top = domain.Top{Limit: q.Top.Limit}
			s.Brands = (&Model{Members: m.Members, Actions: by[id], Visits: m.Visits}).standings(&whole).Brands
		}
		out = append(out, s)
	}
	return out
}

// domainsOf is the domains of visits, with the first and the last one on each.
func domainsOf(visits []Action) (out []domain.DomainVisits) {
	times := map[string][]domain.Second{}
	for _, a := range visits {
		if name := a.Place.Domain; name != "" {
			times[name] = append(times[name], a.Row.Time)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		out = append(out, domain.DomainVisits{Domain: name, First: slices.Min(times[name]), Last: slices.Max(times[name])})
	}
	return out
}
