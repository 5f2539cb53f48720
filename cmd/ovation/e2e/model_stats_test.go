package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// born makes up a day of birth, of some people none: from great-grandparents to those
// who are not born yet when the range of a question ends, some on 29 February.
func born(rnd *rand.Rand) string {
	switch rnd.IntN(6) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%d-02-29", 1904+4*rnd.IntN(30))
	}
	return time.Now().UTC().AddDate(0, 0, -1-rnd.IntN(100*365)).Format(time.DateOnly)
}

// explained asks for a statistic, with the actions behind it if on: there must be as
// many as the statistic says. of gives the explanation and that number.
func explained[T any](ctx context.Context, api *client.Client, path string, params client.Params, on bool, of func(*T) (**wire.Explanation, string)) (any, error) {
	var out T
	if on {
		params["explain"] = "1"
	}
	meta, err := api.Get(ctx, path, params, &out)
	if err != nil {
		return nil, err
	}
	e, actions := of(&out)
	switch {
	case (*e != nil) != on:
		return nil, fmt.Errorf("explained: %v", *e)
	case on && ((*e).Position != meta.Position || (*e).TotalSize != actions):
		return nil, fmt.Errorf("%s actions at %s are explained by %s at %s", actions, meta.Position, (*e).TotalSize, (*e).Position)
	}
	*e = nil
	return out, nil
}

// statsOf is the path of a statistic of the question's brand.
func (p *model) statsOf(q question, name string) string {
	return "/v1.1/brand/" + id(p.brands[q.brand].id) + "/stats/" + name
}

// askTallyExplained is the tally, explained by the actions of the rows that are shown.
func askTallyExplained(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	return explained(ctx, api, p.statsOf(q, "activity"), q.tallyParams(), true, func(t *wire.ActivityTally) (**wire.Explanation, string) {
		return &t.Explain, t.TotalCount
	})
}

func askGenders(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	return explained(ctx, api, p.statsOf(q, "gender"), q.params(), q.up, func(g *wire.Genders) (**wire.Explanation, string) {
		return &g.Explain, g.TotalActivities
	})
}

// genders is the answer of stats/gender.
func (p *model) genders(q question) any {
	t := p.answer(q, domain.ShapeGender).Tally
	out := wire.Genders{Genders: []wire.Gender{}}
	out.TotalActivities, out.TotalMembers = figures(t.Total)
	for _, name := range []string{"M", "F", "Other", "Unknown"} {
		row := wire.Gender{Gender: name}
		row.Actions, row.Members = figures(countOf(t, uint32(domain.GenderCode(name))))
		out.Genders = append(out.Genders, row)
	}
	return out
}

func askAges(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	return explained(ctx, api, p.statsOf(q, "age"), q.params(), q.up, func(a *wire.Ages) (**wire.Explanation, string) {
		return &a.Explain, a.TotalActivities
	})
}

// ages is the answer of stats/age.
func (p *model) ages(q question) any {
	t := p.answer(q, domain.ShapeAge).Tally
	out := wire.Ages{Ages: []wire.Age{}}
	out.TotalActivities, out.TotalMembers = figures(t.Total)
	for i, name := range []string{"0-12", "13-17", "18-24", "25-34", "35-44", "45-54", "55-64", "65+", "Unknown"} {
		row := wire.Age{Age: name}
		row.Actions, row.Members = figures(countOf(t, uint32(i)))
		out.Ages = append(out.Ages, row)
	}
	return out
}

func askNewcomers(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	return answer(client.Do(ctx, api, client.GetBrandActiveMembers{BrandID: p.brands[q.brand].id, More: q.tallyParams()}))
}

// newcomers is the answer of stats/members.
func (p *model) newcomers(q question) any {
	all, rows, t := p.page(q, domain.ShapeNewcomers, membersOf)
	out := wire.Newcomers{TotalSize: id(uint64(all)), Items: []wire.ActiveRow{}}
	out.TotalMembers, out.ReturningMembers, out.NewMembers = id(t.Total.Members), t.Before, t.Total.Members-t.Before
	for _, g := range rows {
		named := p.row(q, g.Group)
		row := wire.ActiveRow{ActivityID: named.ActivityID, Activity: named.Activity, Percentage: percentage(int(g.Members), int(t.Total.Members))}
		if q.byType {
			row.Type = &named.Activity
		}
		row.ActiveMembers = id(g.Members)
		out.Items = append(out.Items, row)
	}
	return out
}

// percentage is a part of all in percent, to two digits, half up.
func percentage(part, all int) string {
	hundredths := (part*100_00*2/all + 1) / 2
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// ever is the span that every action lies in.
var ever = span{0, 1 << 40}

func askSegmentStats(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	q.member = 0
	params := q.params()
	for _, name := range []string{"start_date", "end_date", "period", "period_end"} {
		delete(params, name)
	}
	return explained(ctx, api, p.statsOf(q, "segments"), params, q.up, func(s *wire.SegmentStats) (**wire.Explanation, string) {
		return &s.Explain, s.TotalActivities
	})
}

// segmentStats is the answer of stats/segments.
func (p *model) segmentStats(q question) any {
	q.member, q.span = 0, ever
	lists, all := p.question(q), p.question(q)
	groups := all.Groups
	all.Shape, all.Groups, lists.Shape = domain.ShapeTally, nil, domain.ShapeLists
	out := wire.SegmentStats{Items: []wire.SegmentRow{}}
	for i, s := range p.segments {
		named := q.segment == s.id && s.brand == everyBrand // one of the account's shows where it is named
		if s.id == 0 || s.brand != q.brand && !named || q.segment != 0 && q.segment != s.id {
			continue
		}
		one := *all
		for _, d := range s.definitions {
			one.Groups = append(one.Groups, slices.DeleteFunc(slices.Clone(groups), func(g domain.Group) bool { return g.Definition != p.definitions[d].id })...)
		}
		all.Groups = append(all.Groups, one.Groups...)
		lists.Lists = append(lists.Lists, *p.listOf(i))
		row := wire.SegmentRow{SegmentID: id(s.id), SegmentName: s.name, Activities: p.reference().Answer(&one).Tally.Total.Actions}
		out.Items = append(out.Items, row)
	}
	on := p.reference().Answer(lists)
	for i := range out.Items {
		out.Items[i].Members = id(on.Lists[i])
	}
	out.TotalMembers, out.TotalActivities = id(on.Union), id(p.reference().Answer(all).Tally.Total.Actions)
	return out
}
