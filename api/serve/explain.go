package serve

import (
	"context"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Explaining are the parameters of an explanation. An input holds them by name, since
// they have rules.
type Explaining struct {
	Explain bool   `name:"explain" doc:"1 adds explain: the IDs of the actions that were counted, newest first, 1000 a page" eg:"1"`
	After   string `name:"explain_after" max:"4096" doc:"of a further page of explain, whose address is explain's next: follow that; needs explain. Error 4 where members were merged or parted meanwhile and the page ends amid actions of one second: begin again without it"`
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

// unexplained are parameters that do not select the actions explained. The range is
// in the cursor.
var unexplained = []string{
	"apikey", bind.Strict, "wait_for", "timeout_ms", page.ExplainAfter, "period", "period_end", "start_date", "end_date",
}

// explainFrom notes what an explanation is of, and where its page begins. A further page is
// asked for at the first one's moment, so that what depends on the clock is what it was
// there. question is the operation's.
func (req *Request) explainFrom(question string) error {
	if !req.Params.On("explain") {
		return nil
	}
	req.explained = &page.Keyset{Question: "explain\n" + question}
	token, _ := req.Params.Get(page.ExplainAfter)
	if token == "" {
		return nil
	}
	from, ok := req.cursors.Open(token, req.Account(), req.explained.Question)
	if !ok {
		return errExplainAfter
	}
	req.explained.From = from
	if from.Minute != 0 {
		req.Clock.Now = time.Unix(from.Minute*60, 0).UTC()
	}
	return nil
}

var errExplainAfter = domain.Bad(domain.InvalidParameter, page.ExplainAfter, "explain_after must be the one that next had, beside the same parameters")

// Ask has the question's answer list the actions that were counted, if they are
// asked for: each shard counts and lists at one view, so that the two agree while data
// arrives. span is the range; zero: all time.
func (in *Explaining) Ask(req *Request, q *domain.Question, span bind.Span) error {
	if !in.Explain {
		return nil
	}
	q.Explain = true
	q.Listing = domain.Listing{Every: true, Limit: explainedAtOnce + 1} // one more shows whether there is another page
	switch t := req.explained; {
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

// Explanation shows the actions of an answer that explains; nil: they were not asked
// for. The position is left out of the ETag, which changes when the actions do. Actions of a merged
// member have the ids that feeds show.
func (in *Explaining) Explanation(ctx context.Context, req *Request, answer *domain.Answer) (*wire.Explanation, error) {
	if !in.Explain {
		return nil, nil
	}
	f := answer.Feed
	if f == nil {
		return nil, &domain.Error{Code: domain.Internal, Op: "explain", Message: "the answer does not explain"}
	}
	if err := FeedGoesOn(f, req.explained.After(), page.ExplainAfter); err != nil {
		return nil, err
	}
	items := f.Items[:min(len(f.Items), explainedAtOnce)]
	out := &wire.Explanation{TotalSize: wire.Number(f.Total), Actions: make([]string, len(items))}
	shown, err := req.Engine.Show(ctx, req.Account(), items, answer.Position)
	if err != nil {
		return nil, WaitFault(err)
	}
	for i := range items {
		out.Actions[i] = wire.Number(shown[i].Content.ID(&items[i].Row))
	}
	if len(items) < len(f.Items) {
		out.Next = explainedNext(req, FeedRow(f, len(items)-1, false))
	}
	req.Response.AtLast(func() error {
		out.Position = wire.EncodePosition(req.Response.Position)
		return nil
	})
	return out, nil
}

// explainedNext is the address of the actions behind a row, with the dates of the range.
func explainedNext(req *Request, last page.Row) *string {
	t := req.explained
	t.Clock = slices.ContainsFunc(req.Clock.Ranges, func(r poll.Range) bool { return !r.In.StartDate.Given || !r.In.EndDate.Given })
	token := req.cursors.Seal(t.Next(last, req.Clock.Minute()), req.Account(), t.Question)
	instead := [][2]string{{page.ExplainAfter, token}}
	if t.Span != (bind.Span{}) {
		instead = append(page.Dates(t.Span), instead...)
	}
	next := req.Links.Address(instead...)
	return &next
}
