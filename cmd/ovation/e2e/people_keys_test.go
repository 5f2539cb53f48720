package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"github.com/ovation-analytics/ovation/api/client"
)

// walk gives f the pages of a list by keys, of so many rows, until there is none or f has
// enough. The first is asked for by params, one half of the others by the address that
// the page before gave, the other half by params and its cursor. All must be of one
// range.
func walk(api *client.Client, params client.Params, size int, f func(*client.Client, client.Params) (client.Meta, bool, error)) error {
	own := maps.Clone(params)
	own["limit"], own["cursor"] = fmt.Sprint(size), ""
	first, more, err := f(api, own)
	quiet := api.Over(http.DefaultClient) // what the first page says of its range is listened to
	for meta, n := first, 1; err == nil && more && meta.Next != nil; n++ {
		next := maps.Clone(meta.Next)
		if n%2 == 0 {
			next = maps.Clone(own)
			next["cursor"] = meta.Next["cursor"]
		}
		if meta, more, err = f(quiet, next); err == nil && meta.Range != first.Range {
			return fmt.Errorf("page %d is of %s, the first of %s", n+1, meta.Range, first.Range)
		}
	}
	return err
}

// pageSize is how many rows the question's pages by keys have.
func (q question) pageSize() int { return []int{25, 60, 110, 250, 400}[q.span.to%5] }

// askFeedByKeys is askFeed of the first 1000 rows, or few more, page by page.
func askFeedByKeys(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
	out := dates{at: []string{}}
	met := map[string]bool{}
	err := walk(api, q.unpaged().feedParams(p), q.pageSize(), func(api *client.Client, params client.Params) (client.Meta, bool, error) {
		f, meta, err := api.Feed(ctx, params)
		if out.total == "" {
			out.total = f.TotalSize
		}
		for i := range f.Items {
			if item := &f.Items[i]; met[item.ID] || f.TotalSize != out.total {
				return meta, false, fmt.Errorf("action %s is met again, or %s rows are %s now", item.ID, out.total, f.TotalSize)
			}
			met[f.Items[i].ID] = true
			out.at = append(out.at, f.Items[i].CompleteDate)
		}
		return meta, len(out.at) < 1000, err
	})
	out.at = out.at[:min(len(out.at), 1000)]
	return out, err
}

// askActiveByKeys is askActive of the first 1000 members, page by page.
func askActiveByKeys(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
	out := ranks{}
	err := walk(api, q.unpaged().activeParams(p), q.pageSize(), func(api *client.Client, params client.Params) (client.Meta, bool, error) {
		a, meta, err := api.ActiveMembers(ctx, params)
		if err != nil {
			return meta, false, err
		}
		page := activeRanks(q, a)
		if out.total == "" {
			out.total = page.total
		}
		if page.total != out.total {
			return meta, false, fmt.Errorf("%s are %s now", out.total, page.total)
		}
		out.rows = append(out.rows, page.rows...)
		return meta, len(out.rows) < 1000, nil
	})
	if err != nil {
		return nil, err
	}
	out.rows = out.rows[:min(len(out.rows), 1000)]
	return out, nil
}

// unpaged is the question for the first 1000 rows.
func (q question) unpaged() question {
	q.page = ""
	return q
}
