package stats

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Timeline answers stats/timeline: activity by day and service.
func Timeline(ctx context.Context, req *serve.Request, in *statsIn) (*wire.Timeline, error) {
	t, _, explain, err := in.timeline(ctx, req, domain.ShapeTimeline)
	if err != nil {
		return nil, err
	}
	out := renderTimeline(t)
	out.Explain = explain
	return out, nil
}

// timeline asks for counts by day over the question's range, and explains them.
func (in *statsIn) timeline(ctx context.Context, req *serve.Request, shape domain.Shape) (*domain.Timeline, domain.Range, *wire.Explanation, error) {
	q, of, _, err := in.question(ctx, req, shape)
	if err != nil {
		return nil, domain.Range{}, nil, err
	}
	q.Groups = of.Groups(selection.InOne)
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, domain.Range{}, nil, err
	}
	if answer.Timeline == nil {
		return nil, domain.Range{}, nil, serve.ErrShape("timeline")
	}
	explain, err := req.Explanation(ctx, &in.Explaining, answer)
	return answer.Timeline, q.Range, explain, err
}

// renderTimeline puts the service with the most actions first, days up.
func renderTimeline(t *domain.Timeline) *wire.Timeline {
	services := slices.Clone(t.Services)
	slices.SortFunc(services, func(a, b domain.ServiceTimeline) int {
		return cmp.Or(cmp.Compare(b.Total.Actions, a.Total.Actions), cmp.Compare(a.Service, b.Service))
	})
	days := 0
	for i := range services {
		days = max(days, len(services[i].Days))
	}
	names, ofYear := calendar(t.First, days)
	out := &wire.Timeline{Services: make([]wire.ServiceTimeline, len(services))}
	for i, s := range services {
		line := wire.ServiceTimeline{
			Service: s.Service.String(), Range: make([]wire.DayCount, len(s.Days)),
			TotalCount: wire.Number(s.Total.Actions), TotalMembers: wire.Number(s.Total.Members),
		}
		for d, n := range s.Days {
			line.Range[d] = wire.DayCount{Date: names[d], DayofYear: ofYear[d], Count: wire.Number(n.Actions), DistinctMembers: wire.Number(n.Members)}
		}
		out.Services[i] = line
	}
	return out
}

// calendar names n days from a day since 1970 on.
func calendar(first uint32, n int) (dates, ofYear []string) {
	dates, ofYear = make([]string, n), make([]string, n)
	day := time.Unix(int64(first)*86400, 0).UTC()
	for i := range n {
		dates[i], ofYear[i] = day.Format(time.DateOnly), wire.Number(day.YearDay())
		day = day.AddDate(0, 0, 1)
	}
	return dates, ofYear
}
