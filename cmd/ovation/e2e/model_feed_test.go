package e2e

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// feedParams are the question's for a feed: of every action where it asks by type, of
// each member's latest else.
func (q question) feedParams(p *model) client.Params {
	q.member = 0 // a feed names members by the filter alone
	params := p.about(q, q.params())
	params["all_member_actions"], params["limit"] = flag(q.byType), cmp.Or(q.page, "1000")
	if q.up {
		params["sort"] = "asc"
	}
	if q.keyword != "" {
		params["keyword"] = q.keyword
	}
	return params
}

// feedPage is a page of a feed by its times: which of several actions of one second comes first
// depends on ids, which only the engine gives.
func feedPage(ctx context.Context, api *client.Client, _ question, params client.Params) (ranks, client.Meta, error) {
	f, meta, err := api.Feed(ctx, params)
	out := ranks{total: f.TotalSize}
	for i := range f.Items {
		out.rows = append(out.rows, f.Items[i].CompleteDate)
	}
	return out, meta, err
}

// feed is the answer of activity/feed.
func (p *model) feed(q question) any {
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
	out := ranks{total: id(uint64(len(at)))}
	for _, t := range paged(q, at) {
		out.rows = append(out.rows, wire.Seconds(t))
	}
	return out
}

// trackOf is the name that model.record gives in an action's content.
func trackOf(a *act) string { return "Track of " + a.id }
