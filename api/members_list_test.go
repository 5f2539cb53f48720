package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// lastWeek is the week before the tests' now.
var lastWeek = domain.Range{From: 1772973300, To: 1773578100}

// Members are listed by id; the actions of the week are asked of the page's members alone.
func TestMembers_Questions(t *testing.T) {
	one := []domain.Group{{Definition: 100}}
	for query, want := range map[string]domain.Question{
		"":                                     {MemberListing: domain.MemberListing{Up: true, Limit: 10}, Groups: one},
		"sort=desc&limit=20,5":                 {MemberListing: domain.MemberListing{Offset: 20, Limit: 5}, Groups: one},
		"limit=20,0":                           {MemberListing: domain.MemberListing{Up: true}, Groups: one},
		"updated_since=2026-03-01+00:00:00":    {MemberListing: domain.MemberListing{Up: true, Limit: 10, Changed: 1772323200}, Groups: one},
		"updated_since=1969-12-31T23:59:59Z":   {MemberListing: domain.MemberListing{Up: true, Limit: 10}, Groups: one},
		"updated_since=9999-12-31+23:59:59":    {MemberListing: domain.MemberListing{Up: true, Limit: 10, Changed: 1<<32 - 1}, Groups: one},
		"services=spotify,deezer&country=DE":   {MemberListing: domain.MemberListing{Up: true, Limit: 10}, Groups: one, Filter: domain.Filter{Holds: []domain.Service{domain.Spotify, domain.Deezer}, Countries: []uint16{'D'<<8 | 'E'}}},
		"required_fields=FirstName,Score":      {MemberListing: domain.MemberListing{Up: true, Limit: 10}, Groups: one, Filter: domain.Filter{Has: []domain.Field{domain.FirstName}}},
		"required_fields=LastActivity":         {MemberListing: domain.MemberListing{Up: true, Limit: 10}, Groups: one, Filter: domain.Filter{Acted: true}},
		"brandID=2&optedin=1&includeOneTime=1": {Brand: 2, MemberListing: domain.MemberListing{Up: true, Limit: 10}, Groups: []domain.Group{{Definition: 100}, {Definition: 101}}, Filter: domain.Filter{OptIn: domain.OptValue(domain.OptBrand, 2)}},
	} {
		h := newFixture(t, memberAnswers(0))
		want.Shape, want.Range = domain.ShapeMemberList, lastWeek
		w := h.asks("/v1.1/members?"+query, want, domain.Question{
			Shape: domain.ShapeLeaders, Brand: want.Brand, Range: lastWeek, Groups: want.Groups,
			Filter: domain.Filter{Members: []domain.MemberID{4097}}, Top: domain.Top{Limit: 1, Latest: true},
		})
		out := answered[wire.Members](h, w)
		if out.TotalSize != "3" || len(out.Items) != 1 || out.Items[0].Score != "70000" || out.Items[0].ActivityCount != "3" || out.Items[0].LastActivity == nil {
			t.Errorf("%q: %+v", query, out)
		}
		equal(t, "", w.Header().Get("X-Range"), query)
	}
}

// Items keep the order of the list, whatever their scores; a member without actions has zeros.
func TestMembers_OrderOfTheList(t *testing.T) {
	h := newFixture(t)
	for _, id := range []domain.MemberID{8193, 12289} {
		m := *h.engine.members[4097]
		m.ID = id
		h.engine.members[id] = &m
	}
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		if q.Shape == domain.ShapeMemberList {
			return &domain.Answer{MemberList: &domain.MemberList{Members: []domain.MemberID{12289, 16385, 8193, 4097}, Total: 4}}, nil
		}
		equal(t, []domain.MemberID{4097, 8193, 12289, 16385}, q.Filter.Members)
		return &domain.Answer{Leaders: &domain.Leaders{
			Members: []domain.Leader{{Member: 4097, Score: 9, Actions: 2}, {Member: 12289, Score: 1, Actions: 1}},
			Latest:  []domain.Row{{Seq: 3, Time: 1_700_000_000, Brand: 1, Definition: 100}, {Seq: 4, Time: 1_700_000_001, Brand: 2, Definition: 100}},
		}}, nil
	}
	out := answered[wire.Members](h, h.get("/v1.1/members?sort=DESC&fields=Score,ActivityCount,LastActivity,BrandName"))
	var got []string
	for _, i := range out.Items { // 16385 is no member any more
		line := i.ID + " " + i.Score + " " + i.ActivityCount
		if i.LastActivity != nil {
			line += " " + i.LastActivity.CompleteDate + " " + *i.BrandName
		}
		got = append(got, line)
	}
	want := []string{"12289 1 1 2023-11-14 22:13:21 Archive", "8193 0 0", "4097 9 2 2023-11-14 22:13:20 The Moons"}
	equal(t, want, got)
}

// An empty page asks no second question.
func TestMembers_EmptyPage(t *testing.T) {
	h := newFixture(t, always(&domain.Answer{MemberList: &domain.MemberList{Total: 7}}))
	w := h.get("/v1.1/members?limit=0")
	if len(h.engine.asked) != 1 || !strings.Contains(w.Body.String(), `{"totalSize":"7","items":[],"paging":{"next":null,"previous":null}}`) {
		t.Errorf("%d questions: %s", len(h.engine.asked), w.Body)
	}
}

// A cursor continues after the last id of the page before.
func TestMembers_Cursors(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		if q.Shape != domain.ShapeMemberList {
			return &domain.Answer{Leaders: &domain.Leaders{}}, nil
		}
		r := &domain.MemberList{Total: 5}
		for id := q.MemberListing.After + 4097; id <= 5*4097 && len(r.Members) < q.MemberListing.Limit; id += 4097 {
			r.Members = append(r.Members, id)
		}
		return &domain.Answer{MemberList: r}, nil
	})
	var pages []domain.MemberListing
	for target := "/v1.1/members?cursor=&limit=2&country=DE"; target != ""; {
		w := h.get(target)
		for _, q := range h.engine.asked {
			if q.Shape == domain.ShapeMemberList {
				pages = append(pages, q.MemberListing)
			}
		}
		h.engine.asked = nil
		if target = h.next(w); target != "" && !strings.Contains(target, "country=DE&") {
			t.Fatal(target)
		}
	}
	want := []domain.MemberListing{{Up: true, Limit: 3}, {Up: true, Limit: 3, After: 2 * 4097}, {Up: true, Limit: 3, After: 4 * 4097}}
	equal(t, want, pages)
}

// Totals rank by actions, without a brand over the whole account.
func TestMemberTotals_Question(t *testing.T) {
	h := newFixture(t, ranking)
	w := h.asks("/v1.1/members/stats/activity?limit=0,1&country=DE&services=spotify&period=6+Year", domain.Question{
		Shape: domain.ShapeLeaders, Range: domain.Range{From: 1615811700, To: lastWeek.To}, Groups: []domain.Group{{Definition: 100}},
		Filter: domain.Filter{Services: []domain.Service{domain.Spotify}, Countries: []uint16{'D'<<8 | 'E'}},
		Top:    domain.Top{Order: domain.ByActions, Limit: 1, Latest: true},
	})
	out := answered[wire.MemberTotals](h, w)
	if out.TotalSize != "5" || out.TotalMembers != "5" || out.TotalActivities != "9" || len(out.Items) != 1 || out.Items[0].LastActivity == nil {
		t.Errorf("%+v", out)
	}
	if links := w.Header().Values("Link"); len(links) != 1 || !strings.Contains(links[0], "limit=1%2C1") || !strings.HasSuffix(links[0], `rel="next"`) {
		t.Errorf("%q", links)
	}
	if warned := w.Header().Values("Warning"); len(warned) != 1 || !strings.Contains(warned[0], "at most 5 Year") {
		t.Errorf("%q", warned)
	}
}

// A check sees one-time actions too, of all time where no range is given.
func TestCheck_AllTime(t *testing.T) {
	for query, want := range map[string]domain.Question{
		"":                                {Range: domain.AllTime},
		"?brandID=2&end_date=":            {Brand: 2, Range: domain.AllTime},
		"?end_date=2026-03-02+00:00:00":   {Range: domain.Range{To: 1772409600}},
		"?period=20+years&period_end=":    {Range: domain.Range{From: 1142426100, To: lastWeek.To}},
		"?start_date=2026-03-01+00:00:00": {Range: domain.Range{From: 1772323200, To: lastWeek.To}},
	} {
		h := newFixture(t, memberAnswers(0))
		want.Shape, want.Groups = domain.ShapeFeed, []domain.Group{{Definition: 101}}
		want.Filter.Members, want.Listing = []domain.MemberID{4097}, domain.Listing{Every: true, Limit: 100}
		w := h.asks("/v1.1/member/4097/activity/101"+query, want)
		out := answered[wire.Check](h, w)
		if !out.Completed || out.Count != "2" || *out.First != "2026-03-15 08:58:20" || *out.Last != "2026-03-15 09:00:00" || out.Action.ID != fmt.Sprint(9<<12|1) {
			t.Errorf("%q: %s", query, w.Body)
		}
		if x := w.Header().Get("X-Range"); (x == "") != (want.Range == domain.AllTime) {
			t.Errorf("%q: range %q", query, x)
		}
	}
}

// Of more actions than a page has, the first is asked for from the other end.
func TestCheck_First(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		a, err := fed(1001)(q)
		if q.Listing.Up {
			a.Feed.Items = a.Feed.Items[:1]
			a.Feed.Items[0].Row.Time = 1_700_000_000
		}
		return a, err
	})
	out := answered[wire.Check](h, h.get("/v1.1/member/4097/activity/100"))
	if up := h.engine.asked[1].Listing; up != (domain.Listing{Every: true, Up: true, Limit: 1}) || out.Count != "1001" || *out.First != "2023-11-14 22:13:20" || *out.Last != "2026-03-15 09:00:00" {
		t.Errorf("%+v %+v", up, out)
	}
}

// An activity never performed has null dates and no action.
func TestCheck_Never(t *testing.T) {
	h := newFixture(t, always(&domain.Answer{Feed: &domain.Feed{}}))
	w := h.get("/v1.1/member/4097/activity/100")
	if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != `{"completed":false,"Count":"0","First":null,"Last":null,"Action":null}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
