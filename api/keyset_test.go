package api

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
)

// next is the address of the next page, as the header has it; empty: there is none. The body has
// the same addresses or none, and pages by keys have none of a page before.
func (h *fixture) next(w *httptest.ResponseRecorder) string {
	h.t.Helper()
	var in struct {
		Paging struct{ Next, Previous *string }
	}
	h.ok(w, &in)
	links := map[string]string{}
	for _, l := range w.Header().Values("Link") {
		to, rel, _ := strings.Cut(strings.TrimPrefix(l, "<"), ">; ")
		links[rel] = to
	}
	next, prev := links[`rel="next"`], links[`rel="prev"`]
	if len(links) > 2 || in.Paging.Next != nil && *in.Paging.Next != next || in.Paging.Previous != nil && *in.Paging.Previous != prev ||
		strings.Contains(next, "cursor=") && prev != "" {
		h.t.Fatalf("%v %s", links, w.Body)
	}
	return strings.TrimPrefix(next, "https://api.example")
}

// rows are what identifies the items of a page, and the size of the whole list.
func (h *fixture) rows(w *httptest.ResponseRecorder) (ids []string, size string) {
	h.t.Helper()
	var in struct {
		TotalSize string
		Items     []struct {
			ID, MemberID, ActivityID json.RawMessage
			Brand                    struct{ ID json.RawMessage }
			Activity                 string
		}
	}
	h.ok(w, &in)
	for _, i := range in.Items {
		id := string(i.ID)
		if id == "" {
			id = string(i.MemberID) + string(i.ActivityID)
		}
		if id == "" || id == "null" {
			id = i.Activity
		}
		ids = append(ids, strings.Trim(id, `"`))
	}
	return ids, in.TotalSize
}

// churning gives the fixture many brands, definitions, segments and members: those with an
// odd number come and go, the others stay.
func churning(t testing.TB, r *rand.Rand) (*fixture, *listModel, func()) {
	h, s := newFixture(t), newListModel()
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		if q.Shape == domain.ShapeLists {
			return &domain.Answer{Lists: make([]uint64, len(q.Lists))}, nil
		}
		return s.answer(q)
	}
	h.engine.brands, h.engine.defs, h.engine.segs = nil, nil, nil
	for n := range uint64(60) {
		h.engine.brands = append(h.engine.brands, &domain.Brand{ID: domain.BrandID(n + 1), Account: 1, Fields: domain.BrandFields{"Name": string(rune('A' + n%11)), "Type": "x"}})
		h.engine.defs = append(h.engine.defs, &domain.Definition{ID: domain.DefinitionID(100 + n), Account: 1, Type: fmt.Sprint("t", n*7%60), Service: domain.Custom})
		h.engine.segs = append(h.engine.segs, &domain.Segment{ID: domain.SegmentID(n + 1), Account: 1, Brand: 1})
		h.engine.members[domain.MemberIDOf(n+1, 3)] = &domain.Member{ID: domain.MemberIDOf(n+1, 3), Account: 1, State: domain.MemberActive}
		if n%2 == 0 {
			s.put(r, n+1, 20)
			continue
		}
		h.engine.brands[n].Deleted, h.engine.defs[n].Deleted, h.engine.segs[n].Deleted = true, true, true
	}
	return h, s, func() {
		for range r.IntN(6) {
			n := 2 * r.Uint64N(30)
			gone := r.IntN(2) == 0
			if s.drop(n + 2); !gone {
				s.put(r, n+2, 20)
			}
			h.engine.brands[n+1].Deleted, h.engine.defs[n+1].Deleted, h.engine.segs[n+1].Deleted = gone, gone, gone
			h.engine.next++
		}
	}
}

// lists are those that have pages, and how many of their rows stay: those of churning with
// odd ids.
var lists = []string{
	"/v1.1/activity/feed?all_member_actions=1", "/v1.1/activity/feed?sort=asc", "/v1.1/activity/feed?order_by_recorded=1&period=1+month",
	"/v1.1/members/active?x=1", "/v1.1/members/active?order_by=created&sort=asc", "/v1.1/members/active?order_by=LastLogin&period=1+day",
	"/v1.1/brands/crossover?x=1", "/v1.1/brands?sort=asc", "/v1.1/brands?sort=desc", "/v1.1/activities?services=custom&keyword=", "/v1.1/activities?x=1",
	"/v1.1/segments?x=1", "/v1.1/brand/1/stats/activity?x=1", "/v1.1/brand/1/stats/activity?group_by=type", "/v1.1/brand/1/stats/members?x=1",
	"/v1.1/brand/1/segments?x=1", "/v1.1/brand/1/activities?x=1",
	"/v1.1/members?sort=desc", "/v1.1/members?x=1", "/v1.1/members/stats/activity?x=1",
}

// While rows come and go, next pages hold each row that stays exactly once, and none twice with one key.
func TestKeyset_EachRowOnce(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 16))
		for _, list := range lists {
			h, _, change := churning(t, r)
			stay := map[string]bool{}
			w := h.get(list + "&limit=1000")
			all, _ := h.rows(w)
			for _, id := range all {
				stay[id] = true
			}
			seen := map[string]int{}
			to := list + fmt.Sprintf("&limit=%d&cursor=", 1+r.IntN(9))
			for pages := 0; to != ""; pages++ {
				w := h.get(to)
				if w.Code != http.StatusOK || pages > 100 {
					t.Fatalf("seed %d: page %d of %s: %d %.300s", seed, pages, list, w.Code, w.Body)
				}
				ids, _ := h.rows(w)
				for _, id := range ids {
					seen[id]++
				}
				to = h.next(w)
				change()
				h.api.Config.Now = func() time.Time { return now.Add(time.Duration(pages) * time.Hour) }
			}
			for id := range stay {
				if seen[id] != 1 {
					t.Fatalf("seed %d: %s: %s is seen %d times", seed, list, id, seen[id])
				}
			}
			if len(stay) != 30 {
				t.Fatalf("%s lists %d rows", list, len(stay))
			}
		}
	}
}

// Without changes pages by keys and pages by offset are the same rows in the same order.
func TestKeyset_SameAsByOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 17))
	for _, list := range lists {
		h, _, _ := churning(t, r)
		var pages [2][]string
		for i, start := range []string{"&limit=7", "&limit=0,7&cursor="} {
			for to := list + start; to != ""; {
				w := h.get(to)
				ids, size := h.rows(w)
				pages[i] = append(pages[i], ids...)
				if to = h.next(w); size == "" {
					t.Fatalf("%s: %s", list, w.Body)
				}
			}
		}
		equal(t, pages[0], pages[1], list)
	}
}

// A cursor continues its own question and range, in any spelling, and no other.
func TestKeyset_CursorHoldsFiltersAndRange(t *testing.T) {
	h, _, _ := churning(t, rand.New(rand.NewPCG(1, 18)))
	list := "/v1.1/members/active?limit=2&country=DE,US&period=1+Week&sort=asc"
	first := h.get(list + "&cursor=")
	next := h.next(first)
	u, err := url.Parse(next)
	if err != nil {
		t.Fatal(err)
	}
	token := u.Query().Get("cursor")
	want := "/v1.1/members/active?country=DE%2CUS&sort=asc&start_date=2026-03-08+12%3A35%3A00&end_date=2026-03-15+12%3A35%3A00&limit=2&cursor=" + token
	if next != want {
		t.Fatalf("%s, want %s", next, want)
	}
	h.api.Config.Now = func() time.Time { return now.Add(72 * time.Hour) }
	cursor := "&cursor=" + token
	for name, c := range map[string]struct {
		query string
		code  domain.Code
		at    string
	}{
		"the next page's address":          {strings.TrimPrefix(next, "/v1.1/members/active?"), 0, ""},
		"the period that the range had":    {"country=DE,US&period=1+week&sort=asc" + cursor, 0, ""},
		"no range":                         {"country=DE,US&sort=asc" + cursor, 0, ""},
		"another spelling":                 {"COUNTRY=us,de&Sort=ASC&y=2" + cursor, 0, ""},
		"another limit and other fields":   {"country=DE,US&sort=asc&limit=5&fields=Score&totalmembercount=1" + cursor, 0, ""},
		"an offset of none":                {"country=DE,US&sort=asc&limit=0,5" + cursor, 0, ""},
		"an offset":                        {"country=DE,US&sort=asc&limit=1,5" + cursor, 4, "limit"},
		"an offset beside an empty one":    {"limit=1,5&cursor=", 4, "limit"},
		"another filter":                   {"country=DE&sort=asc" + cursor, 4, "cursor"},
		"a filter more":                    {"country=DE,US&sort=asc&paid_only=1" + cursor, 4, "cursor"},
		"no filter":                        {"sort=asc" + cursor, 4, "cursor"},
		"another direction":                {"country=DE,US" + cursor, 4, "cursor"},
		"another order":                    {"country=DE,US&sort=asc&order_by=created" + cursor, 4, "cursor"},
		"another period":                   {"country=DE,US&sort=asc&period=2+weeks" + cursor, 4, "cursor"},
		"another date":                     {"country=DE,US&sort=asc&start_date=2026-03-08+12:35:01&end_date=2026-03-15+12:35:00" + cursor, 4, "cursor"},
		"a range that is none":             {"country=DE,US&sort=asc&start_date=2026-03-18+00:00:00&end_date=2026-03-15+12:35:00" + cursor, 4, "start_date"},
		"an altered one":                   {"country=DE,US&sort=asc&cursor=" + strings.Replace(token, token[5:6], string(token[5]^1), 1), 4, "cursor"},
		"invalid":                          {"country=DE,US&sort=asc&cursor=x", 4, "cursor"},
		"a position":                       {"country=DE,US&sort=asc&cursor=" + first.Header().Get("X-Position"), 4, "cursor"},
		"a very long one":                  {"country=DE,US&sort=asc&cursor=" + strings.Repeat("A", 4097), 4, "cursor"},
		"a brand that there is none of":    {"country=DE,US&sort=asc&brandID=99" + cursor, 4, "cursor"},
		"an unknown brand, an empty one":   {"brandID=99&cursor=", 5, "brandID"},
		"an odd limit beside an empty one": {"limit=x&cursor=", 4, "limit"},
	} {
		w := h.get("/v1.1/members/active?" + c.query)
		if c.code != 0 {
			t.Run(name, func(t *testing.T) { (&fixture{t: t}).refused(w, c.code, c.at) })
			continue
		}
		if w.Code != http.StatusOK || w.Header().Get("X-Range") != "2026-03-08 12:35:00/2026-03-15 12:35:00" {
			t.Errorf("%s: %d %v %.200s", name, w.Code, w.Header(), w.Body)
		}
	}
	// Nor does it open another list, or the same one of another account.
	h.refused(h.get("/v1.1/activity/feed?country=DE,US&sort=asc"+cursor), 4, "cursor")
	w := h.do("GET", keyed("/v1.1/members/active?country=DE,US&sort=asc"+cursor, keyStranger), "")
	h.refused(w, 4, "cursor")
	h.status(h.do("GET", keyed("/v1.1/members/active?country=DE,US&sort=asc"+cursor, keyGlobal), ""), http.StatusOK, "the account's other keys")
	equal(t, http.StatusBadRequest, problem.Status(4))
}

// What is asked about the same dates has the same answer in any minute, the cursor in it included.
func TestKeyset_CursorWithoutTheClock(t *testing.T) {
	h, _, _ := churning(t, rand.New(rand.NewPCG(1, 19)))
	for list, same := range map[string]bool{
		"/v1.1/members/active?start_date=2026-01-01+00:00:00&end_date=2026-03-01+00:00:00": true,
		"/v1.1/members/active?start_date=2026-01-01+00:00:00":                              false,
		"/v1.1/brands?x=1": true,
	} {
		var tags []string
		for _, at := range []time.Duration{0, 100 * time.Second} {
			h.api.Config.Now = func() time.Time { return now.Add(at) }
			w := h.get(list + "&limit=3&cursor=")
			tags = append(tags, w.Header().Get("Etag")+w.Header().Get("Link"))
		}
		if (tags[0] == tags[1]) != same {
			t.Errorf("%s: %v", list, tags)
		}
	}
}

// No rows have no page beside them, and a list has none after its end.
func TestKeyset_LastPage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	for _, list := range lists {
		h, _, _ := churning(t, r)
		all, _ := h.rows(h.get(list + "&limit=1000"))
		for _, c := range []struct {
			limit      int
			cursor     string
			next, prev bool
		}{
			{0, "", false, false},
			{0, "&cursor=", false, false},
			{len(all), "", false, false},
			{len(all), "&cursor=", false, false},
			{len(all) + 1, "&cursor=", false, false},
			{len(all) - 1, "", true, false},
			{len(all) - 1, "&cursor=", true, false},
			{1000, "&cursor=", false, false},
		} {
			if c.limit < 0 || c.limit == 0 && c.next {
				continue
			}
			w := h.get(list + fmt.Sprint("&limit=", c.limit, c.cursor))
			links := strings.Join(w.Header().Values("Link"), " ")
			if ids, _ := h.rows(w); len(ids) != min(c.limit, len(all)) ||
				strings.Contains(links, `rel="next"`) != c.next || strings.Contains(links, `rel="prev"`) != c.prev {
				t.Errorf("%s, limit %d of %d%s: %d rows, %s", list, c.limit, len(all), c.cursor, len(ids), links)
			}
		}
		for offset, want := range map[int]string{len(all): "prev", len(all) + 5: "prev", 100_000: "prev"} {
			w := h.get(list + fmt.Sprintf("&limit=%d,3", offset))
			if ids, _ := h.rows(w); len(ids) != 0 || len(w.Header().Values("Link")) != 1 || !strings.Contains(w.Header().Get("Link"), want) {
				t.Errorf("%s at %d: %d rows, %v", list, offset, len(ids), w.Header().Values("Link"))
			}
		}
	}
}

// Addresses have the host that was asked, unless one is configured or it is not valid.
func TestLinks_Host(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct {
		host   string
		tls    bool
		byHost bool
		want   string
	}{
		{"localhost:8080", false, true, "http://localhost:8080"},
		{"audience.example:80", false, true, "http://audience.example"},
		{"audience.example:443", true, true, "https://audience.example"},
		{"audience.example:443", false, true, "http://audience.example:443"},
		{"[::1]:8080", false, true, "http://[::1]:8080"},
		{"", false, true, "https://api.example"},
		{"evil.example/x", false, true, "https://api.example"},
		{"evil.example\" onclick", false, true, "https://api.example"},
		{"localhost:8080", false, false, "https://api.example"},
	} {
		h.api.Config.ByHost = c.byHost
		r := httptest.NewRequest("GET", "/v1.1/brands?limit=1&apiKey="+keyAdvanced, nil)
		r.Host = c.host
		r.Header.Set("X-Forwarded-Host", "other.example")
		r.Header.Set("X-Forwarded-Proto", "https")
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		w := httptest.NewRecorder()
		h.api.ServeHTTP(w, r)
		want := []string{"<" + c.want + `/v1.1/brands?limit=1%2C1>; rel="next"`}
		if d := cmp.Diff(want, w.Header().Values("Link")); d != "" || !strings.Contains(w.Body.String(), c.want+"/v1.1/brands") {
			t.Errorf("asked of %q: %s", c.host, d)
		}
	}
}

// The last page by offset has a Warning where there are more rows: those are reached by cursor.
func TestPaging_EndOfPagesByOffset(t *testing.T) {
	h := newFixture(t)
	for query, want := range map[string]string{"limit=99000,1000": "next", "limit=100000,1000": "ends here, with 20000 rows more"} {
		h.engine.answer = always(&domain.Answer{Feed: &domain.Feed{Total: 121_000}})
		w := h.get("/v1.1/activity/feed?all_member_actions=1&" + query)
		if got := w.Header().Get("Link") + w.Header().Get("Warning"); !strings.Contains(got, want) || strings.Contains(w.Header().Get("Link"), "next") != (want == "next") {
			t.Errorf("%s: %d %q", query, w.Code, got)
		}
	}
}
