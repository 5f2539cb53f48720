package e2e

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

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
	by, total := p.by(q, func(f *fan) string { return cmp.Or(f.gender, "Unknown") })
	out := wire.Genders{Genders: []wire.Gender{}}
	out.TotalActivities, out.TotalMembers = total.texts()
	for _, name := range []string{"M", "F", "Other", "Unknown"} {
		row := wire.Gender{Gender: name}
		row.Actions, row.Members = cmp.Or(by[name], new(count)).texts()
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
	on := time.Unix(q.span.to-1, 0).UTC()
	by, total := p.by(q, func(f *fan) string { return f.age(on) })
	out := wire.Ages{Ages: []wire.Age{}}
	out.TotalActivities, out.TotalMembers = total.texts()
	for _, name := range []string{"0-12", "13-17", "18-24", "25-34", "35-44", "45-54", "55-64", "65+", "Unknown"} {
		row := wire.Age{Age: name}
		row.Actions, row.Members = cmp.Or(by[name], new(count)).texts()
		out.Ages = append(out.Ages, row)
	}
	return out
}

// age is the band of the fan's age on a day: its birthdays are counted.
func (f *fan) age(on time.Time) string {
	day, err := time.Parse(time.DateOnly, f.born)
	if err != nil || day.After(on) {
		return "Unknown"
	}
	years := 0
	for !day.AddDate(years+1, 0, 0).After(on) { // 29 February becomes 1 March
		years++
	}
	band := "0-12"
	for _, b := range []struct {
		from int
		name string
	}{{13, "13-17"}, {18, "18-24"}, {25, "25-34"}, {35, "35-44"}, {45, "45-54"}, {55, "55-64"}, {65, "65+"}} {
		if years >= b.from {
			band = b.name
		}
	}
	return band
}

// by counts what the question matches by something of the fans.
func (p *model) by(q question, what func(*fan) string) (by counts[string], total count) {
	by = counts[string]{}
	p.matching(q, func(a *act) {
		by.add(what(&p.fans[a.fan]), a.fan)
		total.add(a.fan)
	})
	return by, total
}

func askNewcomers(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	return answer(api.StatsMembers(ctx, p.brands[q.brand].id, q.tallyParams()))
}

// newcomers is the answer of stats/members.
func (p *model) newcomers(q question) any {
	all := p.grouped(q)
	slices.SortStableFunc(all, func(a, b *group) int { return cmp.Compare(len(b.fans), len(a.fans)) })
	out := wire.Newcomers{TotalSize: id(uint64(len(all))), Items: []wire.ActiveRow{}}
	all = paged(q, all)
	in := map[int32]bool{}
	for _, g := range all {
		maps.Copy(in, g.fans)
	}
	before := map[int32]bool{}
	for _, i := range p.byBrand[q.brand] {
		if a := &p.acts[i]; !a.out && a.at < q.span.from && in[a.fan] {
			before[a.fan] = true
		}
	}
	out.TotalMembers, out.ReturningMembers = id(uint64(len(in))), uint64(len(before))
	out.NewMembers = uint64(len(in) - len(before))
	for _, g := range all {
		row := wire.ActiveRow{ActivityID: g.row.ActivityID, Activity: g.row.Activity, Percentage: percentage(len(g.fans), len(in))}
		if q.byType {
			row.Type = &g.row.Activity
		}
		_, row.ActiveMembers = g.texts()
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
	passing, listed := p.passing(q), map[int]bool{}
	out := wire.SegmentStats{Items: []wire.SegmentRow{}}
	var shown []segment
	for i, s := range p.segments {
		named := q.segment == s.id && s.brand == everyBrand // one of the account's shows where it is named
		if s.id == 0 || s.brand != q.brand && !named || q.segment != 0 && q.segment != s.id {
			continue
		}
		row, members := wire.SegmentRow{SegmentID: id(s.id), SegmentName: s.name}, uint64(0)
		for f, on := range p.onList(i, comingMinute()) {
			if on && passing[f] {
				members++
				listed[f] = true
			}
		}
		row.Members = id(members)
		p.matching(q, func(a *act) {
			if slices.Contains(s.definitions, a.definition) {
				row.Activities++
			}
		})
		shown, out.Items = append(shown, s), append(out.Items, row)
	}
	actions := uint64(0)
	p.matching(q, func(a *act) {
		if slices.ContainsFunc(shown, func(s segment) bool { return slices.Contains(s.definitions, a.definition) }) {
			actions++
		}
	})
	out.TotalMembers, out.TotalActivities = id(uint64(len(listed))), id(actions)
	return out
}
