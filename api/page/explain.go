package page

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// Explaining are the parameters of an explanation. An input holds them by name, since
// they have rules.
type Explaining struct {
	Explain bool   `name:"explain" doc:"1 adds explain: the IDs of the actions that were counted, newest first, 1000 a page" eg:"1"`
	After   string `name:"explain_after" max:"4096" doc:"of a further page of explain: explain's next has the whole address; needs explain. Error 4 if members were merged or unmerged since the page before and that page ended between actions of one second: ask for the first page"`
}

// Missing reports a page of an explanation that is not asked for.
func (in *Explaining) Missing(has func(string) bool) string {
	if has("explain_after") && !in.Explain {
		return "explain"
	}
	return ""
}

// explainedAtOnce is how many actions a page of an explanation has.
const explainedAtOnce = 1000

// Unexplained are parameters that do not select the actions explained. The range is
// in the cursor.
var Unexplained = []string{
	"apikey", bind.Strict, "wait_for", "timeout_ms", ExplainAfter, "period", "period_end", "start_date", "end_date",
}

// ContinueExplanation notes what an explanation is of, and where its page begins, where one is asked for. question is
// the operation and what its parameters mean, but for those Unexplained. A further page is asked for at the first
// one's time, at, so that what depends on the clock is what it was there; zero: the clock stays.
func (l *List) ContinueExplanation(params *bind.Params, account domain.AccountID, question string) (at time.Time, err error) {
	if !params.On("explain") {
		return at, nil
	}
	l.explained = &Keyset{Question: "explain\n" + question}
	token, _ := params.Get(ExplainAfter)
	if token == "" {
		return at, nil
	}
	from, ok := l.cursors.Open(token, account, l.explained.Question)
	if !ok {
		return at, errExplainAfter
	}
	l.explained.From = from
	return from.time(), nil
}

var errExplainAfter = domain.Bad(domain.InvalidParameter, ExplainAfter, "explain_after must be the one that next had, beside the same parameters")

// Ask has the question's answer list the actions that were counted, if they are
// asked for: each shard counts and lists at one view, so that the two agree while data
// arrives. span is the range; zero: all time.
func (in *Explaining) Ask(req Request, q *domain.Question, span bind.Span) error {
	if !in.Explain {
		return nil
	}
	q.Explain = true
	q.Listing = domain.Listing{Every: true, Limit: explainedAtOnce + 1} // one more shows whether there is another page
	switch t := req.List().explained; {
	case t.From == nil:
		t.Span = span
	case t.From.Span != span:
		return errExplainAfter
	default:
		t.Span = span
		q.Listing.After = FeedAfter(t.After())
	}
	return nil
}

// ExplainedPage is the actions of a page of an explanation, which the feed of an answer has, and the address of
// the next page; nil: it is the last one.
func ExplainedPage(req Request, f *domain.Feed) (items []domain.FeedItem, next *string, err error) {
	if err := FeedGoesOn(f, req.List().explained.After(), ExplainAfter); err != nil {
		return nil, nil, err
	}
	items = f.Items[:min(len(f.Items), explainedAtOnce)]
	if len(items) < len(f.Items) {
		next = explainedNext(req, FeedRow(f, len(items)-1, false))
	}
	return items, next, nil
}

// explainedNext is the address of the actions after a row, with the dates of the range.
func explainedNext(req Request, last Row) *string {
	list := req.List()
	of := list.explained
	token := list.cursors.Seal(of.Next(last, req.Minute()), req.Account(), of.Question)
	instead := [][2]string{{ExplainAfter, token}}
	if of.Span != (bind.Span{}) {
		instead = append(Dates(of.Span), instead...)
	}
	next := list.Links.Address(instead...)
	return &next
}
