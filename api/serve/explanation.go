package serve

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Explanation shows the actions of an answer that explains; nil: they were not asked
// for. The position is left out of the ETag, which changes when the actions do. Actions of a merged
// member have the ids that feeds show.
func (req *Request) Explanation(ctx context.Context, in *page.Explaining, answer *domain.Answer) (*wire.Explanation, error) {
	if !in.Explain {
		return nil, nil
	}
	f := answer.Feed
	if f == nil {
		return nil, &domain.Error{Code: domain.Internal, Op: "explain", Message: "the answer does not explain"}
	}
	items, next, err := page.ExplainedPage(req, f)
	if err != nil {
		return nil, err
	}
	shown, err := req.Engine.Show(ctx, req.Account(), items, answer.Position)
	if err != nil {
		return nil, WaitFault(err)
	}
	out := &wire.Explanation{TotalSize: wire.Number(f.Total), Actions: make([]string, len(items)), Next: next}
	for i := range items {
		out.Actions[i] = wire.Number(shown[i].Content.ID(&items[i].Row))
	}
	req.Response.AtLast(func() error {
		out.Position = wire.EncodePosition(req.Response.Position)
		return nil
	})
	return out, nil
}
