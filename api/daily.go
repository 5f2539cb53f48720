package api

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

func countDaily(c *Call, in *statsIn) (*wire.Daily, error) {
	q, of, _, err := in.question(c, domain.ShapeDaily)
	if err != nil {
		return nil, err
	}
	q.Groups = of.groups(inOne)
	t, err := c.timeline(q)
	if err != nil {
		return nil, err
	}
	first, days := q.Range.Days()
	var line domain.ServiceTimeline // of all services; none where nobody did anything
	for _, s := range t.Services {
		line = s
	}
	dates, _ := calendar(first, days)
	out := &wire.Daily{
		Items: make([]wire.DailyCount, days), TotalCount: wire.Number(line.Total.Actions), TotalMembers: wire.Number(line.Total.Members),
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
