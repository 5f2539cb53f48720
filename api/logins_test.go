package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// visited answers questions about visits with a few of them.
func visited(q *domain.Question) (*domain.Answer, error) {
	a := &domain.Answer{Position: domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: 4}}}}
	count := func(actions, members uint64) domain.Count { return domain.Count{Actions: actions, Members: members} }
	switch q.Shape {
	case domain.ShapeSummaries:
		return summarized(q)
	case domain.ShapeTally:
		a.Tally = &domain.Tally{Total: count(12, 5), Groups: []domain.GroupCount{
			{Group: uint32(domain.Email), Count: count(3, 3)},
			{Group: uint32(domain.Twitter), Count: count(3, 1)},
			{Group: uint32(domain.Spotify), Count: count(6, 2)},
		}}
		if q.Visits.By == domain.VisitsByKind {
			a.Tally = &domain.Tally{Total: count(12, 5), Groups: []domain.GroupCount{in(1, 3, 2), in(2, 9, 4)}}
		}
	case domain.ShapeTimeline:
		a.Timeline = &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{
			{Service: domain.Email, Days: []domain.Count{count(2, 1), {}}, Total: count(2, 1)},
			{Service: domain.Spotify, Days: []domain.Count{count(1, 1), count(4, 2)}, Total: count(5, 2)},
		}}
		if q.Visits.Totals {
			a.Tally = &domain.Tally{Total: count(7, 2)}
		}
	case domain.ShapeFeed:
		a.Feed = &domain.Feed{Total: 2, Items: []domain.FeedItem{
			{Member: 4097, Row: domain.Row{Seq: 9, Slot: 1, Time: 1773565200, Definition: domain.VisitDefinition(domain.Login, 0), Service: domain.Email}},
			{Member: 4097, Row: domain.Row{Seq: 8, Slot: 1, Time: 1773465200, Definition: domain.Registration, Service: domain.Spotify}},
		}}
		a.Feed.Items = a.Feed.Items[min(q.Listing.Offset, 2):min(q.Listing.End(), 2)]
	case domain.ShapeDomains:
		a.Domains = &domain.Domains{Total: count(12, 5), Registrations: 4, Rows: []domain.DomainCount{
			{Count: count(3, 3), Registrations: 1},
			{Domain: "a.example", Count: count(3, 1)},
			{Domain: "b.example", Count: count(6, 2), Registrations: 3},
		}}
	case domain.ShapeLeaders:
		a.Leaders = &domain.Leaders{Total: count(9, 2), Members: []domain.Leader{
			{Member: 4097, Score: 2, Actions: 7, At: 1_700_000_000}, {Member: 8193, Score: 1, Actions: 2, At: 1_600_000_000},
		}}
		a.Leaders.Members = a.Leaders.Members[min(q.Top.Offset, 2):min(q.Top.End(), 2)]
	}
	if q.Explain {
		a.Feed = &domain.Feed{Total: 1, Items: []domain.FeedItem{{Row: domain.Row{Seq: 5, Slot: 1, Time: 7}}}}
	}
	return a, nil
}

const (
	oneDay   = "start_date=2026-01-01+00:00:00&end_date=2026-01-02+00:00:00"
	loginURL = "/v1.1/login/stats/"
)

var visitDay = domain.Range{From: 1767225600, To: 1767312000}

// Members by login are asked for by their latest visit, of the services given; an item's numbers are of
// actions in the range, by whatever service.
func TestLoggedInMembers_Question(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		a, err := visited(&domain.Question{Shape: q.Shape, Visits: &domain.VisitQuery{}, Top: q.Top})
		if q.Visits == nil {
			a.Leaders.Latest = make([]domain.Row, len(a.Leaders.Members))
		}
		return a, err
	})
	all := []domain.Group{{Definition: 100}}
	const of = "/v1.1/members/login?" + oneDay
	h.asks(of+"&limit=1&sort=asc&services=email&domain=www.moons.example&required_fields=LastActivity,Email&totalmembercount=1&brandID=2",
		domain.Question{
			Shape: domain.ShapeLeaders, Brand: 2, Range: visitDay, Groups: all, Visits: &domain.VisitQuery{},
			Filter: domain.Filter{Services: []domain.Service{domain.Email}, Domain: "moons.example", Acted: true, Has: []domain.Field{domain.EmailAddress}},
			Top:    domain.Top{Order: domain.ByVisit, Up: true, Limit: 1, Audience: true},
		},
		domain.Question{
			Shape: domain.ShapeLeaders, Brand: 2, Range: visitDay, Groups: all,
			Filter: domain.Filter{Members: []domain.MemberID{4097}}, Top: domain.Top{Limit: 1, Latest: true},
		})
	w := h.get(of + "&limit=1")
	out := answered[wire.LoggedInMembers](h, w)
	if out.TotalSize != "2" || len(out.Items) != 1 || out.Items[0].ID != "4097" || out.Paging == nil || len(out.Paging) > 0 {
		t.Errorf("%+v", out)
	}
	if link := w.Header().Get("Link"); !strings.Contains(link, "limit=1%2C1") || !strings.Contains(link, `rel="next"`) {
		t.Errorf("Link %s", link)
	}
	h.refused(h.get("/v1.1/members/login?sort=up"), domain.InvalidParameter, "sort")
	h.refused(h.get("/v1.1/members/login?brandID=9"), domain.NotFound, "brandID")
}

// The visits of a member are asked for by range, services and page; a segment's are cut out of all, by the
// page of the segment or the list that a registration named.
func TestMemberLogins_PageAndSegment(t *testing.T) {
	h := newFixture(t, visited)
	question := func(offset, limit int) domain.Question {
		return domain.Question{
			Account: 1, Shape: domain.ShapeFeed, Range: visitDay, Visits: &domain.VisitQuery{},
			Filter:  domain.Filter{Services: []domain.Service{domain.Email}, Members: []domain.MemberID{4097}},
			Listing: domain.Listing{Every: true, Offset: offset, Limit: limit},
		}
	}
	const of = "/v1.1/member/4097/domains/logins?services=email&" + oneDay
	h.asks(of, question(0, 10))
	h.asks(of+"&limit=1,5&threshold=2&showbrands=1&email=a@b.c&brandID=9", question(1, 5))
	h.asks(of+"&limit=5,0", question(0, 0))
	h.asks(of+"&limit=1&segment=1", question(0, 1000))

	h.engine.segs = append(h.engine.segs, &domain.Segment{ID: 2, Account: 1, Page: "moons.example/join"})
	h.engine.place = domain.VisitPlace{Domain: "moons.example", Page: "moons.example/join"}
	h.visits(domain.Tablet, domain.VisitDetails{WebPath: "/join", IP: "2001:db8::1", ReferringURL: "https://from.example/", Visitor: "v"})
	for target, want := range map[string][]string{"": {"2", "1"}, "?segment=1": {"1"}, "?segment=2": {"2"}, "?segment=2&limit=1,1": {}} {
		out := answered[wire.Visits](h, h.get("/v1.1/member/4097/domains/logins"+target))
		got := []string{}
		for _, v := range out.Registrations {
			got = append(got, *v.Segment)
			if *v.WebPath != "/join" || !v.Mobile || v.Device != 3 || *v.Country != "DE" || *v.IP != "2001:db8::1" ||
				*v.ReferringURL != "https://from.example/" || *v.Visitor != "v" {
				t.Errorf("%+v", v)
			}
		}
		equal(t, want, got, target)
		if n := uint64(max(len(want), 1)); out.Total != n {
			t.Errorf("%s: total %d, want %d", target, out.Total, n)
		}
	}
	h.refused(h.get("/v1.1/member/4097/domains/logins?segment=9"), domain.NotFound, "segment")
	h.refused(h.get("/v1.1/member/5/domains/logins"), domain.NotFound, "")
	h.refused(h.do("GET", keyed("/v1.1/member/4097/domains/logins", keyStranger), ""), domain.NotFound, "")
	h.refused(h.get("/v1.1/member/4097/domains/logins?limit=-1"), domain.InvalidParameter, "limit")
}

// Each parameter is in the question; those of actions select no visit.
func TestLogins_Question(t *testing.T) {
	h := newFixture(t, visited)
	h.engine.segs[0].Page = "moons.example/join"
	signups := &domain.VisitQuery{Of: domain.Registration}
	h.asks(loginURL+"channels?"+oneDay+"&domain=https://www.Moons.example/x&page=www.moons.example/join?q=1&services=email,twitter&country=de"+
		"&age=29-35&gender=other&members=7&exclude_members=8&paid_only=1&brandID=1&optedin=1&activityID=100", domain.Question{
		Shape: domain.ShapeTally, Range: visitDay,
		Filter: domain.Filter{
			Services: []domain.Service{domain.Email, domain.Twitter}, Countries: []uint16{domain.CountryCode("DE")}, Genders: []uint16{3},
			Born:    &domain.BirthDays{First: domain.BornForAges(visitDay, 29, 35).First, Last: domain.BornForAges(visitDay, 29, 35).Last},
			Members: []domain.MemberID{7}, Exclude: []domain.MemberID{8}, Paid: true, OptIn: domain.OptValue(domain.OptBrand, 1),
		},
		Visits: &domain.VisitQuery{Of: domain.Registration, Domain: "moons.example", Page: "moons.example/join"},
	})
	h.asks(loginURL+"timeline?"+oneDay, domain.Question{Shape: domain.ShapeTimeline, Range: visitDay, Visits: signups})
	h.asks(loginURL+"timeline?uniquemember=1&"+oneDay, domain.Question{
		Shape: domain.ShapeTimeline, Range: visitDay, Visits: &domain.VisitQuery{Of: domain.Registration, Totals: true},
	})
	h.asks(loginURL+"alltime", domain.Question{Shape: domain.ShapeTally, Range: domain.AllTime, Visits: signups})
	h.asks(loginURL+"alltime?valid=1&service=email,deezer&services=deezer", domain.Question{
		Shape: domain.ShapeTally, Range: domain.AllTime, Filter: domain.Filter{Services: []domain.Service{domain.Deezer}},
		Visits: &domain.VisitQuery{Of: domain.Registration, Valid: true},
	})
	h.asks(loginURL+"alltime?service=email&services=deezer", domain.Question{
		Shape: domain.ShapeTally, Range: domain.AllTime, Filter: domain.Filter{Services: []domain.Service{domain.NoService}}, Visits: signups,
	})
	h.asks(loginURL+"domains?"+oneDay, domain.Question{Shape: domain.ShapeDomains, Range: visitDay, Visits: signups})
	h.asks(loginURL+"totals?"+oneDay, domain.Question{
		Shape: domain.ShapeTally, Range: visitDay, Visits: &domain.VisitQuery{By: domain.VisitsByKind},
	})
	h.asks("/v1.1/members/domains/top?"+oneDay, domain.Question{
		Shape: domain.ShapeDomains, Range: visitDay, Visits: &domain.VisitQuery{},
	})
	h.asks("/v1.1/member/4097/domains/top?"+oneDay, domain.Question{
		Shape: domain.ShapeDomains, Range: visitDay, Filter: domain.Filter{Members: []domain.MemberID{4097}}, Visits: &domain.VisitQuery{},
	})
	h.asks("/v1.1/members/stats/visits?limit=1,4&"+oneDay, domain.Question{
		Shape: domain.ShapeLeaders, Range: visitDay, Visits: &domain.VisitQuery{}, Top: domain.Top{Order: domain.ByActions, Offset: 1, Limit: 4},
	})
}

// Rows stand by what they show, most first; with uniquemember they show members, and a total counts
// a member once.
func TestLogins_Rows(t *testing.T) {
	h := newFixture(t, visited)
	for target, want := range map[string]string{
		loginURL + "channels":                `{"channels":[{"service":"spotify","signups":"6"},{"service":"email","signups":"3"},{"service":"twitter","signups":"3"}],"total":12}`,
		loginURL + "alltime":                 `{"channels":[{"service":"spotify","signups":"6"},{"service":"email","signups":"3"},{"service":"twitter","signups":"3"}],"total":12}`,
		loginURL + "channels?uniquemember=1": `{"channels":[{"service":"email","signups":"3"},{"service":"spotify","signups":"2"},{"service":"twitter","signups":"1"}],"total":5}`,
		loginURL + "timeline": `{"services":[{"service":"spotify","range":[{"Date":"2025-12-31","Count":1},{"Date":"2026-01-01","Count":4}],"ServiceTotal":"5"},` +
			`{"service":"email","range":[{"Date":"2025-12-31","Count":2},{"Date":"2026-01-01","Count":0}],"ServiceTotal":"2"}],"PeriodTotal":"7"}`,
		loginURL + "timeline?uniquemember=1": `{"services":[{"service":"spotify","range":[{"Date":"2025-12-31","Count":1},{"Date":"2026-01-01","Count":2}],"ServiceTotal":"2"},` +
			`{"service":"email","range":[{"Date":"2025-12-31","Count":1},{"Date":"2026-01-01","Count":0}],"ServiceTotal":"1"}],"PeriodTotal":"2"}`,
		loginURL + "domains":                          `{"domains":[{"domain":"b.example","signups":"6"},{"domain":null,"signups":"3"},{"domain":"a.example","signups":"3"}],"total":12}`,
		loginURL + "domains?uniquemember=1&limit=1,1": `{"domains":[{"domain":"b.example","signups":"2"}],"total":5}`,
		loginURL + "domains?limit=0":                  `{"domains":[],"total":12}`,
		loginURL + "totals":                           `{"registrations":3,"logins":9,"members":2,"total":12}`,
		loginURL + "totals?uniquemember=1":            `{"registrations":2,"logins":4,"members":2,"total":5}`,
		"/v1.1/members/domains/top?limit=2":           `{"totalSize":"3","items":[{"domain":"b.example","visits":6,"registrations":3,"members":2},{"domain":null,"visits":3,"registrations":1,"members":3}]}`,
		"/v1.1/members/stats/visits": `{"totalSize":"2","items":[{"MemberID":"4097","visits":7,"registrations":2,"LastVisited":"2023-11-14 22:13:20"},` +
			`{"MemberID":"8193","visits":2,"registrations":1,"LastVisited":"2020-09-13 12:26:40"}],"total":9}`,
	} {
		w := h.get(target)
		h.status(w, http.StatusOK, target)
		equal(t, want, strings.TrimSpace(w.Body.String()), target)
	}
}

// Pages by offset and by keys reach each row once.
func TestLogins_Pages(t *testing.T) {
	for target, want := range map[string]int{
		"/v1.1/members/domains/top?limit=2&cursor=": 3, "/v1.1/members/domains/top?limit=1": 3, "/v1.1/members/stats/visits?limit=1": 2,
		loginURL + "domains?limit=1&cursor=": 3, loginURL + "domains?limit=2": 3,
	} {
		h := newFixture(t, visited)
		met := map[string]bool{}
		for next := target; next != ""; {
			w := h.get(next)
			page := answered[struct{ Domains, Items []map[string]any }](h, w)
			for _, row := range append(page.Domains, page.Items...) {
				met[fmt.Sprint(row)] = true
			}
			next = h.next(w)
		}
		equal(t, want, len(met), target)
	}
}

// What is not there, or of another account, is refused with the contract's code.
func TestLogins_Refused(t *testing.T) {
	h := newFixture(t, visited)
	h.engine.segs[0].Page = "moons.example/join"
	h.engine.segs = append(h.engine.segs,
		&domain.Segment{ID: 2, Account: 2, Page: "stranger.example/x"}, &domain.Segment{ID: 3, Account: 1, Page: "gone.example", Deleted: true})
	for _, page := range []string{"moons.example", "stranger.example/x", "gone.example", "moons.example/Join"} {
		h.refused(h.get(loginURL+"channels?page="+page), domain.InvalidParameter, "page")
	}
	h.status(h.get(loginURL+"timeline?page=https://moons.example/join/"), http.StatusOK)
	h.refused(h.get(loginURL+"totals?optedin=1"), domain.MissingParameter, "brandID")
	h.refused(h.get(loginURL+"totals?region=BE"), domain.InvalidParameter, "region")
	h.refused(h.get(loginURL+"domains?segment=2"), domain.NotFound, "segment")
	h.refused(h.get("/v1.1/member/999/domains/top"), domain.NotFound, "")
	h.refused(h.do(http.MethodGet, keyed("/v1.1/member/4097/domains/top", keyStranger), ""), domain.NotFound, "")
	h.refused(h.get("/v1.1/members/stats/visits?start_date=2026-01-02+00:00:00&end_date=2026-01-02+00:00:00"), domain.InvalidParameter, "start_date")
}

// A range beyond five years is clamped, and said so; without one it is the last week.
func TestLogins_Range(t *testing.T) {
	h := newFixture(t, visited)
	w := h.get(loginURL + "channels?period=6+Year")
	equal(t, "2021-03-15 12:35:00/2026-03-15 12:35:00", w.Header().Get("X-Range"))
	equal(t, 1, len(w.Header().Values("Warning")))
	equal(t, "2026-03-08 12:35:00/2026-03-15 12:35:00", h.get(loginURL+"totals").Header().Get("X-Range"))
	equal(t, "", h.get(loginURL+"alltime").Header().Get("X-Range"))
}

// A poll asks whether visits changed, in the range that it has become; what it reads of members is
// what it filters by.
func TestLogins_ReadSet(t *testing.T) {
	h := newFixture(t, visited)
	seen := h.unchanged()
	day := domain.Range{From: 1773491700, To: 1773578100}
	exists := domain.AttrMember.Set()
	for target, want := range map[string]domain.ReadSet{
		loginURL + "channels?period=1+Day": {Rows: []domain.RowsOf{{Range: day, Visits: true}}, Known: exists},
		loginURL + "timeline?period=1+Day": {Rows: []domain.RowsOf{{Range: day, Shows: domain.ShowsDays, Visits: true}}, Known: exists},
		loginURL + "totals?period=1+Day&age=1-2&gender=F": {
			Rows:  []domain.RowsOf{{Range: day, Shows: domain.ShowsAges, Visits: true}},
			Known: exists | domain.AttrBirthDay.Set() | domain.AttrGender.Set(),
		},
		loginURL + "alltime?valid=1": {
			Rows: []domain.RowsOf{{Range: domain.AllTime, Visits: true}}, Known: exists | domain.AttrService.Set() | domain.AttrLapsed.Set() | domain.AttrVoid.Set(),
		},
		"/v1.1/members/stats/visits?period=1+Day": {
			Rows: []domain.RowsOf{{Range: day, Visits: true}}, Known: exists | domain.AttrLoginHigh.Set() | domain.AttrLoginLow.Set(),
		},
	} {
		*seen = nil
		first := h.get(target)
		w := h.get(target, "If-None-Match", first.Header().Get("Etag"))
		h.status(w, http.StatusNotModified, target)
		equal(t, []domain.ReadSet{want}, *seen, target)
	}
}

// The typed client asks each of the operations.
func TestLogins_Client(t *testing.T) {
	c, ctx := over(t, newFixture(t, visited), keyAdvanced), t.Context()
	equal(t, uint64(12), must(client.Do(ctx, c, client.GetSignups{})).Total)
	equal(t, 3, len(must(client.Do(ctx, c, client.GetSignupChannels{})).Channels))
	equal(t, "7", must(client.Do(ctx, c, client.GetSignupTimeline{})).PeriodTotal)
	equal(t, 3, len(must(client.Do(ctx, c, client.GetSignupDomains{})).Domains))
	equal(t, uint64(9), must(client.Do(ctx, c, client.GetLoginTotals{})).Logins)
	equal(t, "3", must(client.Do(ctx, c, client.GetTopDomains{})).TotalSize)
	equal(t, "3", must(client.Do(ctx, c, client.GetMemberTopDomains{MemberID: 4097})).TotalSize)
	equal(t, uint64(9), must(client.Do(ctx, c, client.GetMemberVisits{})).Total)
}

// An answer by page or domain of visits says that it may lack some where a shard keeps no more of them, also
// to a poll that finds it unchanged; any other has all visits, and says nothing.
func TestLogins_WarnWhereVisitsMayBeMissing(t *testing.T) {
	full := false
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		a, err := visited(q)
		if err == nil {
			a.PlacesFull = full
		}
		return a, err
	})
	h.engine.segs[0].Page = "moons.example/join"
	for target, want := range map[string]int{
		loginURL + "alltime":                           0,
		loginURL + "alltime?domain=a.example":          1,
		loginURL + "totals":                            0,
		loginURL + "totals?domain=a.example":           1,
		loginURL + "domains":                           1,
		loginURL + "channels":                          0,
		loginURL + "channels?page=moons.example/join":  1,
		loginURL + "timeline":                          0,
		loginURL + "timeline?page=moons.example/join":  1,
		loginURL + "timeline?uniquemember=1":           0,
		"/v1.1/members/domains/top":                    1,
		"/v1.1/member/4097/domains/top":                1,
		"/v1.1/members/stats/visits":                   0,
		"/v1.1/members/stats/visits?domain=a.example":  1,
		"/v1.1/member/4097/domains/logins":             1,
		"/v1.1/member/4097/domains/logins?segment=1":   1,
		"/v1.1/member/4097?extended=1&fields=Extended": 1,
		"/v1.1/member/4097":                            0,
	} {
		warnings := func(w *httptest.ResponseRecorder) (n int) {
			for _, text := range w.Header().Values("Warning") {
				if strings.Contains(text, "visits may be missing") {
					n++
				}
			}
			return n
		}
		full = false
		w := h.get(target)
		h.status(w, http.StatusOK, target)
		if n := warnings(w); n != 0 {
			t.Errorf("%s: %d warnings where all have their place", target, n)
		}
		full = true
		w = h.get(target)
		h.status(w, http.StatusOK, target)
		if n := warnings(w); n != want {
			t.Errorf("%s: %d warnings, want %d: %q", target, n, want, w.Header().Values("Warning"))
		}
		again := h.get(target, "If-None-Match", w.Header().Get("ETag"))
		if h.status(again, http.StatusNotModified, target); warnings(again) != want {
			t.Errorf("%s: unchanged with %d warnings, want %d", target, warnings(again), want)
		}
	}
}
