package api

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// turning is a list that is paged by keys: each page begins behind the last row of the
// one before, so that a row whose key stays is met exactly once while data arrives.
type turning struct {
	question string  // the operation and what its parameters mean
	from     *cursor // nil: the first page
	span     bind.Span
	clock    bool // which rows the list has hangs on the clock
}

// byClock notes that a range was resolved, which may hang on the clock.
func (t *turning) byClock(in bind.Range) {
	if t != nil && !(in.StartDate.Given && in.EndDate.Given) {
		t.clock = true
	}
}

// next is the cursor of the page behind a row.
func (t *turning) next(row rowKey, minute int64) *cursor {
	out := &cursor{span: t.span, row: row}
	switch {
	case t.from != nil:
		out.minute = t.from.minute
	case t.clock:
		out.minute = minute
	}
	return out
}

// uncursed are parameters that may change between two pages: they do not say which rows
// the list has, nor their order. The range is in the cursor.
var uncursed = []string{
	"apikey", "wait_for", "timeout_ms", "cursor", "limit", "fields", "totalmembercount", "explain", "explain_after",
	"period", "period_end", "start_date", "end_date",
}

// turn has the call's list be paged by keys if a cursor is given, an empty one too. A
// further page is asked for at the first one's moment, so that all that hangs on the
// clock, ranges and the rules of segments, is what it was there. in is what the plan has
// bound.
func (c *Call) turn(in any) error {
	token, given := c.params.Get("cursor")
	if !given || !c.op.plan.Has("cursor") {
		return nil
	}
	var p bind.Page
	if limit, _ := c.params.Get("limit"); limit != "" && p.ParseParam(limit) == nil && p.Offset > 0 {
		return domain.Bad(domain.InvalidParameter, "limit", "limit cannot have an offset beside a cursor")
	}
	t := &turning{question: c.op.name() + "\n" + c.op.plan.Canon(in, uncursed...)}
	if token != "" {
		from, ok := c.cursors.open(token, c.Account(), t.question)
		if !ok {
			return domain.Bad(domain.InvalidParameter, "cursor", "cursor must be one that a next page's address had, beside the same parameters: begin again with cursor= (empty)")
		}
		t.from, t.span = from, from.span
		if from.minute != 0 {
			c.now = time.Unix(from.minute*60, 0).UTC()
		}
	}
	c.turning = t
	return nil
}

// rangeOf is the range that the parameters of a list say: where none does, a cursor says
// it.
func (c *Call) rangeOf(in bind.Range) bind.Range {
	if t := c.turning; t != nil && t.from != nil && in == (bind.Range{}) {
		in.StartDate, in.EndDate = bind.Time{Unix: t.span.From, Given: true}, bind.Time{Unix: t.span.To, Given: true}
	}
	return in
}

// turnedOver notes the range of a first page; a further one has the same.
func (c *Call) turnedOver(span bind.Span) error {
	switch t := c.turning; {
	case t == nil:
	case t.from == nil:
		t.span = span
	case t.span != span:
		return domain.Bad(domain.InvalidParameter, "cursor", "cursor belongs to another range: begin again with cursor= (empty)")
	}
	return nil
}

// behind is the row behind which the page begins; nil: at the front of the list.
func (c *Call) behind() *rowKey {
	if c.turning == nil || c.turning.from == nil {
		return nil
	}
	return &c.turning.from.row
}

// wanted is how many rows to ask for: behind a row one more than the page has, which
// tells whether there is another page.
func (c *Call) wanted(p bind.Page) int {
	if c.turning != nil && p.Limit > 0 {
		return p.Limit + 1
	}
	return p.Limit
}

// turned is the rows of the page, of those that were asked for, and the addresses of the
// pages beside it, in the header too. size is how many rows the list has on all pages.
func turned[T any](c *Call, p bind.Page, rows []T, size int, key func(*T) rowKey, dates ...[2]string) ([]T, wire.Paging) {
	if c.turning == nil {
		return rows, c.beside(p, size, dates...)
	}
	if p.Limit == 0 || len(rows) <= p.Limit {
		return rows, wire.Paging{}
	}
	rows = rows[:p.Limit]
	next := c.turning.next(key(&rows[p.Limit-1]), c.minute())
	token := c.cursors.seal(next, c.Account(), c.turning.question)
	instead := append(slices.Clone(dates), [2]string{"limit", strconv.Itoa(p.Limit)}, [2]string{"cursor", token})
	return rows, wire.Paging{Next: c.link("next", instead...)}
}

// part is the page's part of a whole list, which is in the order of its keys.
func part[T any](c *Call, p bind.Page, all []T, key func(*T) rowKey, order func(a, b rowKey) int, dates ...[2]string) ([]T, wire.Paging) {
	from, to := p.Cut(len(all))
	if c.turning != nil {
		from = 0
		if after := c.behind(); after != nil {
			from = sort.Search(len(all), func(i int) bool { return order(key(&all[i]), *after) > 0 })
		}
		to = min(from+c.wanted(p), len(all))
	}
	return turned(c, p, all[from:to], len(all), key, dates...)
}

// byID orders rows by id ascending.
func byID(a, b rowKey) int { return cmp.Compare(a.id, b.id) }

// byRank puts the greatest rank first; ties stand by text, then by id.
func byRank(a, b rowKey) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.text, b.text), cmp.Compare(a.id, b.id))
}

// byText orders rows by text; ties stand by id ascending in both directions.
func byText(down bool) func(a, b rowKey) int {
	return func(a, b rowKey) int {
		d := cmp.Compare(a.text, b.text)
		if down {
			d = -d
		}
		return cmp.Or(d, cmp.Compare(a.id, b.id))
	}
}
