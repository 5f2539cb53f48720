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

func askMemberTotals(ctx context.Context, api *client.Client, p *model, q question) (any, error) {
	a, _, err := client.Do(ctx, api, client.GetMemberTotals{More: q.rankParams(p)})
	out := ranks{total: a.TotalSize + " " + a.TotalActivities + " " + a.TotalMembers}
	for _, i := range a.Items {
		out.rows = append(out.rows, fmt.Sprint(i.MemberID, " ", i.ActivityCount, " ", i.Score, " ", i.LastActivity.CompleteDate))
	}
	return out, err
}

// memberTotals is the answer of members/stats/activity.
func (p *model) memberTotals(q question) any {
	q.member = 0
	d := p.question(q)
	d.Shape, d.Top.Order, d.Top.Up = domain.ShapeLeaders, domain.ByActions, false
	l := p.reference().Answer(d).Leaders
	n := id(l.Total.Members)
	out := ranks{total: n + " " + id(l.Total.Actions) + " " + n}
	for i, m := range l.Members {
		out.rows = append(out.rows, fmt.Sprint(m.Member, " ", m.Actions, " ", m.Score, " ", wire.Seconds(int64(l.Latest[i].Time))))
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
	e, _, err := client.Do(ctx, api, client.GetMember{MemberID: p.fans[fan].id, More: params})
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

// show is the answer of member show with position, brands and actions.
func (p *model) show(q question) any {
	fan := p.fans[q.inQuestion(p)].id
	minActions := q.least()
	if q.page == "" {
		q.page, q.from, q.n = "0,3", 0, 3
	}
	d := p.question(q.ofActions())
	ask := func(shape domain.Shape, members ...domain.MemberID) *domain.Answer {
		d.Shape, d.Filter.Members = shape, members
		return p.reference().Answer(d)
	}
	d.Top.Least, d.Listing.Every, d.Listing.Up, d.Listing.Keyword = minActions, true, false, ""
	brands, feed := ask(domain.ShapeStandings, fan).Standings, ask(domain.ShapeFeed, fan).Feed
	d.Top = domain.Top{Limit: 1}
	score := first(ask(domain.ShapeLeaders, fan).Leaders.Members).Score
	d.Top = domain.Top{Above: &score}
	position := fmt.Sprint(ask(domain.ShapeLeaders).Leaders.Above + 1)
	if len(position) > 3 {
		position = "999+"
	}
	out := ranks{total: id(score) + " at " + position}
	for _, b := range brands.Brands {
		out.rows = append(out.rows, fmt.Sprint(b.Brand, " ", p.brandOf(b.Brand).name, " ", b.Score, " ", b.Actions))
	}
	for _, i := range feed.Items {
		out.rows = append(out.rows, id(fan)+" did something at "+wire.Seconds(int64(i.Row.Time)))
	}
	return out
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
	c, _, err := client.Do(ctx, api, client.CheckMemberActivity{MemberID: p.fans[q.inQuestion(p)].id, ActivityID: q.checked(p), More: params})
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
	fan, definition := p.fans[q.inQuestion(p)].id, q.checked(p)
	only := question{brand: q.brand, span: q.span, definitions: []domain.DefinitionID{definition}, oneTime: true, members: []domain.MemberID{fan}}
	if q.byType {
		only.span = ever
	}
	var at []int64
	for a := range p.reference().Counted(p.question(only)) {
		at = append(at, int64(a.Row.Time))
	}
	if len(at) == 0 {
		return ranks{total: "false 0"}
	}
	last := wire.Seconds(slices.Max(at))
	return ranks{"true " + id(uint64(len(at))), []string{wire.Seconds(slices.Min(at)), last, last, id(fan), id(definition)}}
}

// listParams are the question's for the list of all members, which has no range.
func (q question) listParams(p *model) client.Params {
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
	a, meta, err := client.Do(ctx, api, client.ListMembers{More: params})
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
	d := p.question(q)
	did, list := *d, *d
	did.Shape, did.Top = domain.ShapeLeaders, domain.Top{Limit: len(p.fans), Latest: true}
	list.Shape, list.Filter.Holds = domain.ShapeMemberList, services
	list.Filter.Acted = slices.Contains(q.required, "LastActivity") || slices.Contains(q.required, "BrandName") && q.brand == everyBrand
	rows, all := map[domain.MemberID]string{}, p.reference().Answer(&did).Leaders
	for i, l := range all.Members {
		rows[l.Member] = fmt.Sprint(l.Member, " ", l.Score, " ", l.Actions, " ", wire.Seconds(int64(all.Latest[i].Time)))
	}
	page := p.reference().Answer(&list).MemberList
	out := ranks{total: id(page.Total)}
	for _, id := range page.Members {
		out.rows = append(out.rows, cmp.Or(rows[id], fmt.Sprint(id, " 0 0")))
	}
	return out
}
