package logins

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Timeline answers login/stats/timeline: registrations by day and service.
func Timeline(ctx context.Context, req *serve.Request, in *signupsIn) (*wire.SignupTimeline, error) {
	q, err := in.question(ctx, req, domain.ShapeTimeline, in.UniqueMember)
	if err != nil {
		return nil, err
	}
	answer, err := ask(ctx, req, q, func(a *domain.Answer) bool {
		return a.Timeline != nil && (a.Tally != nil || !in.UniqueMember)
	})
	if err != nil {
		return nil, err
	}
	out, total := renderTimeline(answer.Timeline, in.number)
	if in.UniqueMember {
		total = answer.Tally.Total.Members
	}
	out.PeriodTotal = wire.Number(total)
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}

// renderTimeline puts the service with the most registrations first, days up; the total is the sum
// of those of the services.
func renderTimeline(t *domain.Timeline, number func(domain.Count) uint64) (out *wire.SignupTimeline, total uint64) {
	services := slices.Clone(t.Services)
	slices.SortFunc(services, func(a, b domain.ServiceTimeline) int {
		return cmp.Or(cmp.Compare(number(b.Total), number(a.Total)), cmp.Compare(a.Service, b.Service))
	})
	out = &wire.SignupTimeline{Services: make([]wire.SignupService, len(services))}
	var dates []string
	for i, s := range services {
		if dates == nil {
			dates = datesFrom(t.First, len(s.Days))
		}
		line := wire.SignupService{
			Service: s.Service.String(), Range: make([]wire.SignupDay, len(s.Days)), ServiceTotal: wire.Number(number(s.Total)),
		}
		for d, n := range s.Days {
			line.Range[d] = wire.SignupDay{Date: dates[d], Count: number(n)}
		}
		total += number(s.Total)
		out.Services[i] = line
	}
	return out, total
}

// datesFrom names n days from a day since 1970 on.
func datesFrom(first uint32, n int) []string {
	dates, day := make([]string, n), time.Unix(int64(first)*86400, 0).UTC()
	for i := range dates {
		dates[i] = day.AddDate(0, 0, i).Format(time.DateOnly)
	}
	return dates
}
