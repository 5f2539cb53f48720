package stats

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Daily answers count/daily: activity by day.
func Daily(ctx context.Context, req *serve.Request, in *statsIn) (*wire.Daily, error) {
	t, span, explain, err := in.timeline(ctx, req, domain.ShapeDaily)
	if err != nil {
		return nil, err
	}
	first, days := span.Days()
	var line domain.ServiceTimeline // of all services; none without an action
	for _, s := range t.Services {
		line = s
	}
	dates, _ := calendar(first, days)
	out := &wire.Daily{
		Items: make([]wire.DailyCount, days), TotalCount: wire.Number(line.Total.Actions), TotalMembers: wire.Number(line.Total.Members),
		Explain: explain,
	}
	for i := range out.Items {
		var n domain.Count
		if i < len(line.Days) {
			n = line.Days[i]
		}
		out.Items[i] = wire.DailyCount{Date: dates[i], Count: wire.Number(n.Actions), DistinctMembers: wire.Number(n.Members)}
	}
	return out, nil
}
