package e2e

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// teller is an endpoint that gives numbers for a question.
type teller struct {
	name       string
	everywhere bool // also of all brands at once
	alone      bool // only of one activity of one member
	tell       func(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error
}

// tellers are the endpoints that give numbers, the feed before those that name actions.
// A new one is a row here.
var tellers = []teller{
	{name: "activity/feed", everywhere: true, tell: tellFeed},
	{name: "stats/activity", tell: tellTally},
	{name: "stats/timeline", tell: func(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
		t, _, err := client.Do(ctx, api, client.GetBrandTimeline{BrandID: p.brands[q.brand].id, More: q.params()})
		tellTimeline("stats/timeline", t, to)
		return err
	}},
	{name: "stats/location", tell: tellLocation},
	{name: "stats/gender", tell: tellGenders},
	{name: "stats/age", tell: tellAges},
	{name: "stats/members", tell: tellNewcomers},
	{name: "count/daily", everywhere: true, tell: tellDaily},
	{name: "count/services", everywhere: true, tell: func(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
		t, _, err := client.Do(ctx, api, client.CountServices{More: p.about(q, q.params())})
		tellTimeline("count/services", t, to)
		return err
	}},
	{name: "members/active", everywhere: true, tell: tellActive},
	{name: "members/stats/activity", everywhere: true, tell: tellMemberTotals},
	{name: "members", everywhere: true, tell: tellMembers},
	{name: "brands/crossover", everywhere: true, tell: tellCrossover},
	{name: "explain", everywhere: true, tell: tellExplained},
	{name: "member/activity", everywhere: true, alone: true, tell: tellCheck},
	{name: "member", everywhere: true, alone: true, tell: tellMember},
}

func tellTally(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	for _, by := range []string{"activities", "type"} {
		params := q.params()
		params["group_by"] = by
		t, _, err := client.Do(ctx, api, client.GetBrandActivityStats{BrandID: p.brands[q.brand].id, More: params})
		if err != nil {
			return err
		}
		to.says(actions, "stats/activity by "+by, t.TotalCount)
		to.says(members, "stats/activity by "+by, t.TotalMembers)
		sums(to, actions, "rows of stats/activity by "+by, t.Items, func(r *wire.ActivityRow) string { return r.Count })
	}
	return nil
}

// tellTimeline adds up the lines and the days. Members are reported for one line only:
// several lines may count the same ones.
func tellTimeline(what string, t wire.Timeline, to *numbers) {
	sums(to, actions, "lines of "+what, t.Services, func(l *wire.ServiceTimeline) string { return l.TotalCount })
	var days []wire.DayCount
	for i := range t.Services {
		days = append(days, t.Services[i].Range...)
	}
	sums(to, actions, "days of "+what, days, func(d *wire.DayCount) string { return d.Count })
	if len(t.Services) == 1 {
		to.says(members, "the line of "+what, t.Services[0].TotalMembers)
	}
}

func tellLocation(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	l, _, err := client.Do(ctx, api, client.GetBrandLocations{BrandID: p.brands[q.brand].id, More: q.params()})
	if err != nil {
		return err
	}
	to.says(actions, "stats/location", l.TotalActivities)
	to.says(members, "stats/location", l.TotalMembers)
	sums(to, actions, "countries of stats/location", l.Countries, func(c *wire.Country) string { return c.Actions })
	sums(to, members, "countries of stats/location", l.Countries, func(c *wire.Country) string { return c.Members })
	return nil
}

func tellDaily(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	d, _, err := client.Do(ctx, api, client.CountDaily{More: p.about(q, q.params())})
	if err != nil {
		return err
	}
	to.says(actions, "count/daily", d.TotalCount)
	to.says(members, "count/daily", d.TotalMembers)
	sums(to, actions, "days of count/daily", d.Items, func(r *wire.DailyCount) string { return r.Count })
	return nil
}

// everyRow asks page after page until one is not full, and gives the first answer with
// the rows of all.
func everyRow[T, R any](params client.Params, ask func(client.Params) (T, client.Meta, error), rows func(*T) *[]R) (all T, err error) {
	for from := 0; ; from += 1000 {
		params["limit"] = fmt.Sprint(from, ",1000")
		page, _, err := ask(params)
		if err != nil {
			return all, err
		}
		got := *rows(&page)
		if from == 0 {
			all = page
		} else {
			*rows(&all) = append(*rows(&all), got...)
		}
		if len(got) < 1000 {
			return all, nil
		}
	}
}

func everyActive(ctx context.Context, api *client.Client, params client.Params) (wire.ActiveMembers, error) {
	ask := func(params client.Params) (wire.ActiveMembers, client.Meta, error) {
		return client.Do(ctx, api, client.ListActiveMembers{More: params})
	}
	return everyRow(params, ask, func(a *wire.ActiveMembers) *[]wire.MemberItem { return &a.Items })
}

func tellActive(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	params := p.about(q, q.params())
	params["totalmembercount"] = "1"
	a, err := everyActive(ctx, api, params)
	if err != nil {
		return err
	}
	to.says(members, "members/active", a.TotalSize)
	to.says(everybody, "members/active", *a.TotalMemberCount)
	sums(to, actions, "ActivityCount of members/active", a.Items, func(m *wire.MemberItem) string { return m.ActivityCount })
	sums(to, score, "Score of members/active", a.Items, func(m *wire.MemberItem) string { return m.Score })
	return nil
}

// maxItems is of how many actions each is looked at.
const maxItems = 20_000

func tellFeed(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	params := p.about(q, q.params())
	params["limit"] = "0"
	latest, _, err := client.Do(ctx, api, client.GetFeed{More: params})
	if err != nil {
		return err
	}
	to.says(members, "activity/feed", latest.TotalSize)
	params["all_member_actions"] = "1"
	every, _, err := client.Do(ctx, api, client.GetFeed{More: params})
	if err != nil {
		return err
	}
	to.says(actions, "activity/feed of every action", every.TotalSize)
	if number64(every.TotalSize) > maxItems {
		return nil
	}
	ask := func(params client.Params) (wire.Feed, client.Meta, error) {
		return client.Do(ctx, api, client.GetFeed{More: params})
	}
	all, err := everyRow(params, ask, func(f *wire.Feed) *[]wire.FeedItem { return &f.Items })
	if err != nil {
		return err
	}
	items := all.Items
	to.said[actions] = append(to.said[actions], saying{"items of activity/feed", uint64(len(items))})
	sums(to, score, "Values of activity/feed", items, func(i *wire.FeedItem) string { return i.Value })
	by := map[string]bool{}
	for i := range items {
		by[items[i].MemberID] = true
		to.ids = append(to.ids, items[i].ID)
	}
	slices.Sort(to.ids)
	to.said[members] = append(to.said[members], saying{"items of activity/feed", uint64(len(by))})
	return nil
}

// tellCrossover holds the percentages to the number of members, which it does not give.
func tellCrossover(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	about := domain.BrandID(0)
	if q.brand != everyBrand {
		about = p.brands[q.brand].id
	}
	params := q.params()
	params["limit"] = "1000"
	c, _, err := client.Do(ctx, api, client.GetPopularBrands{BrandID: about, More: params})
	if err != nil {
		return err
	}
	all := to.number(members)
	for _, i := range c.Items {
		n := number64(i.ActiveMembers)
		if hundredths := (2*n*100_00 + all) / max(2*all, 1); n > all || i.Percentage != fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100) {
			to.errs = append(to.errs, fmt.Errorf("brands/crossover: %d of %d members are %s %%", n, all, i.Percentage))
		}
	}
	return nil
}

func tellGenders(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	g, _, err := client.Do(ctx, api, client.GetBrandGenders{BrandID: p.brands[q.brand].id, More: q.params()})
	if err != nil {
		return err
	}
	to.says(actions, "stats/gender", g.TotalActivities)
	to.says(members, "stats/gender", g.TotalMembers)
	sums(to, actions, "rows of stats/gender", g.Genders, func(r *wire.Gender) string { return r.Actions })
	sums(to, members, "rows of stats/gender", g.Genders, func(r *wire.Gender) string { return r.Members })
	return nil
}

func tellAges(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	a, _, err := client.Do(ctx, api, client.GetBrandAges{BrandID: p.brands[q.brand].id, More: q.params()})
	if err != nil {
		return err
	}
	to.says(actions, "stats/age", a.TotalActivities)
	to.says(members, "stats/age", a.TotalMembers)
	sums(to, actions, "bands of stats/age", a.Ages, func(r *wire.Age) string { return r.Actions })
	sums(to, members, "bands of stats/age", a.Ages, func(r *wire.Age) string { return r.Members })
	return nil
}

func tellNewcomers(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	n, _, err := client.Do(ctx, api, client.GetBrandActiveMembers{BrandID: p.brands[q.brand].id, More: q.params()})
	if err != nil {
		return err
	}
	to.says(members, "stats/members", n.TotalMembers)
	to.said[members] = append(to.said[members], saying{"new and returning of stats/members", n.NewMembers + n.ReturningMembers})
	return nil
}

func tellMemberTotals(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	ask := func(params client.Params) (wire.MemberTotals, client.Meta, error) {
		return client.Do(ctx, api, client.GetMemberTotals{More: params})
	}
	m, err := everyRow(p.about(q, q.params()), ask, func(m *wire.MemberTotals) *[]wire.MemberTotal { return &m.Items })
	if err != nil {
		return err
	}
	const what = "members/stats/activity"
	to.says(actions, what, m.TotalActivities)
	to.says(members, what, m.TotalMembers)
	to.says(members, "totalSize of "+what, m.TotalSize)
	sums(to, actions, "rows of "+what, m.Items, func(r *wire.MemberTotal) string { return r.ActivityCount })
	sums(to, score, "Score of "+what, m.Items, func(r *wire.MemberTotal) string { return r.Score })
	return nil
}

// loosely has an operation take what it has of a question, and ignore the rest.
func loosely(p client.Params) client.Params {
	p["strict"] = "0"
	return p
}

// tellMembers reports how many pass the filters whatever they did. There services are
// those that a member has, so it is another question with them; and it has no range, so
// it is with those that look at one.
func tellMembers(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	if q.services != nil || q.any != nil || q.all != nil {
		return nil
	}
	ask := func(params client.Params) (wire.Members, client.Meta, error) {
		return client.Do(ctx, api, client.ListMembers{More: params})
	}
	m, err := everyRow(loosely(p.about(q, q.params())), ask, func(m *wire.Members) *[]wire.MemberItem { return &m.Items })
	if err != nil {
		return err
	}
	to.says(everybody, "members", m.TotalSize)
	to.said[everybody] = append(to.said[everybody], saying{"items of members", uint64(len(m.Items))})
	return nil
}

// tellExplained walks the actions behind a statistic: they are those of the feed.
func tellExplained(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	path, params := "/v1.1/activity/count/daily", p.about(q, q.params())
	if q.brand != everyBrand {
		of := []string{"activity", "timeline", "location", "gender", "age", "members"}
		path = "/v1.1/brand/" + id(p.brands[q.brand].id) + "/stats/" + of[q.span.to%int64(len(of))]
	}
	params["explain"] = "1"
	var ids []string
	for {
		var out struct{ Explain *wire.Explanation }
		if _, err := api.Get(ctx, path, params, &out); err != nil {
			return err
		}
		if len(ids) == 0 {
			to.says(actions, "explain of "+path, out.Explain.TotalSize)
		}
		if number64(out.Explain.TotalSize) > maxItems {
			return nil
		}
		ids = append(ids, out.Explain.Actions...)
		if out.Explain.Next == nil {
			break
		}
		next, err := url.Parse(*out.Explain.Next)
		if err != nil {
			return err
		}
		params = client.Params{}
		for name, values := range next.Query() {
			params[name] = values[0]
		}
	}
	slices.Sort(ids)
	if !slices.Equal(ids, to.ids) {
		to.errs = append(to.errs, fmt.Errorf("explain of %s has %d actions, the feed has %d, and they are others", path, len(ids), len(to.ids)))
	}
	return nil
}

func tellCheck(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	params := loosely(without(without(p.about(q, q.params()), "activityID"), "members"))
	c, _, err := client.Do(ctx, api, client.CheckMemberActivity{MemberID: q.members[0], ActivityID: q.definitions[0], More: params})
	if err != nil {
		return err
	}
	to.says(actions, "member/activity", c.Count)
	if c.Completed != (c.Count != "0") || c.Completed != (c.Action != nil) {
		to.errs = append(to.errs, fmt.Errorf("member/activity: completed %t, Count %s, Action %v", c.Completed, c.Count, c.Action))
	}
	return nil
}

// tellMember reports the points of the member's actions, their number, and its rank
// among all members with an action, as members/active ranks them.
func tellMember(ctx context.Context, api *client.Client, p *model, q question, to *numbers) error {
	params := loosely(without(p.about(q, q.params()), "members"))
	active, err := everyActive(ctx, api, p.about(q, client.Params{
		"activityID": params["activityID"], "includeOneTime": "1", "start_date": params["start_date"], "end_date": params["end_date"],
	}))
	if err != nil {
		return err
	}
	params["showposition"], params["showbrands"], params["limit"] = "1", "1", "1000"
	m, _, err := client.Do(ctx, api, client.GetMember{MemberID: q.members[0], More: params})
	if err != nil {
		return err
	}
	to.says(score, "Score of member", *m.Data.Score)
	if !slices.ContainsFunc(p.brands, func(b brand) bool { return b.gone }) { // a deleted one is in no such list
		sums(to, actions, "brands of member", *m.Brands, func(b *wire.MemberBrand) string { return b.ActivityCount })
		sums(to, score, "brands of member", *m.Brands, func(b *wire.MemberBrand) string { return b.Score })
	}
	place := 1
	for _, other := range active.Items {
		if number64(other.Score) > number64(*m.Data.Score) {
			place++
		}
	}
	want := fmt.Sprint(place)
	if place >= 1000 {
		want = "999+"
	}
	if *m.Data.AEPosition != want {
		to.errs = append(to.errs, fmt.Errorf("AEPosition is %s, members/active has it at %d", *m.Data.AEPosition, place))
	}
	return nil
}
