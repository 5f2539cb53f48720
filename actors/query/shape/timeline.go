package shape

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeTimeline adds the shards' counts over the range asked for: every service
// that some part has, with every day of the range. A nil part counts nothing; one with
// days outside of the range, or with an unknown service, is no answer to the question: an error.
func MergeTimeline(r domain.Range, parts []*domain.Timeline) (*domain.Timeline, error) {
	first, n := r.Days()
	var by [domain.Services]*domain.ServiceTimeline
	for _, p := range parts {
		if p == nil {
			continue
		}
		for i := range p.Services {
			s := &p.Services[i]
			if int(s.Service) >= domain.Services || p.First < first || uint64(p.First-first)+uint64(len(s.Days)) > uint64(n) {
				return nil, &domain.Error{
					Code: domain.Internal, Op: "query.MergeTimeline", Message: "a part is of another question",
					Err: fmt.Errorf("service %d, days [%d,+%d) of [%d,+%d)", s.Service, p.First, len(s.Days), first, n),
				}
			}
			sum := by[s.Service]
			if sum == nil {
				sum = &domain.ServiceTimeline{Service: s.Service, Days: make([]domain.Count, n)}
				by[s.Service] = sum
			}
			for d, c := range s.Days {
				sum.Days[int(p.First-first)+d].Add(c)
			}
			sum.Total.Add(s.Total)
		}
	}
	t := &domain.Timeline{First: first}
	for _, s := range by {
		if s != nil {
			t.Services = append(t.Services, *s)
		}
	}
	return t, nil
}
