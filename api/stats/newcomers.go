package stats

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Newcomers counts a brand's members by activity or type, and those that are new: they have no
// action for the brand before the range, whatever is asked for.
func Newcomers(ctx context.Context, req *serve.Request, in *tallyIn) (*wire.Newcomers, error) {
	q, of, span, err := in.question(ctx, req, domain.ShapeNewcomers)
	if err != nil {
		return nil, err
	}
	by := in.grouping(of)
	q.Groups = of.Groups(by.group)
	t, err := tallyRows(ctx, req, q, in.Limit, span, by, func(g *domain.GroupCount) uint64 { return g.Members })
	if err != nil {
		return nil, err
	}
	total, before := t.answer.Tally.Total.Members, t.answer.Tally.Before
	out := &wire.Newcomers{
		TotalSize: wire.Number(t.size), Items: make([]wire.ActiveRow, len(t.rows)),
		TotalMembers: wire.Number(total), NewMembers: total - before, ReturningMembers: before,
	}
	brand, err := req.AnyBrand(q.Brand)
	if err != nil {
		return nil, err
	}
	for i, r := range t.rows {
		named := by.row(r.Group, brand)
		row := wire.ActiveRow{ActivityID: named.ActivityID, Activity: named.Activity, ActiveMembers: wire.Number(r.Members), Percentage: wire.Percentage(r.Members, total)}
		if in.GroupBy == byType {
			row.Type = &named.Activity
		}
		out.Items[i] = row
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, t.answer)
	return out, err
}
