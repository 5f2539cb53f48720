package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// tallied answers questions from counts of definitions, all of different members.
func tallied(counts map[domain.DefinitionID]domain.Count) asked {
	return func(q *domain.Question) (*domain.Answer, error) {
		groups := map[uint32]domain.Count{}
		t := &domain.Tally{}
		for _, g := range q.Groups {
			n := groups[g.Group]
			n.Add(counts[g.Definition])
			groups[g.Group] = n
			t.Total.Add(counts[g.Definition])
		}
		for g := range uint32(1000) {
			if n := groups[g]; n.Actions > 0 {
				t.Groups = append(t.Groups, domain.GroupCount{Group: g, Count: n})
			}
		}
		return &domain.Answer{Tally: t, Position: domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: 4}}}}, nil
	}
}

// counting is a fixture with five definitions and counts of each.
func counting(t testing.TB) *fixture {
	h := newFixture(t)
	h.engine.defs = append(h.engine.defs,
		&domain.Definition{ID: 102, Account: 1, Name: "watched", Type: "WATCHED", Service: domain.YouTube, Deleted: true},
		&domain.Definition{ID: 103, Account: 1, Name: "heard {brand} by {brand}", Type: "listened", Service: domain.Deezer},
		&domain.Definition{ID: 104, Account: 1, Name: "liked", Type: "Watched", Service: domain.Facebook})
	h.engine.answer = tallied(map[domain.DefinitionID]domain.Count{
		100: {Actions: 5, Members: 2}, 101: {Actions: 100, Members: 100}, 102: {Actions: 5, Members: 4}, 103: {Actions: 9, Members: 1},
	})
	return h
}

// tallied renders an answer of stats/activity as text.
func (h *fixture) tallied(query string) string {
	h.t.Helper()
	out := answered[wire.ActivityTally](h, h.get("/v1.1/brand/1/stats/activity"+query))
	var b strings.Builder
	b.WriteString(out.TotalSize + " of " + out.TotalCount + "/" + out.TotalMembers)
	for _, r := range out.Items {
		id := "-"
		if r.ActivityID != nil {
			id = *r.ActivityID
		}
		b.WriteString("; " + id + " " + r.Activity + " " + r.Count + "/" + r.DistinctMembers)
	}
	return b.String()
}

// A tally has the definitions that count, by actions, paged and grouped.
func TestTally_Rows(t *testing.T) {
	h := counting(t)
	for query, want := range map[string]string{
		"":                                 "3 of 19/7; 103 heard The Moons by The Moons 9/1; 100 played a track by The Moons 5/2; 102 watched 5/4",
		"?includeOneTime=1":                "4 of 119/107; 101 followed 100/100; 103 heard The Moons by The Moons 9/1; 100 played a track by The Moons 5/2; 102 watched 5/4",
		"?activityID=100,101":              "1 of 5/2; 100 played a track by The Moons 5/2", // one-time stays out though it is named
		"?activityID=101&includeOneTime=1": "1 of 100/100; 101 followed 100/100",
		"?activityID=101":                  "0 of 0/0",
		"?activityID=104":                  "0 of 0/0",
		"?group_by=type":                   "2 of 19/7; - Listened 14/3; - WATCHED 5/4",
		"?limit=1":                         "3 of 9/1; 103 heard The Moons by The Moons 9/1",
		"?limit=1,2":                       "3 of 10/6; 100 played a track by The Moons 5/2; 102 watched 5/4",
		"?limit=2":                         "3 of 14/3; 103 heard The Moons by The Moons 9/1; 100 played a track by The Moons 5/2",
		"?limit=0":                         "3 of 0/0",
		"?limit=50,5":                      "3 of 0/0",
		"?limit=3":                         "3 of 19/7; 103 heard The Moons by The Moons 9/1; 100 played a track by The Moons 5/2; 102 watched 5/4",
		"?group_by=TYPE&limit=1,1":         "2 of 5/4; - WATCHED 5/4",
	} {
		equal(t, want, h.tallied(query), query)
	}
}

// Range and filters are in the question.
func TestTally_Question(t *testing.T) {
	h := counting(t)
	h.asks("/v1.1/brand/1/stats/activity?services=the+service,custom&members=9,7,9&exclude_members=8&country=us,de&paid_only=1&activityID=100"+
		"&start_date=2026-01-01+00:00:01&end_date=2026-01-02+00:00:00", domain.Question{
		Shape: domain.ShapeTally, Brand: 1, Range: domain.Range{From: 1767225601, To: 1767312000},
		Filter: domain.Filter{
			Services: []domain.Service{domain.Spotify, domain.Custom}, Members: []domain.MemberID{7, 9}, Exclude: []domain.MemberID{8},
			Countries: []uint16{domain.CountryCode("DE"), domain.CountryCode("US")}, Paid: true,
		},
		Groups: []domain.Group{{Definition: 100, Group: 100}},
	})
}

// id narrows the list of members.
func TestTally_OneMember(t *testing.T) {
	h := counting(t)
	for query, want := range map[string][]domain.MemberID{
		"?id=7": {7}, "?id=7&members=7,9": {7}, "?id=7&members=8,9": {0}, "": nil,
	} {
		h.engine.asked = nil
		h.get("/v1.1/brand/1/stats/activity" + query)
		equal(t, want, h.engine.asked[0].Filter.Members, query)
	}
}

// The totals of a page are asked not before its rows; a whole list needs one question.
func TestTally_TotalsOfAPage(t *testing.T) {
	h := counting(t)
	h.get("/v1.1/brand/1/stats/activity?limit=1")
	if len(h.engine.asked) != 2 || len(h.engine.asked[1].Groups) != 1 || h.engine.waited[1].Next(1) != 4 {
		t.Errorf("asked %+v at %+v", h.engine.asked, h.engine.waited)
	}
	h.engine.asked = nil
	h.get("/v1.1/brand/1/stats/activity?limit=1000")
	h.get("/v1.1/brand/1/stats/activity")
	equal(t, 2, len(h.engine.asked))
}

// Addresses of other pages have the range that was answered.
func TestTally_Links(t *testing.T) {
	h := counting(t)
	w := h.get("/v1.1/brand/1/stats/activity?limit=1,1&period=1+Day&country=DE")
	want := []string{
		`<https://api.example/v1.1/brand/1/stats/activity?country=DE&start_date=2026-03-14+12%3A35%3A00&end_date=2026-03-15+12%3A35%3A00&limit=2%2C1>; rel="next"`,
		`<https://api.example/v1.1/brand/1/stats/activity?country=DE&start_date=2026-03-14+12%3A35%3A00&end_date=2026-03-15+12%3A35%3A00&limit=0%2C1>; rel="prev"`,
	}
	equal(t, want, w.Header().Values("Link"))
	if strings.Contains(w.Body.String(), "paging") {
		t.Error("the body has paging")
	}
}

// A timeline has all days, the most active service first.
func TestTimeline_Answer(t *testing.T) {
	h := counting(t)
	day := func(n ...uint64) (out []domain.Count) {
		for _, x := range n {
			out = append(out, domain.Count{Actions: x, Members: min(x, 1)})
		}
		return out
	}
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		return &domain.Answer{Timeline: &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{ // 2025-12-31
			{Service: domain.Spotify, Days: day(1, 0, 2), Total: domain.Count{Actions: 3, Members: 1}},
			{Service: domain.Deezer, Days: day(0, 3, 0), Total: domain.Count{Actions: 3, Members: 1}},
			{Service: domain.Custom, Days: day(9, 0, 0), Total: domain.Count{Actions: 9, Members: 1}},
		}}}, nil
	}
	out := answered[wire.Timeline](h, h.get("/v1.1/brand/1/stats/timeline"))
	var got []string
	for _, s := range out.Services {
		var line strings.Builder
		line.WriteString(s.Service + " " + s.TotalCount + "/" + s.TotalMembers)
		for _, d := range s.Range {
			line.WriteString("; " + d.Date + " " + d.DayofYear + " " + d.Count + "/" + d.DistinctMembers)
		}
		got = append(got, line.String())
	}
	want := []string{
		"custom 9/1; 2025-12-31 365 9/1; 2026-01-01 1 0/0; 2026-01-02 2 0/0",
		"spotify 3/1; 2025-12-31 365 1/1; 2026-01-01 1 0/0; 2026-01-02 2 2/1",
		"deezer 3/1; 2025-12-31 365 0/0; 2026-01-01 1 3/1; 2026-01-02 2 0/0",
	}
	equal(t, want, got)
	if q := h.engine.asked[0]; q.Shape != domain.ShapeTimeline || len(q.Groups) != 4 {
		t.Errorf("%+v", q)
	}
}

const (
	newYear = "start_date=2025-12-31+23:59:59&end_date=2026-01-02+00:00:01"
	daily   = "/v1.1/activity/count/daily?" + newYear
)

// daysOf renders an answer of count/daily as text.
func (h *fixture) daysOf(query string) []string {
	h.t.Helper()
	out := answered[wire.Daily](h, h.get(daily+query))
	got := []string{out.TotalCount + "/" + out.TotalMembers}
	for _, d := range out.Items {
		got = append(got, d.Date+" "+d.Count+"/"+d.DistinctMembers)
	}
	return got
}

// Every day that the range touches has its row.
func TestDaily_EveryDay(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		first, _ := q.Range.Days()
		return &domain.Answer{Timeline: &domain.Timeline{First: first, Services: []domain.ServiceTimeline{{
			Days: []domain.Count{{Actions: 3, Members: 2}, {}, {Actions: 1, Members: 1}}, Total: domain.Count{Actions: 4, Members: 2},
		}}}}, nil
	})
	want := []string{"4/2", "2025-12-31 3/2", "2026-01-01 0/0", "2026-01-02 1/1"}
	equal(t, want, h.daysOf(""))
	h.engine.answer = nil // no actions: no line
	want = []string{"0/0", "2025-12-31 0/0", "2026-01-01 0/0", "2026-01-02 0/0"}
	equal(t, want, h.daysOf(""))
}

// Counts are of one brand or of all.
func TestDaily_Brand(t *testing.T) {
	for query, want := range map[string]domain.BrandID{"": 0, "&brandID=2": 2} {
		for path, shape := range map[string]domain.Shape{"daily": domain.ShapeDaily, "services": domain.ShapeTimeline} {
			h := newFixture(t)
			w := h.get("/v1.1/activity/count/" + path + "?" + newYear + query)
			h.status(w, http.StatusOK, path)
			if q := h.engine.asked[0]; q.Brand != want || q.Shape != shape || len(q.Groups) != 1 {
				t.Errorf("%s%s: %+v", path, query, q)
			}
		}
	}
}

// count/services answers as stats/timeline does.
func TestCountServices_IsATimeline(t *testing.T) {
	h := newFixture(t, always(&domain.Answer{Timeline: &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{
		{Service: domain.Spotify, Days: []domain.Count{{Actions: 2, Members: 1}}, Total: domain.Count{Actions: 2, Members: 1}},
	}}}))
	a, b := h.get("/v1.1/activity/count/services?brandID=1").Body.String(), h.get("/v1.1/brand/1/stats/timeline").Body.String()
	if a != b || !strings.Contains(a, `"service":"spotify"`) {
		t.Errorf("%s and %s", a, b)
	}
}

// A row's ServiceType is the service that its actions have, also after the definition has
// another one: it agrees with the filter that selects them.
func TestStatsActivity_ServiceTypeIsThatOfTheActions(t *testing.T) {
	h := newFixture(t)
	h.engine.defs[0].Service, h.engine.defs[0].Former = domain.Deezer, []domain.Service{domain.LastFM, domain.Custom}
	done := map[domain.Service]uint64{domain.LastFM: 481, domain.Custom: 3}
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		tally := &domain.Tally{}
		for s, n := range done {
			if q.Filter.Services == nil || slices.Contains(q.Filter.Services, s) {
				tally.Total.Actions += n
			}
		}
		if tally.Total.Actions > 0 {
			tally.Groups = []domain.GroupCount{{Group: 100, Count: tally.Total}}
		}
		return &domain.Answer{Tally: tally}, nil
	}
	for query, want := range map[string]string{"": "lastfm 484", "?services=lastfm": "lastfm 481", "?services=custom": "custom 3", "?services=deezer": ""} {
		out := answered[wire.ActivityTally](h, h.get("/v1.1/brand/1/stats/activity"+query))
		var got strings.Builder
		for _, r := range out.Items {
			got.WriteString(*r.ServiceType + " " + r.Count)
		}
		equal(t, want, got.String(), query)
	}
}

// members/stats/activity explains what it counts, as the other statistics do.
func TestMemberTotals_Explain(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		a := &domain.Answer{Leaders: &domain.Leaders{Total: domain.Count{Actions: 2, Members: 1}}}
		if q.Explain {
			a.Feed = &domain.Feed{Total: 2, Items: []domain.FeedItem{{Row: domain.Row{Seq: 5, Slot: 1, Time: 7}}, {Row: domain.Row{Seq: 4, Slot: 1, Time: 6}}}}
		}
		return a, nil
	})
	out := answered[wire.MemberTotals](h, h.get("/v1.1/members/stats/activity?explain=1"))
	if out.TotalActivities != "2" || out.Explain == nil || out.Explain.TotalSize != "2" || len(out.Explain.Actions) != 2 {
		t.Errorf("%+v", out)
	}
}
