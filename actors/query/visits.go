package query

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/shape"
	"github.com/ovation-analytics/ovation/actors/view"
)

// askVisits adds what only visits are counted with.
func askVisits(one *scan.Ask, q *domain.Question, of *view.Account) {
	one.Places, one.At = of.Places, of.Members.LastLogin
	if !q.Visits.Valid {
		return
	}
	one.Valid = make([][]uint64, domain.Services)
	for service := range one.Valid {
		if s := domain.Service(service); len(q.Filter.Services) == 0 || slices.Contains(q.Filter.Services, s) {
			one.Valid[service] = of.Members.Valid(s)
		}
	}
}

// explain lists the actions that a question counts. Which visits are of valid records depends on
// member and service together: they are listed service by service.
func (s *execution) explain(one *scan.Ask) (*domain.Feed, error) {
	q := s.question
	if q.Visits == nil || !q.Visits.Valid {
		return s.scratch.scan.Feed(s.account.Rows, one)
	}
	whole := q.Listing
	whole.Offset, whole.Limit = 0, q.Listing.End()
	var parts []*domain.Feed
	for service, members := range one.Valid {
		if !notEmpty(members) {
			continue
		}
		of, each := *q, *one
		of.Filter.Services = []domain.Service{domain.Service(service)}
		if one.Members != nil {
			keepOnly(members, one.Members)
		}
		each.Plan, each.Members = scan.NewPlan(&of), members
		f, err := s.scratch.scan.Feed(s.account.Rows, &each)
		if err != nil {
			return nil, err
		}
		parts = append(parts, f)
	}
	return shape.MergeFeed(&whole, parts), nil
}

// placeOf is where a visit was made; empty: of another row, or nowhere.
func placeOf(v *view.View, r *domain.Row) domain.VisitPlace {
	_, number, placed := r.Definition.Visit()
	if !placed || !r.IsVisit() {
		return domain.VisitPlace{}
	}
	if of := v.Account(r.Account); of != nil && int(number) < len(of.Places) {
		return of.Places[number]
	}
	return domain.VisitPlace{}
}
