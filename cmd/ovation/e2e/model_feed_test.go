package e2e

import (
	"cmp"
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
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
	f, meta, err := client.Do(ctx, api, client.GetFeed{More: params})
	out := ranks{total: f.TotalSize}
	for i := range f.Items {
		out.rows = append(out.rows, f.Items[i].CompleteDate)
	}
	return out, meta, err
}

// feed is the answer of activity/feed.
func (p *model) feed(q question) any {
	q.member = 0
	f := p.answer(q, domain.ShapeFeed).Feed
	out := ranks{total: id(f.Total)}
	for _, i := range f.Items {
		out.rows = append(out.rows, wire.Seconds(int64(i.Row.Time)))
	}
	return out
}

// trackOf is the name that model.record gives in an action's content.
func trackOf(a *act) string { return "Track of " + a.id }
