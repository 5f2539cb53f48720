package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
	"github.com/ovation-analytics/ovation/api/console/redact"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/serve"
)

// requestOf is what a page sends to an operation.
func requestOf(op *serve.Operation) (path, body string) {
	switch {
	case op.Method != http.MethodPost:
		return concrete(op.Path), ""
	case op.Each != nil:
		return concrete(op.Path), "{}"
	}
	return concrete(op.Path), "nothing=1"
}

// What is sent without both halves of one living session, by a page of another origin, by another name, or with a key
// beside, no operation answers. No answer is for pages of other origins, and nothing is done.
func TestConsole_AttacksOnEveryOperation(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.engine.apps[3].Domains = []string{"evil.example", "api.example"}
	good, ended := h.signedIn(domain.RoleDeveloper), h.signedIn(domain.RoleDeveloper)
	h.status(ended.asks(h.api, "DELETE", session.Path, ""), 204, "signed out")
	with := func(change func(*browser)) browser {
		b := good
		change(&b)
		return b
	}
	attacks := map[string]struct {
		browser browser
		headers []string
		query   string
		code    domain.Code
	}{
		"nobody":                   {browser{}, nil, "", domain.MissingKey},
		"cookie alone":             {with(func(b *browser) { b.half = "" }), nil, "", domain.MissingKey},
		"half alone":               {with(func(b *browser) { b.cookie = "" }), nil, "", domain.MissingKey},
		"another origin":           {with(func(b *browser) { b.origin, b.site = "https://evil.example", "cross-site" }), nil, "", domain.WrongApplication},
		"another origin's Origin":  {with(func(b *browser) { b.origin, b.site = "https://evil.example", "" }), nil, "", domain.WrongApplication},
		"the host's other port":    {with(func(b *browser) { b.origin, b.site = "https://api.example:8443", "same-site" }), nil, "", domain.WrongApplication},
		"the host without TLS":     {with(func(b *browser) { b.origin, b.site = "http://api.example", "" }), nil, "", domain.WrongApplication},
		"a rebound name":           {with(func(b *browser) { b.host, b.origin = "https://evil.example", "https://evil.example" }), nil, "", domain.InvalidKey},
		"an ended session":         {ended, nil, "", domain.InvalidKey},
		"a key in a header":        {good, []string{"X-API-Key", keyEnterprise}, "", domain.InvalidKey},
		"a key in the query":       {good, nil, "?apiKey=" + keyEnterprise, domain.InvalidKey},
		"a key alone":              {browser{}, []string{"X-API-Key", keyEnterprise}, "", domain.InvalidKey},
		"a key alone in the query": {browser{}, nil, "?APIKEY=" + keyEnterprise, domain.InvalidKey},
		"a Bearer":                 {good, []string{"Authorization", "Bearer x.y.z"}, "", domain.InvalidKey},
	}
	for _, op := range Operations() {
		path, body := requestOf(op)
		submitted := len(h.engine.submitted)
		for what, a := range attacks {
			w := a.browser.asks(h.api, op.Method, path+a.query, body, a.headers...)
			if w.Code/100 != 4 || !strings.Contains(w.Body.String(), fmt.Sprintf(`"code":%d,`, a.code)) {
				t.Errorf("%s: %s %s: %d %s, want the code %d", what, op.Method, path, w.Code, w.Body, a.code)
			}
			if cors := corsOf(w); cors != "" {
				t.Errorf("%s: %s %s: the answer is for other pages: %s", what, op.Method, path, cors)
			}
		}
		w := browser{origin: "https://evil.example", site: "cross-site"}.asks(h.api, "OPTIONS", path, "", "Access-Control-Request-Method", op.Method, "Access-Control-Request-Headers", "ovation-console")
		if cors := corsOf(w); w.Code != http.StatusNoContent || cors != "" {
			t.Errorf("preflight of %s: %d %s", path, w.Code, cors)
		}
		if n := len(h.engine.submitted) - submitted; n != 0 {
			t.Errorf("%s: attacks submitted %d commands", op.Name(), n)
		}
		// The session itself asks; cookies are nothing where keys are asked for.
		if op.Outcomes[0].Events {
			continue // it would go on
		}
		if w := good.asks(h.api, op.Method, path, body); w.Code == http.StatusUnauthorized || corsOf(w) != "" {
			t.Errorf("%s %s by the session: %d %s %s", op.Method, path, w.Code, w.Body, corsOf(w))
		}
		if op.Method == http.MethodGet {
			h.refused(good.asks(h.api, op.Method, strings.TrimPrefix(path, "/console"), body), domain.MissingKey, "apiKey")
		}
	}
}

// corsOf are the headers of an answer that are for pages of other origins.
func corsOf(w *httptest.ResponseRecorder) (found string) {
	for name, values := range w.Header() {
		if strings.HasPrefix(name, "Access-Control-") {
			found += fmt.Sprintf("%s: %q ", name, values)
		}
	}
	return found
}

// Writes over /v1.1 are refused with a session and without a key, and change nothing.
func TestConsole_SessionIsNoKey(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	b := h.signedIn(domain.RoleDeveloper)
	submitted := len(h.engine.submitted)
	for _, op := range Operations() {
		path, body := requestOf(op)
		w := b.asks(h.api, op.Method, strings.TrimPrefix(path, "/console"), body)
		if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), fmt.Sprintf(`"code":%d,`, domain.MissingKey)) {
			t.Errorf("%s %s: %d %s", op.Method, path, w.Code, w.Body)
		}
	}
	if n := len(h.engine.submitted) - submitted; n != 0 {
		t.Errorf("%d commands were submitted", n)
	}
}

// No field of any answer whose name tells that it holds what an analyst may not see is shown to one.
func TestConsole_NamesOfSecrets(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document(Operations())
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(document(consoleHost), &tree); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if fields, ok := v["properties"].(map[string]any); ok {
				for name := range fields {
					names[name] = true
				}
			}
			for _, below := range v {
				walk(below)
			}
		case []any:
			for _, below := range v {
				walk(below)
			}
		}
	}
	walk(tree)
	tells := regexp.MustCompile(`(?i)mail|phone|mobile|token|secret|passw|jwt|credential|post_?code|zip|address|api_?key|authoriz|extended|bearer`)
	fine := []string{"brands_extended", "period_extended"} // within an Extended node
	told := 0
	for name := range names {
		if !tells.MatchString(name) || slices.Contains(fine, name) {
			continue
		}
		told++
		b, err := json.Marshal(map[string]string{name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := redact.JSON(b); err != nil || string(out) != "{}\n" {
			t.Errorf("an analyst is shown %s (%v)", out, err)
		}
	}
	if told < 15 {
		t.Errorf("only %d names of %d tell: the document was not read", told, len(names))
	}
}

// At the admin port a browser on the node's machine reads and manages by an operator's session alone: not by one of the
// public port, nor by half of one, nor by another name of the machine. Programs go on without. The pages are there.
func TestConsole_ManagesByABrowser(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	catalog := &admintest.Catalog{}
	port := admin.New(admin.Options{
		Engine: catalog, Signing: catalog, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Level: &catalog.Level,
		Console: h.api.Admin(), Operator: h.api.Operator, PublicURL: consoleHost,
	})
	const public, here = "http://127.0.0.1:8080", "http://127.0.0.1:8081"
	at := func(host string) browser {
		return browser{host: host, origin: host, site: "same-origin", remote: "127.0.0.1:40000"}
	}
	signIn := func(to http.Handler, host string, role domain.Role) browser {
		b := at(host)
		w := b.asks(to, "POST", session.Path, `{"token":"`+h.link(role)+`"}`)
		h.status(w, 200, "signed in")
		return after(t, b, w)
	}
	operator := signIn(port, here, domain.RoleOperator)
	with := func(change func(*browser)) browser {
		b := operator
		change(&b)
		return b
	}
	asPublic := func(b browser) browser {
		b.host, b.origin = here, here
		return b
	}
	analyst, developer := asPublic(signIn(h.api, public, domain.RoleAnalyst)), asPublic(signIn(h.api, public, domain.RoleDeveloper))
	renamed := developer
	renamed.cookie = strings.Replace(renamed.cookie, "__Host-ovation=", "__Host-ovation-admin=", 1)
	over := signIn(port, here, domain.RoleOperator)
	h.status(over.asks(port, "DELETE", session.Path, ""), 204, "signed out")
	for what, c := range map[string]struct {
		browser browser
		want    int
	}{
		"an operator":                         {operator, 200},
		"a program":                           {browser{host: here, remote: "127.0.0.1:40000"}, 200},
		"a program that has the cookie":       {browser{host: here, remote: "127.0.0.1:40000", cookie: operator.cookie}, 200},
		"nobody":                              {at(here), 401},
		"a person who types the address":      {with(func(b *browser) { b.origin, b.site, b.half = "", "none", "" }), 401},
		"the cookie alone":                    {with(func(b *browser) { b.half = "" }), 401},
		"the half alone":                      {with(func(b *browser) { b.cookie = "" }), 401},
		"half of another session":             {with(func(b *browser) { b.half = over.half }), 401},
		"a session that ended":                {over, 401},
		"an analyst":                          {analyst, 401},
		"a developer":                         {developer, 401},
		"a developer's, renamed":              {renamed, 401},
		"both ports' cookies, of a developer": {with(func(b *browser) { b.cookie, b.half = developer.cookie+"; "+operator.cookie, developer.half }), 401},
		"both ports' cookies":                 {with(func(b *browser) { b.cookie = developer.cookie + "; " + operator.cookie }), 200},
		"localhost for the address":           {with(func(b *browser) { b.host, b.origin = "http://localhost:8081", "http://localhost:8081" }), 401},
		"another port's page":                 {with(func(b *browser) { b.origin, b.site = "http://127.0.0.1:3000", "same-site" }), 403},
		"the public port's page":              {with(func(b *browser) { b.origin, b.site = public, "same-site" }), 403},
		"a rebound name":                      {with(func(b *browser) { b.host, b.origin = "http://evil.example:8081", "http://evil.example:8081" }), 403},
	} {
		for _, ask := range [][3]string{{"GET", "/keys", ""}, {"GET", "/debug/pprof/cmdline", ""}, {"POST", "/log-level", `{"level":"info"}`}} {
			w := c.browser.asks(port, ask[0], ask[1], ask[2])
			if got := w.Code; got != c.want && (c.want != 200 || got != 404) {
				t.Errorf("%s: %s %s: %d %s", what, ask[0], ask[1], got, w.Body)
			}
		}
	}
	// What is an operator's is none at the public port, under either name.
	for _, cookie := range []string{operator.cookie, strings.Replace(operator.cookie, "-admin=", "=", 1)} {
		b := operator
		b.host, b.origin, b.cookie = public, public, cookie
		for _, path := range []string{"/console/v1.1/brands", session.Path} {
			if w := b.asks(h.api, "GET", path, ""); w.Code != 401 {
				t.Errorf("an operator at the public port: GET %s: %d %s", path, w.Code, w.Body)
			}
		}
	}
	for path, want := range map[string]int{"/": 200, "/brand/7": 200, "/web/app.js": 200, "/web/lib/api.js": 200, "/web/none.js": 404, "/docs": 401, "/v1.1/brands": 401, "/brand": 401, "/console/v1.1/brands/": 301} {
		if w := at(here).asks(port, "GET", path, ""); w.Code != want {
			t.Errorf("the page %s: %d %.200s", path, w.Code, w.Body)
		}
	}
	h.status(operator.asks(port, "GET", "/console/v1.1/brands", ""), 200, "an operator's question")
	h.refused(analyst.asks(port, "GET", "/console/v1.1/brands", ""), domain.MissingKey, "")
}
