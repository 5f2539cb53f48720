package e2e

import (
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// dates is a page of a feed as the model knows it: which of several actions of one
// second comes first hangs on ids, which only the engine gives.
type dates struct {
	total string
	at    []string
}

// feedParams are the question's for a feed: of every action where it asks by type, of
// each member's latest else.
func (q question) feedParams(p *people) client.Params {
	q.member = 0 // a feed names members by the filter alone
	params := p.about(q, q.params())
	params["all_member_actions"], params["limit"] = flag(q.byType), "1000"
	if q.page != "" {
		params["limit"] = q.page
	}
	if q.up {
		params["sort"] = "asc"
	}
	if q.keyword != "" {
		params["keyword"] = q.keyword
	}
	return params
}

func askFeed(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
	f, _, err := api.Feed(ctx, q.feedParams(p))
	out := dates{f.TotalSize, []string{}}
	for i := range f.Items {
		out.at = append(out.at, f.Items[i].CompleteDate)
	}
	return out, err
}

// feed is the answer of activity/feed.
func (p *people) feed(q question) any {
	q.member = 0
	var at []int64
	latest := map[int32]int64{}
	p.matching(q, func(a *act) {
		if !strings.Contains(strings.ToLower(trackOf(a)), strings.ToLower(q.keyword)) {
			return
		}
		at = append(at, a.at)
		latest[a.fan] = max(latest[a.fan], a.at)
	})
	if !q.byType {
		at = at[:0]
		for _, t := range latest {
			at = append(at, t)
		}
	}
	slices.Sort(at)
	if !q.up {
		slices.Reverse(at)
	}
	from, n := 0, 1000
	if q.page != "" {
		from, n = min(q.from, len(at)), q.n
	}
	out := dates{id(uint64(len(at))), []string{}}
	for _, t := range at[from:min(from+n, len(at))] {
		out.at = append(out.at, wire.Seconds(t))
	}
	return out
}

// trackOf is the name that people.record gives in an action's content.
func trackOf(a *act) string { return "Track of " + a.id }
