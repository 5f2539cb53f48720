package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Paged is the parameters that select the rows of a list.
type Paged struct {
	Limit  bind.Page `name:"limit" doc:"LIMIT or OFFSET,LIMIT; default 10, above 1000 it is clamped with a Warning, 0 gives totalSize alone" eg:"0,5"`
	Cursor string    `name:"cursor" max:"4096" doc:"empty: starts paging by cursor, which returns each row once even while data arrives and has no limit of offset; then the cursor of paging.next, with the same parameters and no offset"`
}

// Page is the page asked for, the first ten rows where none is.
func (in Paged) Page(req Request) bind.Page {
	p := in.Limit
	if !p.Given {
		p.Limit = 10
	}
	if p.Clamped {
		req.Warn(fmt.Sprintf("limit was clamped to %d", bind.MaxLimit))
	}
	return p
}

// beside gives the addresses of the pages beside p of a list of n, in the header
// too, with the dates of the range that was answered.
func beside(req Request, p bind.Page, n int, dates ...[2]string) wire.Paging {
	var out wire.Paging
	if p.Limit == 0 {
		return out
	}
	link := func(rel string, offset, limit int) *string {
		return req.List().Links.Add(rel, append(slices.Clone(dates), [2]string{"limit", strconv.Itoa(offset) + "," + strconv.Itoa(limit)})...)
	}
	switch next := p.Offset + p.Limit; {
	case next >= n:
	case next <= bind.MaxOffset:
		out.Next = link("next", next, p.Limit)
	default:
		req.Warn(fmt.Sprintf("a walk by offset ends here, with %d rows more: one with cursor= reaches all", n-next))
	}
	if p.Offset > 0 {
		out.Previous = link("prev", max(0, p.Offset-p.Limit), min(p.Limit, p.Offset))
	}
	return out
}

// ResultPage is the rows of the page, of those that were asked for, and the addresses of
// the pages beside it, in the header too. size is how many rows the list has on all pages.
func ResultPage[T any](req Request, p bind.Page, rows []T, size int, key func(*T) Row, dates ...[2]string) ([]T, wire.Paging) {
	list := req.List()
	if list.Keyset == nil {
		return rows, beside(req, p, size, dates...)
	}
	if p.Limit == 0 || len(rows) <= p.Limit {
		return rows, wire.Paging{}
	}
	rows = rows[:p.Limit]
	next := list.Keyset.Next(key(&rows[p.Limit-1]), req.Minute())
	token := list.cursors.Seal(next, req.Account(), list.Keyset.Question)
	instead := append(slices.Clone(dates), [2]string{"limit", strconv.Itoa(p.Limit)}, [2]string{"cursor", token})
	return rows, wire.Paging{Next: list.Links.Add("next", instead...)}
}

// PageOf is the page of a whole list, which is in the order of its keys.
func PageOf[T any](req Request, p bind.Page, all []T, key func(*T) Row, order func(a, b Row) int, dates ...[2]string) ([]T, wire.Paging) {
	return ResultPage(req, p, Cut(req.List().Keyset, p, all, key, order), len(all), key, dates...)
}

// Top is the rows of a page of a ranking; of an empty page none, wherever it begins.
func Top(req Request, p bind.Page) domain.Top {
	if p.Limit == 0 {
		return domain.Top{}
	}
	list := req.List().Keyset
	t := domain.Top{Offset: p.Offset, Limit: list.Wanted(p)}
	if after := list.After(); after != nil {
		t.After = &domain.After{Rank: after.Rank, Member: domain.MemberID(after.ID)}
	}
	return t
}
