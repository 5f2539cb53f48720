package stats

import (
	"context"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// crossoverIn are the parameters of a crossover.
type crossoverIn struct {
	BrandID bind.ID `name:"brandid" doc:"the brand whose members are looked at; without one all active members of the account" eg:"1"`
	bind.Range
	Filters selection.Filters
	page.Paged
	BrandType string `name:"brand_type" doc:"only brands of this type, in any case" eg:"Music"`
}

// Crossover lists brands by how many of a brand's active members are active for them
// too, or by how many members are.
func Crossover(ctx context.Context, req *serve.Request, in *crossoverIn) (*wire.Crossover, error) {
	span, err := req.ResolveRange(in.Range, selection.Statistics)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Shape: domain.ShapeCrossover, Range: span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandid", &in.Filters)
	if err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	q.Groups, q.Top = of.Groups(selection.InOne), page.Top(req, p)
	for _, b := range req.Catalog.Brands(req.Account()) {
		if b.Deleted || in.BrandType != "" && !strings.EqualFold(b.Fields["Type"], in.BrandType) {
			q.Without = append(q.Without, b.ID)
		}
	}
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if answer.Crossover == nil {
		return nil, serve.ErrShape("crossover")
	}
	found := answer.Crossover
	found.Brands, _ = page.ResultPage(req, p, found.Brands, int(found.Total), brandKey, page.Dates(span)...)
	out := &wire.Crossover{TotalSize: wire.Number(found.Total), Items: make([]wire.CrossBrand, len(found.Brands))}
	for i, n := range found.Brands {
		b, err := req.AnyBrand(n.Brand)
		if err != nil {
			return nil, err
		}
		if b == nil {
			return nil, &domain.Error{Code: domain.Internal, Op: "crossover", Message: "the answer names a brand that the account does not have"}
		}
		out.Items[i] = wire.CrossBrand{Brand: wire.BrandOf(b), ActiveMembers: wire.Number(n.Members), Percentage: wire.Percentage(n.Members, found.Members)}
	}
	return out, nil
}

// brandKey is what a brand is listed by in a crossover.
func brandKey(b *domain.BrandMembers) page.Row { return page.Row{Rank: b.Members, ID: uint64(b.Brand)} }
