package api

import (
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/wire"
)

// explaining are the parameters of an explanation. An input holds them by name, since
// they have rules.
type explaining struct {
	Explain bool   `name:"explain" doc:"1 adds explain: the IDs of the actions that were counted, newest first, 1000 a page" eg:"1"`
	After   string `name:"explain_after" max:"4096" doc:"of a further page of explain, whose address is explain's next: follow that; needs explain"`
}

// Missing reports a page of an explanation that is not asked for.
func (in *explaining) Missing(has func(string) bool) string {
	if has("explain_after") && !in.Explain {
		return "explain"
	}
	return ""
}

// explainedAtOnce is how many actions a page of an explanation has.
const explainedAtOnce = 1000

// unexplained are parameters that do not say which actions are explained. The range is
// in the cursor.
var unexplained = []string{
	"apikey", "wait_for", "timeout_ms", explainAfter, "period", "period_end", "start_date", "end_date",
}

// explainAfter is the name of the parameter.
const explainAfter = "explain_after"

// unfold notes what an explanation is of, and where its page begins. A further page is
// asked for at the first one's moment, so that what hangs on the clock is what it was
// there. in is what the plan has bound.
func (c *Call) unfold(in any) error {
	if on, _ := c.params.Get("explain"); on != "1" || !c.op.plan.Has(explainAfter) {
		return nil
	}
	c.unfolding = &page.Keyset{Question: "explain\n" + c.op.name() + "\n" + c.op.plan.Canon(in, unexplained...)}
	token, _ := c.params.Get(explainAfter)
	if token == "" {
		return nil
	}
	from, ok := c.cursors.Open(token, c.Account(), c.unfolding.Question)
	if !ok {
		return errExplainAfter
	}
	c.unfolding.From = from
	if from.Minute != 0 {
		c.now = time.Unix(from.Minute*60, 0).UTC()
	}
	return nil
}

var errExplainAfter = domain.Bad(domain.InvalidParameter, explainAfter, "explain_after must be the one that next had, beside the same parameters")

// explains has the question's answer hold the actions that were counted, if they are
// asked for: each shard counts and lists at one view, so that the two agree while data
// arrives. span is the range; zero: all time.
func (c *Call) explains(in *explaining, q *domain.Question, span bind.Span) error {
	if !in.Explain {
		return nil
	}
	q.Explain = true
	q.Listing = domain.Listing{Every: true, Limit: explainedAtOnce}
	switch t := c.unfolding; {
	case t.From == nil:
		t.Span = span
	case t.From.Span != span:
		return errExplainAfter
	default:
		t.Span = span
		q.Listing.After = &domain.FeedAfter{At: int64(t.From.Row.Rank), ID: domain.ActionID(t.From.Row.ID)}
	}
	return nil
}

// explanation shows the actions of an answer that explains; nil: they were not asked
// for. The position is left out of the ETag, which changes when the actions do.
func (c *Call) explanation(in *explaining, answer *domain.Answer) (*wire.Explanation, error) {
	if !in.Explain {
		return nil, nil
	}
	f := answer.Feed
	if f == nil {
		return nil, &domain.Error{Code: domain.Internal, Op: "explain", Message: "the answer does not explain"}
	}
	out := &wire.Explanation{TotalSize: wire.Number(f.Total), Actions: make([]string, len(f.Items))}
	for i := range f.Items {
		out.Actions[i] = wire.Number(f.Items[i].Row.ID())
	}
	if n := len(f.Items); n > 0 && f.Ahead+uint64(n) < f.Total {
		out.Next = c.unfolded(&f.Items[n-1])
	}
	c.atLast(func() error {
		out.Position = wire.EncodePosition(c.position)
		return nil
	})
	return out, nil
}

// unfolded is the address of the actions behind one. Dates stand for the range.
func (c *Call) unfolded(last *domain.FeedItem) *string {
	t := c.unfolding
	t.Clock = slices.ContainsFunc(c.ranges, func(r ranged) bool { return !r.in.StartDate.Given || !r.in.EndDate.Given })
	token := c.cursors.Seal(t.Next(feedKey(false)(last), c.minute()), c.Account(), t.Question)
	instead := [][2]string{{explainAfter, token}}
	if t.Span != (bind.Span{}) {
		instead = append(dates(t.Span), instead...)
	}
	next := c.base + c.path + "?" + c.params.Query(unlinked, instead...)
	return &next
}

// atLast has f make something of the answer that the ETag leaves out.
func (c *Call) atLast(f func() error) {
	before := c.finish
	c.finish = func() error {
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		return f()
	}
}
