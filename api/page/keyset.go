package page

import (
	"cmp"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// Keyset is a list that is paged by keys: each page begins after the last row of the one
// before, so each row is returned once even while data arrives. The
// methods of a nil Keyset are those of a list that is paged by offset.
type Keyset struct {
	Question string  // the operation and the meaning of its parameters
	From     *Cursor // nil: the first page
	Span     bind.Span
	Clock    bool // the rows of the list depend on the clock
}

// Resolved notes that a range was resolved, which may depend on the clock.
func (k *Keyset) Resolved(in bind.Range) {
	if k != nil && !(in.StartDate.Given && in.EndDate.Given) {
		k.Clock = true
	}
}

// Range is the range that the parameters of a list give: without one, that of the cursor.
func (k *Keyset) Range(in bind.Range) bind.Range {
	if k != nil && k.From != nil && in == (bind.Range{}) {
		in.StartDate.Time = bind.Time{Unix: k.From.Span.From, Given: true}
		in.EndDate.Time = bind.Time{Unix: k.From.Span.To, Given: true}
	}
	return in
}

// Hold keeps the range of a first page; a further page must have the same.
func (k *Keyset) Hold(span bind.Span) error {
	switch {
	case k == nil:
	case k.From == nil:
		k.Span = span
	case k.Span != span:
		return domain.Bad(domain.InvalidParameter, "cursor", "cursor belongs to another range: begin again with cursor= (empty)")
	}
	return nil
}

// After is the row after which the page begins; nil: it begins at the front of the list.
func (k *Keyset) After() *Row {
	if k == nil || k.From == nil {
		return nil
	}
	return &k.From.Row
}

// Wanted is how many rows to ask for: one more than the page has, which shows whether
// there is another page.
func (k *Keyset) Wanted(p bind.Page) int {
	if k != nil && p.Limit > 0 {
		return p.Limit + 1
	}
	return p.Limit
}

// Next is the cursor of the page after a row.
func (k *Keyset) Next(row Row, minute int64) *Cursor {
	out := &Cursor{Span: k.Span, Row: row}
	switch {
	case k.From != nil:
		out.Minute = k.From.Minute
	case k.Clock:
		out.Minute = minute
	}
	return out
}

// Cut is the rows to answer with, of a whole list in the order of its keys: the page's
// and, in a Keyset, one more.
func Cut[T any](k *Keyset, p bind.Page, all []T, key func(*T) Row, order func(a, b Row) int) []T {
	from, to := p.Cut(len(all))
	if k != nil {
		from = 0
		if after := k.After(); after != nil {
			from = sort.Search(len(all), func(i int) bool { return order(key(&all[i]), *after) > 0 })
		}
		to = min(from+k.Wanted(p), len(all))
	}
	return all[from:to]
}

// ByID orders rows by id ascending.
func ByID(a, b Row) int { return cmp.Compare(a.ID, b.ID) }

// ByRank puts the greatest rank first; ties are ordered by text, then by id.
func ByRank(a, b Row) int {
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
}

// ByText orders rows by text; ties are ordered by id ascending in both directions.
func ByText(down bool) func(a, b Row) int {
	return func(a, b Row) int {
		d := cmp.Compare(a.Text, b.Text)
		if down {
			d = -d
		}
		return cmp.Or(d, cmp.Compare(a.ID, b.ID))
	}
}
