package stats

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// segmentStatsIn are the parameters of stats/segments.
type segmentStatsIn struct {
	BrandID    bind.ID `name:"brandID" doc:"id of a brand" eg:"1"`
	Filters    selection.Filters
	Explaining page.Explaining
}

// segmentsOf are the segments of a brand. Where one is named it is that alone, also one of
// the account's, which is no other brand's.
func segmentsOf(req *serve.Request, b *domain.Brand, named *domain.Segment) []*domain.Segment {
	switch {
	case named == nil:
		return slices.DeleteFunc(slices.Clone(req.Catalog.Segments(req.Account())), func(s *domain.Segment) bool {
			return s.Deleted || s.Brand != b.ID
		})
	case named.Brand == 0 || named.Brand == b.ID:
		return []*domain.Segment{named}
	}
	req.Warn("segment " + wire.Number(named.ID) + " is another brand's: it has no row here")
	return nil
}

// Segments counts for each of a brand's segments the members on its list, and how
// many actions of the definitions there were for the brand.
func Segments(ctx context.Context, req *serve.Request, in *segmentStatsIn) (*wire.SegmentStats, error) {
	b, err := req.Brand(in.BrandID, "brandID")
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Shape: domain.ShapeTally, Range: selection.Within(req, domain.Period{})}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", &in.Filters)
	if err != nil {
		return nil, err
	}
	segments := segmentsOf(req, b, of.Segment)
	lists, union, err := selection.ListSizes(ctx, req, segments, q.Filter)
	if err != nil {
		return nil, err
	}
	q.Groups = slices.DeleteFunc(of.Groups(func(d *domain.Definition) uint32 { return uint32(d.ID) }), func(g domain.Group) bool {
		return !slices.ContainsFunc(segments, func(s *domain.Segment) bool { return s.Has(g.Definition) })
	})
	if err := in.Explaining.Ask(req, q, bind.Span{}); err != nil {
		return nil, err
	}
	answer, err := askTally(ctx, req, q)
	if err != nil {
		return nil, err
	}
	out := &wire.SegmentStats{
		Items: make([]wire.SegmentRow, len(segments)), TotalMembers: wire.Number(union), TotalActivities: wire.Number(answer.Tally.Total.Actions),
	}
	for i, s := range segments {
		row := wire.SegmentRow{SegmentID: wire.Number(s.ID), SegmentName: s.Name, Members: wire.Number(lists[i])}
		for _, g := range answer.Tally.Groups {
			if s.Has(domain.DefinitionID(g.Group)) {
				row.Activities += g.Actions
			}
		}
		out.Items[i] = row
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}
