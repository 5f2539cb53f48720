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

// performer is what a fan did of what a question counts.
type performer struct {
	fan            int32
	score, actions uint64
	at             []int64
}

// last is when it was done last.
func (d *performer) last() int64 { return slices.Max(d.at) }

// performers are the fans with something that the question counts, by place.
func (p *model) performers(q question) []*performer {
	by := map[int32]*performer{}
	p.matching(q, func(a *act) {
		if by[a.fan] == nil {
			by[a.fan] = &performer{fan: a.fan}
		}
		d := by[a.fan]
		d.score += p.points(q, a)
		d.actions++
		d.at = append(d.at, a.at)
	})
	var out []*performer
	for _, f := range sorted(by) {
		out = append(out, by[f])
	}
	return out
}

func askMemberTotals(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	a, _, err := api.MembersActivity(ctx, q.rankParams(p))
	out := ranks{total: a.TotalSize + " " + a.TotalActivities + " " + a.TotalMembers}
	for _, i := range a.Items {
		out.rows = append(out.rows, fmt.Sprint(i.MemberID, " ", i.ActivityCount, " ", i.Score, " ", i.LastActivity.CompleteDate))
	}
	return out, err
}

// memberTotals is the answer of members/stats/activity.
func (p *model) memberTotals(q question) any {
	q.member = 0
	all := p.performers(q)
	slices.SortFunc(all, func(a, b *performer) int {
		return cmp.Or(cmp.Compare(b.actions, a.actions), cmp.Compare(p.fans[a.fan].id, p.fans[b.fan].id))
	})
	actions := uint64(0)
	for _, d := range all {
		actions += d.actions
	}
	n := id(uint64(len(all)))
	out := ranks{total: n + " " + id(actions) + " " + n}
	for _, d := range paged(q, all) {
		out.rows = append(out.rows, fmt.Sprint(p.fans[d.fan].id, " ", d.actions, " ", d.score, " ", wire.Seconds(d.last())))
	}
	return out
}

// inQuestion is the fan that a question about one is about.
func (q question) inQuestion(p *model) int32 { return p.acts[q.one].fan }

// ofActions is the question without what asks for members: member show and a check have
// such parameters only.
func (q question) ofActions() question {
	q.members, q.exclude, q.member, q.country, q.paid = nil, nil, 0, nil, false
	q.where, q.emails, q.list, q.required = where{segment: q.segment}, nil, 0, nil
	return q
}

// least is the threshold of the brands that a question asks for; 0: none.
func (q question) least() uint64 {
	if q.byType {
		return uint64(1 + q.one%4)
	}
	return 0
}

func askMember(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	fan := q.inQuestion(p)
	params := p.about(q, without(q.ofActions().params(), "paid_only"))
	params["showposition"], params["showbrands"], params["showactions"] = "1", "1", "1"
	if q.page != "" {
		params["limit"] = q.page
	}
	if q.least() > 0 {
		params["threshold"] = id(q.least())
	}
	e, _, err := api.Member(ctx, p.fans[fan].id, params)
	if err != nil {
		return nil, err
	}
	out := ranks{total: *e.Data.Score + " at " + *e.Data.AEPosition}
	for _, b := range *e.Brands {
		out.rows = append(out.rows, fmt.Sprint(b.ID, " ", *b.Name, " ", b.Score, " ", b.ActivityCount))
	}
	for _, a := range *e.Actions {
		out.rows = append(out.rows, a.MemberID+" did something at "+a.CompleteDate)
	}
	return out, nil
}

// member is the answer of member show with position, brands and actions.
func (p *model) member(q question) any {
	fan := q.inQuestion(p)
	least := q.least()
	if q.page == "" {
		q.page, q.from, q.n = "0,3", 0, 3
	}
	q = q.ofActions()
	doers, me := p.performers(q), &performer{}
	if i := slices.IndexFunc(doers, func(d *performer) bool { return d.fan == fan }); i >= 0 {
		me = doers[i]
	}
	above := 0
	for _, d := range doers {
		if d.score > me.score {
			above++
		}
	}
	position := fmt.Sprint(above + 1)
	if above >= 999 {
		position = "999+"
	}
	out := ranks{total: id(me.score) + " at " + position, rows: p.brandsOf(q, fan, least)}
	slices.Sort(me.at)
	slices.Reverse(me.at)
	for _, at := range paged(q, me.at) {
		out.rows = append(out.rows, id(p.fans[fan].id)+" did something at "+wire.Seconds(at))
	}
	return out
}

// brandsOf are the fan's brands, most points first.
func (p *model) brandsOf(q question, fan int32, least uint64) (rows []string) {
	type standing struct {
		brand          int32
		score, actions uint64
	}
	by := map[int32]*standing{}
	p.matching(q, func(a *act) {
		if a.fan != fan || p.brands[a.brand].gone {
			return
		}
		if by[a.brand] == nil {
			by[a.brand] = &standing{brand: a.brand}
		}
		by[a.brand].score += p.points(q, a)
		by[a.brand].actions++
	})
	var all []*standing
	for _, b := range sorted(by) {
		if by[b].actions >= least {
			all = append(all, by[b])
		}
	}
	slices.SortFunc(all, func(a, b *standing) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.actions, a.actions), cmp.Compare(p.brands[a.brand].id, p.brands[b.brand].id))
	})
	for _, s := range paged(q, all) {
		rows = append(rows, fmt.Sprint(p.brands[s.brand].id, " ", p.brands[s.brand].name, " ", s.score, " ", s.actions))
	}
	return rows
}

// checked is the definition that a check asks about; of one that was deleted another.
func (q question) checked(p *model) domain.DefinitionID {
	if d := &p.definitions[p.acts[q.one].definition]; !d.gone {
		return d.id
	}
	return p.lasting()[0]
}

func askCheck(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	params := p.about(q, client.Params{})
	if !q.byType { // else of all time
		q.when.into(params, q.span)
	}
	c, _, err := api.CheckActivity(ctx, p.fans[q.inQuestion(p)].id, q.checked(p), params)
	if err != nil {
		return nil, err
	}
	out := ranks{total: fmt.Sprint(c.Completed, " ", c.Count)}
	if c.Completed {
		out.rows = []string{*c.First, *c.Last, c.Action.CompleteDate, c.Action.MemberID, c.Action.ActivityID}
	}
	return out, nil
}

// checkOf is the answer of a check of one activity: one-time ones are always seen, whatever
// else the question leaves out.
func (p *model) checkOf(q question) any {
	fan, definition := q.inQuestion(p), q.checked(p)
	only := question{brand: q.brand, span: q.span, definitions: []domain.DefinitionID{definition}, oneTime: true}
	if q.byType {
		only.span = span{0, 1 << 32}
	}
	out := ranks{total: "false 0"}
	for _, d := range p.performers(only) {
		if d.fan == fan {
			last := wire.Seconds(d.last())
			out = ranks{"true " + id(d.actions), []string{wire.Seconds(slices.Min(d.at)), last, last, id(p.fans[fan].id), id(definition)}}
		}
	}
	return out
}

// rollParams are the question's for the list of all members, which has no range.
func (q question) rollParams(p *model) client.Params {
	params := without(without(q.rankParams(p), "start_date"), "end_date")
	params["fields"], params["sort"] = "Score,ActivityCount,LastActivity", "DESC"
	if q.up {
		params["sort"] = "asc"
	}
	if q.required != nil {
		params["required_fields"] = strings.Join(q.required, ", ")
	}
	return params
}

// memberPage is a page of the list of all members.
func memberPage(ctx context.Context, api *client.Client, _ question, params client.Params) (ranks, client.Meta, error) {
	a, meta, err := api.Members(ctx, params)
	out := ranks{total: a.TotalSize}
	for _, i := range a.Items {
		row := fmt.Sprint(i.ID, " ", i.Score, " ", i.ActivityCount)
		if i.LastActivity != nil {
			row += " " + i.LastActivity.CompleteDate
		}
		out.rows = append(out.rows, row)
	}
	return out, meta, err
}

// members is the answer of the list of all members: what they did is of the last week,
// and services are those that they hold.
func (p *model) members(q question) any {
	services := q.services
	q.member, q.services = 0, nil
	q.span = span{comingMinute() - 7*day, comingMinute()}
	did := map[int32]*performer{}
	for _, d := range p.performers(q) {
		did[d.fan] = d
	}
	active := slices.Contains(q.required, "LastActivity") || slices.Contains(q.required, "BrandName") && q.brand == everyBrand
	var all []int32
	for i, in := range p.passing(q) {
		holds := services == nil || slices.Contains(services, p.fans[i].service)
		if in && holds && (!active || did[int32(i)] != nil) {
			all = append(all, int32(i))
		}
	}
	slices.SortFunc(all, func(a, b int32) int {
		if !q.up {
			a, b = b, a
		}
		return cmp.Compare(p.fans[a].id, p.fans[b].id)
	})
	out := ranks{total: id(uint64(len(all)))}
	for _, i := range paged(q, all) {
		row := fmt.Sprint(p.fans[i].id, " 0 0")
		if d := did[i]; d != nil {
			row = fmt.Sprint(p.fans[d.fan].id, " ", d.score, " ", d.actions, " ", wire.Seconds(d.last()))
		}
		out.rows = append(out.rows, row)
	}
	return out
}
