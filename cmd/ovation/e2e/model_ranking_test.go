package e2e

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// ranks is a page of a list as the model knows it: a line a row.
type ranks struct {
	total string
	rows  []string
}

// rankParams are the question's for a ranking; upwards where it asks by type.
func (q question) rankParams(p *model) client.Params {
	q.member = 0 // a ranking names members by the filter alone
	params := p.about(q, q.params())
	params["limit"] = cmp.Or(q.page, "1000")
	return params
}

// activeParams are the question's for members/active.
func (q question) activeParams(p *model) client.Params {
	params := q.rankParams(p)
	params["totalmembercount"], params["fields"] = "1", "Score,ActivityCount,LastActivity,BrandName"
	if params["sort"] = "DESC"; q.byType {
		params["sort"] = "ASC"
	}
	if q.required != nil {
		params["required_fields"] = strings.Join(q.required, ", ")
	}
	return params
}

// activePage is a page of members/active.
func activePage(ctx context.Context, api *client.Client, q question, params client.Params) (ranks, client.Meta, error) {
	a, meta, err := client.Do(ctx, api, client.ListActiveMembers{More: params})
	if err != nil {
		return ranks{}, meta, err
	}
	out := ranks{total: a.TotalSize + " of " + *a.TotalMemberCount}
	for _, i := range a.Items {
		row := fmt.Sprint(i.ID, " ", i.Score, " ", i.ActivityCount, " ", i.LastActivity.CompleteDate)
		if q.brand != everyBrand { // else it is the latest action's, and several may be of one second
			row += " " + *i.BrandName
		}
		out.rows = append(out.rows, row)
	}
	return out, meta, nil
}

// active is the answer of members/active.
func (p *model) active(q question) any {
	q.member = 0
	l := p.answer(q, domain.ShapeLeaders).Leaders
	out := ranks{total: id(l.Total.Members) + " of " + id(l.Audience)}
	for i, m := range l.Members {
		row := fmt.Sprint(m.Member, " ", m.Score, " ", m.Actions, " ", wire.Seconds(int64(l.Latest[i].Time)))
		if q.brand != everyBrand {
			row += " " + p.brands[q.brand].name
		}
		out.rows = append(out.rows, row)
	}
	return out
}

func askCrossover(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	about := domain.BrandID(0)
	if q.brand != everyBrand {
		about = p.brands[q.brand].id
	}
	c, _, err := client.Do(ctx, api, client.GetPopularBrands{BrandID: about, More: without(q.rankParams(p), "brandID")})
	out := ranks{total: c.TotalSize}
	for _, i := range c.Items {
		out.rows = append(out.rows, fmt.Sprint(i.Brand.ID, " ", i.ActiveMembers, " ", i.Percentage))
	}
	return out, err
}

// without is the parameters but for one.
func without(p client.Params, name string) client.Params {
	delete(p, name)
	return p
}

// crossover is the answer of brands/crossover of a brand.
func (p *model) crossover(q question) any {
	q.member = 0
	c := p.answer(q, domain.ShapeCrossover).Crossover
	out := ranks{total: id(c.Total)}
	for _, b := range c.Brands {
		out.rows = append(out.rows, fmt.Sprint(b.Brand, " ", b.Members, " ", percentage(int(b.Members), int(c.Members))))
	}
	return out
}
