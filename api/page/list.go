package page

import (
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// Request is what the pages of a request's list are made for. It belongs to the goroutine of the request.
type Request interface {
	List() *List
	Account() domain.AccountID
	// Minute is that of the clock that the answer is made by, since 1970.
	Minute() int64
	// Warn adds a Warning to the answer.
	Warn(text string)
}

// List is the list of one request, and that of the actions that an answer explains.
type List struct {
	Links  *Links
	Keyset *Keyset // nil: the list is paged by offset
	Stream string  // what a stream's cursors belong to, of an operation that takes them

	explained *Keyset // nil: no explanation is asked for
	cursors   *Sealer
}

// NewList is a list that is paged by offset. Cursors opens and seals what Continue continues by.
func NewList(links *Links, cursors *Sealer) List { return List{Links: links, cursors: cursors} }

// Unselecting are parameters that may change between two pages: they select neither the rows of the list nor their
// order. The range is in the cursor.
var Unselecting = []string{
	"apikey", bind.Strict, "wait_for", "timeout_ms", "cursor", "limit", "fields", "totalmembercount", "explain", "explain_after",
	"period", "period_end", "start_date", "end_date",
}

// Unstreamed are parameters that are no part of what a stream asks: all that a page or an order is selected by.
var Unstreamed = append(slices.Clip(Unselecting), "sort", "order_by_recorded", "recorded_since", "all_member_actions")

// Continue has the list be paged by keys: a cursor is given, perhaps an empty one. question is the operation and
// what its parameters mean, but for those Unselecting. A further page is computed at the time of the first, so that
// all that depends on the clock, ranges and the rules of segments, is the same on each page: that time is at; zero:
// the clock stays.
func (l *List) Continue(params *bind.Params, account domain.AccountID, question string) (at time.Time, err error) {
	token, _ := params.Get("cursor")
	var p bind.Page
	if limit, _ := params.Get("limit"); limit != "" && p.ParseParam(limit) == nil && p.Offset > 0 {
		return at, domain.Bad(domain.InvalidParameter, "limit", "limit cannot have an offset beside a cursor")
	}
	l.Keyset = &Keyset{Question: question}
	if token == "" {
		return at, nil
	}
	from, ok := l.cursors.Open(token, account, question)
	if !ok {
		return at, domain.Bad(domain.InvalidParameter, "cursor", "cursor must be one that a next page's address had, beside the same parameters: begin again with cursor= (empty)")
	}
	l.Keyset.From, l.Keyset.Span = from, from.Span
	return from.time(), nil
}

// Resolved notes that a range was resolved, which may depend on the clock.
func (l *List) Resolved(in bind.Range) {
	l.Keyset.Resolved(in)
	l.explained.Resolved(in)
}

// time is that of the first page; zero: it does not matter.
func (c *Cursor) time() time.Time {
	if c.Minute == 0 {
		return time.Time{}
	}
	return time.Unix(c.Minute*60, 0).UTC()
}
