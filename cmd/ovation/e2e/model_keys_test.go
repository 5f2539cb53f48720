package e2e

import (
	"cmp"
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

// askFeedByKeys asks for the first 1000 rows of a feed, or few more, page by page.
func askFeedByKeys(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	out := ranks{}
	met := map[string]bool{}
	err := walk(api, q.unpaged().feedParams(p), q.pageSize(), func(api *client.Client, params client.Params) (client.Meta, bool, error) {
		f, meta, err := client.Do(ctx, api, client.GetFeed{More: params})
		if out.total == "" {
			out.total = f.TotalSize
		}
		for i := range f.Items {
			if item := &f.Items[i]; met[item.ID] || f.TotalSize != out.total {
				return meta, false, fmt.Errorf("action %s is met again, or %s rows are %s now", item.ID, out.total, f.TotalSize)
			}
			met[f.Items[i].ID] = true
			out.rows = append(out.rows, f.Items[i].CompleteDate)
		}
		return meta, len(out.rows) < 1000, err
	})
	out.rows = out.rows[:min(len(out.rows), 1000)]
	return out, err
}

// pageOf reads a page of a list.
type pageOf func(context.Context, *client.Client, question, client.Params) (ranks, client.Meta, error)

// asked asks for the question's page of a list.
func (f pageOf) asked(params func(question, *model) client.Params) asking {
	return func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
		out, _, err := f(ctx, api, q, params(q, p))
		return out, err
	}
}

// byKeys asks for the first 1000 rows of a list, page by page.
func (f pageOf) byKeys(params func(question, *model) client.Params) asking {
	return func(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
		out := ranks{}
		err := walk(api, params(q.unpaged(), p), q.pageSize(), func(api *client.Client, params client.Params) (client.Meta, bool, error) {
			page, meta, err := f(ctx, api, q, params)
			out.total = cmp.Or(out.total, page.total)
			if err == nil && page.total != out.total {
				err = fmt.Errorf("%s are %s now", out.total, page.total)
			}
			out.rows = append(out.rows, page.rows...)
			return meta, len(out.rows) < 1000, err
		})
		out.rows = out.rows[:min(len(out.rows), 1000)]
		return out, err
	}
}

// unpaged is the question for the first 1000 rows.
func (q question) unpaged() question {
	q.page = ""
	return q
}
