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

// ranks is a page of members/active or of a crossover: a line a row.
type ranks struct {
	total string
	rows  []string
}

// rankParams are the question's for a ranking; upwards where it asks by type.
func (q question) rankParams(p *people) client.Params {
	q.member = 0 // a ranking names members by the filter alone
	params := p.about(q, q.params())
	params["limit"] = "1000"
	if q.page != "" {
		params["limit"] = q.page
	}
	return params
}

// activeParams are the question's for members/active.
func (q question) activeParams(p *people) client.Params {
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

func askActive(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
	a, _, err := api.ActiveMembers(ctx, q.activeParams(p))
	if err != nil {
		return nil, err
	}
	return activeRanks(q, a), nil
}

// activeRanks is what the model knows of an answer.
func activeRanks(q question, a wire.ActiveMembers) ranks {
	out := ranks{total: a.TotalSize + " of " + *a.TotalMemberCount}
	for _, i := range a.Items {
		row := fmt.Sprint(i.ID, " ", i.Score, " ", i.ActivityCount, " ", i.LastActivity.CompleteDate)
		if q.brand != everyBrand { // else it is the latest action's, and several may be of one second
			row += " " + *i.BrandName
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// active is the answer of members/active.
func (p *people) active(q question) any {
	q.member = 0
	type standing struct {
		fan                  int32
		score, actions, last uint64
	}
	by := map[int32]*standing{}
	p.matching(q, func(a *act) {
		s := by[a.fan]
		if s == nil {
			s = &standing{fan: a.fan}
			by[a.fan] = s
		}
		s.score += p.points(q, a)
		s.actions++
		s.last = max(s.last, uint64(a.at))
	})
	var all []*standing
	for _, f := range sorted(by) {
		all = append(all, by[f])
	}
	slices.SortFunc(all, func(a, b *standing) int {
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
	for _, s := range q.rows(len(all)) {
		of := all[s]
		row := fmt.Sprint(p.fans[of.fan].id, " ", of.score, " ", of.actions, " ", wire.Seconds(int64(of.last)))
		if q.brand != everyBrand {
			row += " " + p.brands[q.brand].name
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// rows are the places of the page among so many.
func (q question) rows(n int) (at []int) {
	from, to := 0, 1000
	if q.page != "" {
		from, to = q.from, q.from+q.n
	}
	for i := from; i < min(to, n); i++ {
		at = append(at, i)
	}
	return at
}

func askCrossover(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
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
func (p *people) crossover(q question) any {
	q.member = 0
	among := map[int32]bool{}
	p.matching(q, func(a *act) { among[a.fan] = true })
	shared, counts := map[int32]*count{}, p.counting(q)
	for i := range p.acts {
		a := &p.acts[i]
		if a.brand == q.brand || p.brands[a.brand].gone || !among[a.fan] || !counts(a) {
			continue
		}
		if shared[a.brand] == nil {
			shared[a.brand] = &count{}
		}
		shared[a.brand].add(a.fan)
	}
	all := sorted(shared)
	slices.SortFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(shared[b].fans), len(shared[a].fans)), cmp.Compare(p.brands[a].id, p.brands[b].id))
	})
	out := ranks{total: id(uint64(len(all)))}
	for _, at := range q.rows(len(all)) {
		b, n := all[at], len(shared[all[at]].fans)
		hundredths := (n*100_00*2/len(among) + 1) / 2 // half up
		out.rows = append(out.rows, fmt.Sprintf("%d %d %d.%02d", p.brands[b].id, n, hundredths/100, hundredths%100))
	}
	return out
}
