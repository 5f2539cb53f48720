package e2e

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	a, meta, err := api.ActiveMembers(ctx, params)
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
	all := p.performers(q)
	slices.SortFunc(all, func(a, b *performer) int {
		d := cmp.Compare(b.score, a.score)
		if q.byType {
			d = -d
		}
		return cmp.Or(d, cmp.Compare(p.fans[a.fan].id, p.fans[b.fan].id))
	})
	audience, whatever := uint64(0), q
	whatever.any, whatever.all = nil, nil
	for _, in := range p.passing(whatever) {
		if in {
			audience++
		}
	}
	out := ranks{total: id(uint64(len(all))) + " of " + id(audience)}
	for _, d := range paged(q, all) {
		row := fmt.Sprint(p.fans[d.fan].id, " ", d.score, " ", d.actions, " ", wire.Seconds(d.last()))
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
	c, _, err := api.Crossover(ctx, about, without(q.rankParams(p), "brandID"))
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
	among := map[int32]bool{}
	p.matching(q, func(a *act) { among[a.fan] = true })
	shared, counted := counts[int32]{}, p.counting(q)
	for i := range p.acts {
		a := &p.acts[i]
		if a.brand == q.brand || p.brands[a.brand].gone || !among[a.fan] || !counted(a) {
			continue
		}
		shared.add(a.brand, a.fan)
	}
	all := sorted(shared)
	slices.SortFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(shared[b].fans), len(shared[a].fans)), cmp.Compare(p.brands[a].id, p.brands[b].id))
	})
	out := ranks{total: id(uint64(len(all)))}
	for _, b := range paged(q, all) {
		n := len(shared[b].fans)
		out.rows = append(out.rows, fmt.Sprint(p.brands[b].id, " ", n, " ", percentage(n, len(among))))
	}
	return out
}
