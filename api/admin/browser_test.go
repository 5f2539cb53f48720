package admin_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

// guarded are requests that need the right to manage, with a body that would be taken.
var guarded = []struct{ method, path, body string }{
	{"GET", "/applications", ""},
	{"POST", "/applications", `{"account":"a","name":"b","plan":"standard"}`},
	{"POST", "/applications/1", `{"addresses":{"logout":""}}`},
	{"POST", "/applications/1/plan", `{"plan":"advanced"}`},
	{"GET", "/accounts", ""},
	{"POST", "/accounts/1/limits", `{"per_second":1}`},
	{"GET", "/signing-keys", ""},
	{"POST", "/signing-keys/rotate", `{}`},
	{"GET", "/keys", ""},
	{"POST", "/keys", `{"application":1}`},
	{"POST", "/keys/1/revoke", ""},
	{"POST", "/gaps/accept", `{"topic":"journal","partition":3}`},
	{"POST", "/records/set-aside", `{"shard":3,"offset":70}`},
	{"POST", "/nodes/00000000000000000000000000000001/remove", `{}`},
	{"POST", "/console/links", `{"role":"operator"}`},
	{"GET", "/console/sessions", ""},
	{"GET", "/console/deeds", ""},
	{"POST", "/console/sessions/end", `{"all":true}`},
	{"GET", "/letters", ""},
	{"GET", "/letters/7", ""},
	{"GET", "/log-level", ""},
	{"POST", "/log-level", `{"level":"debug"}`},
	{"GET", "/verify", ""},
	{"POST", "/verify", `{}`},
	{"DELETE", "/verify", ""},
	{"GET", "/debug/pprof/", ""},
	{"GET", "/debug/pprof/goroutine", ""},
	{"POST", "/debug/pprof/symbol", ""},
	{"GET", "/nothing", ""},
}

// browsers are what requests of pages of the port, and of a person who types an address, have.
var browsers = map[string][]func(*http.Request){
	"a page":                      {header("Sec-Fetch-Site", "same-origin"), header("Origin", "http://127.0.0.1:8081")},
	"a page, its site alone":      {header("Sec-Fetch-Site", "same-origin")},
	"a page, its origin alone":    {header("Origin", "http://127.0.0.1:8081")},
	"a person":                    {header("Sec-Fetch-Site", "none")},
	"a page with the token":       {header("Sec-Fetch-Site", "same-origin"), bearer(testToken)},
	"a page with another token":   {header("Sec-Fetch-Site", "same-origin"), bearer("something-else-entirely")},
	"a page far away, with token": {header("Sec-Fetch-Site", "same-origin"), bearer(testToken), remote("203.0.113.9:1")},
}

// console is an admin port whose operator is what signedIn says.
func console(t *testing.T, engine *admintest.Catalog, signedIn func(*http.Request) error) http.Handler {
	t.Helper()
	job := admin.NewJob("/verify", "nothing was verified", func(struct{}) error { return nil }, func() *struct{} { return nil }, func() {})
	return admin.New(admin.Options{
		Engine: engine, Token: testToken, Signing: engine, Letters: letters{}, Metrics: prometheus.NewRegistry(), Jobs: []admin.Job{job}, Log: slog.New(slog.DiscardHandler), Level: &engine.Level, Operator: signedIn,
	})
}

// Whatever a browser asks of management on this machine, by reading too, it needs an operator's session, with the token of
// the port as well. Nothing is done without.
func TestPort_BrowserNeedsAnOperator(t *testing.T) {
	t.Parallel()
	missing, foreign := domain.Fail(domain.MissingKey, "no cookie"), domain.Fail(domain.InvalidKey, "no session")
	for what, c := range map[string]struct {
		signedIn func(*http.Request) error
		status   int
		says     string
	}{
		"nobody is signed in":  {func(*http.Request) error { return missing }, http.StatusUnauthorized, "ovation console link --role operator"},
		"somebody else is":     {func(*http.Request) error { return foreign }, http.StatusUnauthorized, "no session"},
		"the node is not open": {nil, http.StatusServiceUnavailable, "not open yet"},
	} {
		engine := &admintest.Catalog{}
		h := console(t, engine, c.signedIn)
		for _, g := range guarded {
			for from, change := range browsers {
				w := serveTo(h, request(g.method, g.path, g.body, change...))
				if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
					t.Errorf("%s: %s %s by %s: %d %.200s", what, g.method, g.path, from, w.Code, w.Body)
				}
			}
		}
		if n := len(engine.Submitted()); n != 0 {
			t.Errorf("%s: %d commands", what, n)
		}
	}
}

// An operator who is signed in manages by a browser. Programs, which have no header of one, manage as before and are asked
// for no session.
func TestPort_OperatorsAndPrograms(t *testing.T) {
	t.Parallel()
	asked := 0
	signedIn := func(*http.Request) error {
		asked++
		return nil
	}
	for from, change := range browsers {
		h := console(t, &admintest.Catalog{}, signedIn)
		for _, g := range guarded {
			if w := serveTo(h, request(g.method, g.path, g.body, change...)); w.Code == 401 || w.Code == 403 || w.Code == 503 {
				t.Errorf("%s %s by %s: %d %.200s", g.method, g.path, from, w.Code, w.Body)
			}
		}
	}
	if want := len(browsers) * len(guarded); asked != want {
		t.Errorf("the session was asked for %d times, want %d", asked, want)
	}
	nobody := func(*http.Request) error {
		t.Error("a program is asked for a session")
		return domain.Fail(domain.MissingKey, "no cookie")
	}
	h := console(t, &admintest.Catalog{}, nobody)
	for _, g := range guarded {
		for from, change := range map[string][]func(*http.Request){
			"this machine":        nil,
			"elsewhere by token":  {remote("203.0.113.9:1"), bearer(testToken)},
			"curl":                {header("User-Agent", "curl/8.5.0"), header("Accept", "*/*")},
			"with a cookie alone": {header("Cookie", "__Host-ovation-admin=x")},
		} {
			if w := serveTo(h, request(g.method, g.path, g.body, change...)); w.Code == 401 || w.Code == 403 || w.Code == 503 {
				t.Errorf("%s %s by %s: %d %.200s", g.method, g.path, from, w.Code, w.Body)
			}
		}
	}
}

// The session of an operator helps neither a page of another origin nor one that asks by a name of its own, which
// resolves to this machine.
func TestPort_SessionIsOfThisOrigin(t *testing.T) {
	t.Parallel()
	h := console(t, &admintest.Catalog{}, func(*http.Request) error {
		t.Error("the session is asked for")
		return nil
	})
	for what, change := range map[string][]func(*http.Request){
		"another site":                {header("Sec-Fetch-Site", "cross-site")},
		"another port":                {header("Sec-Fetch-Site", "same-site"), header("Origin", "http://127.0.0.1:3000")},
		"another port, by its origin": {header("Origin", "http://127.0.0.1:3000")},
		"localhost for the address":   {header("Origin", "http://localhost:8081")},
		"a rebound name":              {host("evil.example:8081"), header("Sec-Fetch-Site", "same-origin"), header("Origin", "http://evil.example:8081")},
		"a rebound name, by GET":      {host("evil.example:8081")},
		"a sandbox":                   {header("Origin", "null")},
	} {
		for _, g := range guarded {
			if w := serveTo(h, request(g.method, g.path, g.body, change...)); w.Code != http.StatusForbidden {
				t.Errorf("%s %s by %s: %d %.200s", g.method, g.path, what, w.Code, w.Body)
			}
		}
	}
}
