package admin_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
	"github.com/ovation-analytics/ovation/api/problem"
)

var errDisk = errors.New("disk is gone")

const testToken = "a-token-of-the-tests"

// request is one from this machine, unless change says otherwise.
func request(method, path, body string, change ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8081"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:40000"
	for _, f := range change {
		f(r)
	}
	return r
}

func remote(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func bearer(token string) func(*http.Request) { return header("Authorization", "Bearer "+token) }

func serveTo(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Probes, metrics, status and version are open to all.
func TestPort_OpenPaths(t *testing.T) {
	engine := &admintest.Catalog{State: map[string]any{"shards": 8}}
	h := admintest.Port(t, engine, testToken)
	for path, want := range map[string]string{
		"/livez":   "ok",
		"/readyz":  "ok",
		"/metrics": "ovation_test 42",
		"/status":  `{"shards":8}`,
		"/version": `"go":"go1.`,
	} {
		w := serveTo(h, request("GET", path, "", remote("203.0.113.9:1")))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.200q, want %q in it", path, w.Code, w.Body, want)
		}
	}
	engine.Degradation = errors.New("partition 3 of the public topic is stopped")
	if w := serveTo(h, request("GET", "/readyz", "")); w.Code != 200 || w.Body.String() != "degraded: partition 3 of the public topic is stopped\n" {
		t.Errorf("degraded: %d %q", w.Code, w.Body)
	}
	engine.NotReady = domain.ErrUnavailable
	if w := serveTo(h, request("GET", "/readyz", "")); w.Code != 503 || !strings.Contains(w.Body.String(), "not available") {
		t.Errorf("not ready: %d %q", w.Code, w.Body)
	}
	if w := serveTo(h, request("GET", "/livez", "")); w.Code != 200 {
		t.Errorf("alive though not ready: %d", w.Code)
	}
}

// Management is for this machine, or for the token.
func TestPort_Guard(t *testing.T) {
	far := remote("203.0.113.9:1")
	for _, c := range []struct {
		name   string
		token  string // of the node
		change []func(*http.Request)
		want   int
	}{
		{"this machine", "", nil, 200},
		{"this machine by name", "", []func(*http.Request){func(r *http.Request) { r.Host = "localhost:8081" }}, 200},
		{"this machine over IPv6", "", []func(*http.Request){remote("[::1]:1"), func(r *http.Request) { r.Host = "[::1]:8081" }}, 200},
		{"this machine, IPv4 in IPv6", "", []func(*http.Request){remote("[::ffff:127.0.0.1]:1")}, 200},
		{"this machine where there is a token", testToken, nil, 200},
		{"this machine with a wrong token", testToken, []func(*http.Request){bearer("something-else-entirely")}, 401},
		{"a token where the node has none", "", []func(*http.Request){bearer("")}, 401},
		{"far without a token on the node", "", []func(*http.Request){far}, 403},
		{"far, any token, none on the node", "", []func(*http.Request){far, bearer(testToken)}, 401},
		{"far without a token", testToken, []func(*http.Request){far}, 401},
		{"far with a wrong token", testToken, []func(*http.Request){far, bearer(testToken + "x")}, 401},
		{"far with the token in another scheme", testToken, []func(*http.Request){far, header("Authorization", "Basic "+testToken)}, 401},
		{"far with the token", testToken, []func(*http.Request){far, bearer(testToken)}, 200},
		{"through a proxy on this machine", "", []func(*http.Request){header("X-Forwarded-For", "203.0.113.9")}, 403},
		{"through a proxy that says Forwarded", testToken, []func(*http.Request){header("Forwarded", "for=203.0.113.9")}, 401},
		{"a page whose name resolves to this machine", "", []func(*http.Request){func(r *http.Request) { r.Host = "evil.example:8081" }}, 403},
		{"this machine by an address that is not its loopback", "", []func(*http.Request){func(r *http.Request) { r.Host = "10.1.2.3:8081" }}, 403},
		{"a page of another origin", "", []func(*http.Request){header("Origin", "https://evil.example")}, 403},
		{"a page of another site", "", []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := admintest.Port(t, &admintest.Catalog{}, c.token)
			w := serveTo(h, request("POST", "/applications", `{"account":"a","name":"b","plan":"standard"}`, c.change...))
			if w.Code != c.want {
				t.Fatalf("%d %s, want %d", w.Code, w.Body, c.want)
			}
			if (w.Code == 401) != (w.Header().Get("WWW-Authenticate") != "") {
				t.Errorf("WWW-Authenticate %q with %d", w.Header().Get("WWW-Authenticate"), w.Code)
			}
			if w.Code != 200 && strings.Contains(w.Body.String(), testToken) {
				t.Error("the answer holds the token")
			}
		})
	}
}

// Profiles are guarded as management is, and so is a path that is not.
func TestPort_GuardsProfiles(t *testing.T) {
	h := admintest.Port(t, &admintest.Catalog{}, "")
	if w := serveTo(h, request("GET", "/debug/pprof/goroutine?debug=1", "")); w.Code != 200 || !strings.Contains(w.Body.String(), "goroutine profile") {
		t.Errorf("this machine: %d %.100q", w.Code, w.Body)
	}
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/profile", "/debug/pprof/trace", "/applications", "/keys", "/log-level", "/anything"} {
		if w := serveTo(h, request("GET", path, "", remote("203.0.113.9:1"))); w.Code != 403 {
			t.Errorf("%s from far: %d", path, w.Code)
		}
	}
}

// The answers of management have these bytes.
func TestPort_Shapes(t *testing.T) {
	engine := &admintest.Catalog{Gaps: map[string]*domain.AcceptGap{
		"journal": {Partition: 3, From: 10, To: 20}, "common": {Partition: 9, From: 10, To: 20},
	}, Poisoned: map[int]int64{3: 70, 9: 71}}
	h := admintest.Port(t, engine, "")
	ask := func(method, path, body string) string {
		t.Helper()
		w := serveTo(h, request(method, path, body))
		if w.Code != 200 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	var created admin.OwnedApplication
	text := ask("POST", "/applications", `{"account":"Label","name":"Site","plan":"advanced"}`)
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		t.Fatal(err)
	}
	if want := `{"account":{"id":1},"application":{"id":1},"key":"` + created.Key + `","api":"https://console.example"}` + "\n"; text != want {
		t.Errorf("create: %s, want %s", text, want)
	}
	ask("POST", "/applications", `{"account":"Label","name":"App","plan":"standard"}`)
	if got, want := ask("GET", "/applications", ""), `{"items":[`+
		`{"account":{"id":1,"name":"Label"},"application":{"id":1,"name":"Site","plan":"advanced"}},`+
		`{"account":{"id":1,"name":"Label"},"application":{"id":2,"name":"App","plan":"standard"}}]}`+"\n"; got != want {
		t.Errorf("list: %s, want %s", got, want)
	}
	ask("POST", "/keys", `{"application":2,"scope":"public"}`)
	if got := ask("POST", "/keys/2/revoke", ""); got != `{"id":2,"revoked":true}`+"\n" {
		t.Errorf("revoke: %s", got)
	}
	var keys admin.List[admin.ListedKey]
	if err := json.Unmarshal([]byte(ask("GET", "/keys", "")), &keys); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range keys.Items {
		got = append(got, strings.Join([]string{k.Account.Name, k.Application.Name, k.Scope}, " "))
		if (k.Revoked != 0) != (k.ID == 2) || k.Created == 0 || len(k.Hint) != 8 {
			t.Errorf("key %+v", k)
		}
	}
	if d := cmp.Diff([]string{"Label Site application", "Label App application", "Label App public"}, got); d != "" {
		t.Error(d)
	}
	if got := ask("POST", "/gaps/accept", `{"topic":"journal","partition":3}`); got != `{"topic":"journal","partition":3,"from":10,"to":20}`+"\n" {
		t.Errorf("gap: %s", got)
	}
	if w := serveTo(h, request("POST", "/gaps/accept", `{"topic":"common","partition":9}`)); w.Code != 409 || !strings.Contains(w.Body.String(), "another node is alive") {
		t.Errorf("a gap that must be forced: %d %s", w.Code, w.Body)
	}
	if got := ask("POST", "/gaps/accept", `{"topic":"common","partition":9,"force":true}`); got != `{"topic":"common","partition":9,"from":10,"to":20}`+"\n" {
		t.Errorf("a forced gap: %s", got)
	}
	if got := ask("POST", "/records/set-aside", `{"shard":3,"offset":70}`); got != `{"shard":3,"offset":70}`+"\n" {
		t.Errorf("set aside: %s", got)
	}
	for body, want := range map[string]int{
		`{"offset":70}`: 400, `{"shard":3}`: 400, `{"shard":-1,"offset":70}`: 400, `{"shard":3,"offset":-1}`: 400, `{`: 400,
		`{"shard":3,"offset":70}`: 404, `{"shard":9,"offset":71}`: 409,
	} {
		if w := serveTo(h, request("POST", "/records/set-aside", body)); w.Code != want {
			t.Errorf("set aside %s: %d %s", body, w.Code, w.Body)
		}
	}
	if got := ask("POST", "/records/set-aside", `{"shard":9,"offset":71,"force":true}`); got != `{"shard":9,"offset":71}`+"\n" {
		t.Errorf("set aside by force: %s", got)
	}
}

// Deeds are listed as the catalog has them, those of an account alone where it is named.
func TestPort_Deeds(t *testing.T) {
	engine := &admintest.Catalog{Noted: []*domain.Deed{
		{Offset: 9, At: 1700000000000, Session: domain.SessionID{15: 1}, Role: domain.RoleEditor, Account: 1, Application: 2, Name: "Ada", Did: "POST /v1.1/member/5/delete"},
		{Offset: 7, At: 1600000000000, Session: domain.SessionID{15: 2}, Role: domain.RoleOperator, Did: "POST /keys"},
	}}
	h := admintest.Port(t, engine, "")
	const editors = `{"at":1700000000000,"role":"editor","name":"Ada","account":{"id":1},"application":2,"session":"00000000000000000000000000000001","did":"POST /v1.1/member/5/delete"}`
	const operators = `{"at":1600000000000,"role":"operator","name":"","account":{"id":0},"application":0,"session":"00000000000000000000000000000002","did":"POST /keys"}`
	for query, want := range map[string]string{
		"": editors + "," + operators, "?account=1": editors, "?account=0": operators, "?account=9": "",
	} {
		if w := serveTo(h, request("GET", "/console/deeds"+query, "")); w.Body.String() != `{"items":[`+want+"]}\n" {
			t.Errorf("%q: %s", query, w.Body)
		}
	}
	for _, bad := range []string{"x", "-1", "", "4294967296"} {
		if w := serveTo(h, request("GET", "/console/deeds?account="+bad, "")); w.Code != http.StatusBadRequest {
			t.Errorf("account=%s: %d %s", bad, w.Code, w.Body)
		}
	}
}

// An empty list is a list.
func TestPort_EmptyLists(t *testing.T) {
	h := admintest.Port(t, &admintest.Catalog{}, "")
	for _, path := range []string{"/applications", "/keys"} {
		if w := serveTo(h, request("GET", path, "")); w.Body.String() != `{"items":[]}`+"\n" {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// A refused request is a problem with the reason, and changes nothing.
func TestPort_Problems(t *testing.T) {
	engine := &admintest.Catalog{}
	for _, name := range []string{"1", "2"} {
		if _, _, err := admin.NewOperator(engine, time.Now).CreateApplication(t.Context(), "a", name, domain.Standard); err != nil {
			t.Fatal(err)
		}
	}
	h := admintest.Port(t, engine, "")
	for _, c := range []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"POST", "/applications", `{"account":"a","name":"b","plan":"gold"}`, 400, "standard, advanced or enterprise"},
		{"POST", "/applications", `{"account":" ","name":"b","plan":"standard"}`, 400, "the account is missing"},
		{"POST", "/applications", `{"account":"a","plan":"standard"}`, 400, "the name is missing"},
		{"POST", "/applications", `{"account":"a","name":"b\u001b[2J","plan":"standard"}`, 400, "not a text"},
		{"POST", "/applications", `{"account":"a","name":"` + strings.Repeat("é", 256) + `","plan":"standard"}`, 400, "at most 255"},
		{"POST", "/applications", `{"account":"a","nom":"b","plan":"standard"}`, 400, "known fields"},
		{"POST", "/applications", `[]`, 400, "one JSON object"},
		{"POST", "/applications", `{} {}`, 400, "one JSON object"},
		{"POST", "/applications", ``, 400, "one JSON object"},
		{"POST", "/applications", `{"account":"` + strings.Repeat("a", 64<<10) + `"}`, 413, "too large"},
		{"POST", "/keys", `{"scope":"all"}`, 400, "application, global or public"},
		{"POST", "/keys", `{}`, 400, "there are 2 applications"},
		{"POST", "/keys", `{"application":2,"scope":"global"}`, 403, "needs the plan enterprise"},
		{"POST", "/keys", `{"application":9,"scope":"global"}`, 404, "no such application"},
		{"POST", "/keys", `{"application":9}`, 404, "no such application"},
		{"POST", "/keys", `{"application":-1}`, 400, "JSON object"},
		{"POST", "/keys/9/revoke", ``, 404, "no such key"},
		{"POST", "/keys/0/revoke", ``, 400, "a number"},
		{"POST", "/keys/99999999999/revoke", ``, 400, "a number"},
		{"POST", "/gaps/accept", `{"partition":1}`, 400, "topic is missing"},
		{"POST", "/gaps/accept", `{"topic":"journal"}`, 400, "partition is missing"},
		{"POST", "/gaps/accept", `{"topic":"journal","partition":-1}`, 400, "from 0 up"},
		{"POST", "/gaps/accept", `{"topic":"journal","partition":1}`, 404, "no gap"},
		{"POST", "/nodes/1/remove", `{}`, 400, "32 hex digits"},
		{"POST", "/nodes/00000000000000000000000000000001/remove", `{}`, 404, "no such node"},
		{"POST", "/verify", `{}`, 409, "a verification is under way"},
		{"GET", "/verify", ``, 404, "verified nothing yet"},
		{"DELETE", "/keys", ``, 405, "the path takes GET, HEAD, POST"},
		{"GET", "/nothing", ``, 404, "no such path"},
	} {
		w := serveTo(h, request(c.method, c.path, c.body))
		var p problem.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != problem.ContentType || p.Status != c.status || p.Error.Message != p.Detail {
			t.Errorf("%s %s %.60s: no problem: %s", c.method, c.path, c.body, w.Body)
		}
		if w.Code != c.status || !strings.Contains(p.Detail, c.message) || (w.Code == 405) != (w.Header().Get("Allow") != "") {
			t.Errorf("%s %s %.60s: %d %s, want %d %q", c.method, c.path, c.body, w.Code, w.Body, c.status, c.message)
		}
	}
	if len(engine.Keys()) != 0 || len(engine.Applications()) != 2 {
		t.Error("a refused request changed something")
	}
}

// An outcome that is not known is answered without its cause.
func TestPort_UnknownOutcome(t *testing.T) {
	for _, c := range []struct {
		down    error
		status  int
		message string
	}{
		{domain.ErrUnavailable, 503, "not available at the moment"},
		{&domain.Error{Code: domain.Unavailable, Message: "the log is away", Err: errDisk}, 503, "the log is away"},
		{errDisk, 500, "the node's log says why"},
	} {
		h := admintest.Port(t, &admintest.Catalog{Down: c.down}, "")
		w := serveTo(h, request("POST", "/applications", `{"account":"a","name":"b","plan":"standard"}`))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.message) || strings.Contains(w.Body.String(), errDisk.Error()) {
			t.Errorf("%v: %d %s, want %d %q", c.down, w.Code, w.Body, c.status, c.message)
		}
	}
}
