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
	one.Void, _ = of.Members.Void()
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
	_, mixed := s.account.Members.Void()
	var parts []*domain.Feed
	for service, members := range one.Valid {
		members = slices.Clone(members)
		if one.Members != nil {
			keepOnly(members, one.Members)
		}
		some := slices.Clone(members)
		keepOnly(some, mixed)
		for i, w := range some {
			members[i] &^= w
		}
		of := *one
		of.Members = members
		f, err := s.listVisits(&of, domain.Service(service), q.Listing)
		if err != nil {
			return nil, err
		}
		parts = append(parts, f)
		if of.Members = some; notEmpty(some) {
			if f, err = s.listMixed(&of, domain.Service(service)); err != nil {
				return nil, err
			}
			parts = append(parts, f)
		}
	}
	return shape.MergeFeed(&whole, parts), nil
}

// listVisits lists the visits of a service.
func (s *execution) listVisits(one *scan.Ask, service domain.Service, by domain.Listing) (*domain.Feed, error) {
	if !notEmpty(one.Members) {
		return &domain.Feed{}, nil
	}
	q := *s.question
	q.Filter.Services = []domain.Service{service}
	q.Listing = by
	of := *one
	of.Plan = scan.NewPlan(&q)
	return s.scratch.scan.Feed(s.account.Rows, &of)
}

// listMixed is listVisits of members with visits that do not count beside others. They are few: all of
// their visits are listed, and those taken out.
func (s *execution) listMixed(one *scan.Ask, service domain.Service) (*domain.Feed, error) {
	by := s.question.Listing
	by.Offset, by.Limit, by.After = 0, 0, nil
	all, err := s.listVisits(one, service, by)
	if err != nil {
		return nil, err
	}
	by.Limit = int(all.Total)
	if all, err = s.listVisits(one, service, by); err != nil {
		return nil, err
	}
	left := all
	if by.After = s.question.Listing.After; by.After != nil {
		if left, err = s.listVisits(one, service, by); err != nil {
			return nil, err
		}
	}
	void := func(f domain.FeedItem) bool { _, is := one.Void[f.Row.Seq]; return is }
	all.Items = slices.DeleteFunc(slices.Clone(all.Items), void)
	left.Items = slices.DeleteFunc(slices.Clone(left.Items), void)
	out := &domain.Feed{Total: uint64(len(all.Items)), Items: left.Items}
	if by.After != nil {
		out.Ahead = uint64(len(all.Items) - len(left.Items))
	}
	return out, nil
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
