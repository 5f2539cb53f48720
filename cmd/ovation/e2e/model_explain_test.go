package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// statistic is one that explains itself, without the rest of it.
type statistic struct {
	Explain *wire.Explanation `json:"explain"`
}

// explainable are the statistics of a brand that explain themselves by all the actions
// of the question.
var explainable = []string{
	"/v1.1/brand/%d/stats/activity", "/v1.1/brand/%d/stats/timeline", "/v1.1/brand/%d/stats/location", "/v1.1/brand/%d/stats/gender",
	"/v1.1/brand/%d/stats/age", "/v1.1/brand/%d/stats/members", "/v1.1/activity/count/daily?brandID=%d", "/v1.1/activity/count/services?brandID=%d",
}

// pagesFollowed is how many pages of a list a question follows at most.
const pagesFollowed = 3

// askActionsBehind follows the pages of a statistic's explanation and those of the feed
// of all actions of the same question, newest first: they list the same actions in the
// same order. Which these are the feed says.
func askActionsBehind(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	q.member, q.page, q.up, q.byType, q.keyword = 0, "", false, true, ""
	for range 3 { // the minute may turn between two answers
		first, meta, err := client.Do(ctx, api, client.GetFeed{More: q.feedParams(p)})
		if err != nil {
			return nil, err
		}
		explained, total, err := q.explanation(ctx, api, p, meta.Range)
		if err != nil {
			return nil, err
		}
		ids, out, meta2, err := q.feedBySteps(ctx, api, p)
		switch {
		case err != nil:
			return nil, err
		case meta.Range != meta2.Range:
			continue
		case total != first.TotalSize || total != out.total || !slices.Equal(ids, explained):
			return nil, fmt.Errorf("%d of %s actions explain it, the feed has %d of %s: %v and %v", len(explained), total, len(ids), out.total, explained, ids)
		}
		return out, nil
	}
	return nil, errors.New("the range turned three times")
}

// explanation is the ids of the first pages, over a range as X-Range says it.
func (q question) explanation(ctx context.Context, api *client.Client, p *model, spanned string) (ids []string, total string, err error) {
	params := q.params()
	delete(params, "period")
	delete(params, "period_end")
	const length = len("2006-01-02 15:04:05")
	params["start_date"], params["end_date"], params["explain"] = spanned[:length], spanned[length+1:], "1"
	to, err := url.Parse(fmt.Sprintf(explainable[int(q.span.from)%len(explainable)], p.brands[q.brand].id))
	if err != nil {
		return nil, "", err
	}
	for page := 0; ; page++ {
		for name, values := range to.Query() {
			params[name] = values[0]
		}
		var out statistic
		meta, err := api.Get(ctx, to.Path, params, &out)
		if err != nil {
			return nil, "", err
		}
		if out.Explain == nil || out.Explain.Position != meta.Position {
			return nil, "", fmt.Errorf("%s at %s is explained by %+v", to.Path, meta.Position, out.Explain)
		}
		ids = append(ids, out.Explain.Actions...)
		if out.Explain.Next == nil || page+1 == pagesFollowed {
			return ids, out.Explain.TotalSize, nil
		}
		if to, err = url.Parse(*out.Explain.Next); err != nil {
			return nil, "", err
		}
		params = client.Params{}
	}
}

// feedBySteps is the first pages of the feed, by offset.
func (q question) feedBySteps(ctx context.Context, api *client.Client, p *model) (ids []string, out ranks, meta client.Meta, err error) {
	for page := range pagesFollowed {
		q.page = fmt.Sprintf("%d,1000", 1000*page)
		var f wire.Feed
		if f, meta, err = client.Do(ctx, api, client.GetFeed{More: q.feedParams(p)}); err != nil {
			return nil, out, meta, err
		}
		out.total = f.TotalSize
		for i := range f.Items {
			ids, out.rows = append(ids, f.Items[i].ID), append(out.rows, f.Items[i].CompleteDate)
		}
		if len(f.Items) < 1000 {
			break
		}
	}
	return ids, out, meta, nil
}

// actionsBehind is when the newest of the actions were done that explain a statistic.
func (p *model) actionsBehind(q question) any {
	q.page, q.up, q.byType, q.keyword = fmt.Sprint("0,", 1000*pagesFollowed), false, true, ""
	q.from, q.n = 0, 1000*pagesFollowed
	return p.feed(q)
}
