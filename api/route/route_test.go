package route

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// contract is the paths of the whole contract, more than are served today: the
// table must be able to hold them.
var contract = strings.Fields(`
/v1.1/activities /v1.1/activities/record /v1.1/activity/create /v1.1/activity/record /v1.1/activity/feed
/v1.1/activity/feed.rss /v1.1/activity/feed/stream /v1.1/activity/count/daily /v1.1/activity/count/services
/v1.1/activity/:activityid /v1.1/activity/:activityid/edit /v1.1/activity/:activityid/delete /v1.1/brands
/v1.1/brands/crossover /v1.1/brands/:brandid/crossover /v1.1/brand/create /v1.1/brand/:brandid
/v1.1/brand/:brandid/edit /v1.1/brand/:brandID/stats/activity /v1.1/brand/:brandID/stats/timeline
/v1.1/member /v1.1/member/login /v1.1/member/register /v1.1/member/:memberid /v1.1/member/:memberid/register
/v1.1/member/:memberid/activity/:activityid /v1.1/member/:memberid/activity/:actionid/delete
/v1.1/member/:memberid/domains/logins /v1.1/members /v1.1/members/login /v1.1/members/stats/activity /openapi.json /`)

func table(t testing.TB, paths []string) *Table[string] {
	t.Helper()
	var routes []*Route[string]
	for _, p := range paths {
		routes = append(routes, &Route[string]{Path: p, Methods: map[string]string{"GET": p}})
	}
	tab, err := Compile(routes)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// mux is the same table in the standard library's router, the second opinion.
func mux(paths []string) *http.ServeMux {
	m := http.NewServeMux()
	for _, p := range paths {
		pattern := p
		var names []string
		for s := range strings.SplitSeq(p[1:], "/") {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				names = append(names, name)
				pattern = strings.Replace(pattern, s, "{"+name+"}", 1)
			}
		}
		if p == "/" {
			pattern = "/{$}"
		}
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, p)
			for _, n := range names {
				fmt.Fprint(w, " ", n, "=", r.PathValue(n))
			}
		})
	}
	return m
}

// A table finds what net/http.ServeMux finds.
func TestTable_SameAsServeMux(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	tab, std := table(t, contract), mux(contract)
	words := []string{
		"v1.1", "brand", "brands", "member", "members", "activity", "activities", "create", "edit", "delete",
		"stats", "feed", "feed.rss", "record", "register", "login", "count", "daily", "timeline", "crossover", "7", "x y", "Brand", "v1.0",
	}
	for range 20_000 {
		var path strings.Builder
		if rnd.IntN(3) == 0 {
			for range 1 + rnd.IntN(6) {
				path.WriteString("/" + words[rnd.IntN(len(words))])
			}
		} else { // a real path, some segments changed
			for s := range strings.SplitSeq(contract[rnd.IntN(len(contract))][1:], "/") {
				if strings.HasPrefix(s, ":") || rnd.IntN(8) == 0 {
					s = words[rnd.IntN(len(words))]
				}
				path.WriteString("/" + s)
			}
		}
		got := "404"
		if r, ps, ok := tab.Find(path.String()); ok {
			got = r.Path
			for _, p := range ps {
				got += " " + p.Key + "=" + p.Value
			}
		}
		rec, req := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		req.URL.Path = path.String()
		std.ServeHTTP(rec, req)
		want := rec.Body.String()
		if rec.Code == http.StatusNotFound {
			want = "404"
		} else if rec.Code != http.StatusOK {
			continue // ServeMux redirects on its own terms
		}
		if got != want {
			t.Fatalf("%s: %q, ServeMux says %q", path.String(), got, want)
		}
	}
}

// A literal wins over a parameter, whatever the method.
func TestFind_LiteralFirst(t *testing.T) {
	tab, err := Compile([]*Route[string]{
		{Path: "/brand/:id", Methods: map[string]string{"GET": "show"}},
		{Path: "/brand/create", Methods: map[string]string{"POST": "create"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, ps, ok := tab.Find("/brand/create")
	if !ok || r.Path != "/brand/create" || len(ps) != 0 {
		t.Fatalf("found %v %v %v", r, ps, ok)
	}
	if _, ok := r.Method("GET"); ok {
		t.Error("GET is served by a path that only POST has")
	}
	if got := r.Allow(); got != "POST" {
		t.Errorf("Allow: %s", got)
	}
	r, ps, _ = tab.Find("/brand/7")
	if got, _ := r.Method("HEAD"); got != "show" || ps.ByName("id") != "7" {
		t.Errorf("HEAD of /brand/7 leads to %q with %v", got, ps)
	}
	if got := r.Allow(); got != "GET, HEAD" {
		t.Errorf("Allow: %s", got)
	}
}

// A path in another case or with spare slashes has its right spelling.
func TestFix_Spelling(t *testing.T) {
	tab := table(t, contract)
	for path, want := range map[string]string{
		"/V1.1/Brands": "/v1.1/brands", "/v1.1/brands/": "/v1.1/brands", "//v1.1///brand/7//edit/": "/v1.1/brand/7/edit",
		"/v1.1/BRAND/Create": "/v1.1/brand/create", "/v1.1/member/AbC/Activity/9": "/v1.1/member/AbC/activity/9",
		"//": "/", "/v1.0/brands": "", "/v1.1/nothing": "", strings.Repeat("/a", 100): "",
	} {
		got, ok := tab.Fix(path)
		if got != want || ok != (want != "") {
			t.Errorf("Fix(%s) = %q %v, want %q", path, got, ok, want)
		}
		if ok {
			if _, _, found := tab.Find(got); !found {
				t.Errorf("the right spelling %s is not found", got)
			}
		}
	}
}

// A literal in another case is the literal's path in a wrong spelling, also where a
// parameter could stand in its place.
func TestFind_LiteralInAnotherCaseIsNoParameter(t *testing.T) {
	tab := table(t, contract)
	for path, want := range map[string]string{
		"/v1.1/activity/Feed": "/v1.1/activity/feed", "/v1.1/activity/RECORD": "/v1.1/activity/record",
		"/v1.1/member/Register": "/v1.1/member/register", "/v1.1/brand/Create": "/v1.1/brand/create",
		"/v1.1/brands/Crossover": "/v1.1/brands/crossover",
	} {
		if r, _, ok := tab.Find(path); ok {
			t.Errorf("%s leads to %s", path, r.Path)
		}
		if got, _ := tab.Fix(path); got != want {
			t.Errorf("Fix(%s) = %q, want %q", path, got, want)
		}
	}
	if r, _, ok := tab.Find("/v1.1/brand/creates"); !ok || r.Path != "/v1.1/brand/:brandid" {
		t.Error("a parameter that only begins as a literal is none")
	}
}

// An empty segment is no parameter.
func TestFind_EmptySegment(t *testing.T) {
	tab := table(t, contract)
	for _, path := range []string{"/v1.1/brand//edit", "/v1.1/brand/", "", "//"} {
		if r, _, ok := tab.Find(path); ok {
			t.Errorf("%q leads to %s", path, r.Path)
		}
	}
}

// A path given twice is refused.
func TestCompile_DuplicatePath(t *testing.T) {
	for _, paths := range [][]string{{"/a/:x", "/a/:y"}, {"/a/b", "/a/b"}, {"a"}} {
		var routes []*Route[int]
		for _, p := range paths {
			routes = append(routes, &Route[int]{Path: p})
		}
		if _, err := Compile(routes); err == nil {
			t.Errorf("%v compiled", paths)
		}
	}
}

// BenchmarkFind is the look-up of one path.
func BenchmarkFind(b *testing.B) {
	tab := table(b, contract)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := tab.Find("/v1.1/brand/77/stats/activity"); !ok {
			b.Fatal("not found")
		}
	}
}
