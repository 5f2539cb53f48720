package reference

import (
	"iter"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// visits is the visits that the question counts, a registration for a point.
func (m *Model) visits(q *domain.Question) iter.Seq[*Action] {
	return func(yield func(*Action) bool) {
		passing, members, v := m.Passing(q), m.byID(), q.Visits
		for i := range m.Actions {
			a := m.Actions[i]
			in := a.Row.Time >= q.Range.From && a.Row.Time < q.Range.To
			if a.Visit == 0 || !in || !passing[a.Member] || v.Of != 0 && v.Of != a.Visit {
				continue
			}
			s := a.Row.Service
			switch {
			case len(q.Filter.Services) > 0 && !slices.Contains(q.Filter.Services, s),
				v.Domain != "" && v.Domain != a.Place.Domain,
				v.Page != "" && v.Page != a.Place.Page,
				v.Valid && (a.Void || !slices.Contains(members[a.Member].Valid, s)):
				continue
			}
			a.Row.Points = 0
			if a.Visit == domain.Registration {
				a.Row.Points = 1
			}
			if !yield(&a) {
				return
			}
		}
	}
}

// domains counts by domain.
func (m *Model) domains(q *domain.Question) *domain.Domains {
	var total counter
	rows, out := map[string]*counter{}, &domain.Domains{}
	registrations := map[string]uint64{}
	for a := range m.Counted(q) {
		name := a.Place.Domain
		if rows[name] == nil {
			rows[name] = &counter{}
		}
		rows[name].add(a)
		total.add(a)
		if a.Visit == domain.Registration {
			registrations[name]++
			out.Registrations++
		}
	}
	out.Total = total.count()
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		row := domain.DomainCount{Domain: name, Count: rows[name].count(), Registrations: registrations[name]}
		out.Rows = append(out.Rows, row)
	}
	return out
}
