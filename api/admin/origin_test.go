package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

// paths are one of each kind that the port has.
var paths = []string{
	"/livez", "/readyz", "/metrics", "/status", "/version", "/applications", "/keys", "/log-level", "/verify", "/debug/pprof/", "/debug/pprof/goroutine",
	"/debug/pprof/symbol", "/debug/pprof/profile?seconds=1", "/debug/pprof/trace?seconds=1", "/nothing",
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// refusedAsForeign reports the answer to a page that may not ask.
func refusedAsForeign(h http.Handler, method, path string, change ...func(*http.Request)) bool {
	w := serveTo(h, request(method, path, "", change...))
	return w.Code == http.StatusForbidden && (method == http.MethodHead || strings.Contains(w.Body.String(), `"code":15`))
}

// No path answers a page of another site or of another origin, or one that asks by a name of its own, before the
// node is open and after.
func TestPort_NoPageOfAnotherSite(t *testing.T) {
	port := admintest.Port(t, &admintest.Catalog{}, testToken)
	for name, h := range map[string]http.Handler{"open": port, "starting": new(admin.Gate)} {
		for _, path := range paths {
			for asks, change := range map[string][]func(*http.Request){
				"another site":                       {header("Sec-Fetch-Site", "cross-site")},
				"another origin of the site":         {header("Sec-Fetch-Site", "same-site")},
				"another origin":                     {header("Origin", "https://evil.example")},
				"another port":                       {header("Origin", "http://127.0.0.1:3000")},
				"a sandbox":                          {header("Origin", "null")},
				"another origin as its own":          {header("Origin", "https://evil.example"), header("Sec-Fetch-Site", "same-origin")},
				"with the token":                     {header("Sec-Fetch-Site", "cross-site"), bearer(testToken)},
				"a name":                             {host("evil.example:8081")},
				"a name, without a port":             {host("evil.example")},
				"a name that begins as an address":   {host("127.0.0.1.evil.example:8081")},
				"a name that begins as localhost":    {host("localhost.evil.example")},
				"a name, of its own origin":          {host("evil.example:8081"), header("Origin", "http://evil.example:8081")},
				"a name, with the token":             {host("evil.example:8081"), bearer(testToken)},
				"a name, over IPv6":                  {host("evil.example:8081"), remote("[::1]:4")},
				"a name, through an IPv4 in an IPv6": {host("evil.example:8081"), remote("[::ffff:127.0.0.1]:4")},
			} {
				for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
					if !refusedAsForeign(h, method, path, change...) {
						t.Errorf("%s: %s %s asked by %s is answered", name, method, path, asks)
					}
				}
			}
		}
	}
}

// Probes by address, a person's browser on this machine, and scrapers by a name that is given are answered.
func TestPort_AsksThatAreAnswered(t *testing.T) {
	named := admin.New(admin.Options{
		Engine: &admintest.Catalog{}, Metrics: prometheus.NewRegistry(), Hosts: admin.Hosts{Names: []string{"ovation-0.ovation.svc", "127.0.0.1"}},
	})
	wide := admin.New(admin.Options{Engine: &admintest.Catalog{}, Metrics: prometheus.NewRegistry(), Hosts: admin.Hosts{Any: true}})
	far := remote("10.4.0.9:1")
	for name, c := range map[string]struct {
		h        http.Handler
		change   []func(*http.Request)
		answered bool
	}{
		"an address":                             {named, nil, true},
		"an address over IPv6":                   {named, []func(*http.Request){host("[fe80::1%25eth0]:8081"), remote("[::1]:1")}, true},
		"localhost":                              {named, []func(*http.Request){host("LocalHost.:8081")}, true},
		"an address typed into a browser":        {named, []func(*http.Request){header("Sec-Fetch-Site", "none")}, true},
		"a page of the port":                     {named, []func(*http.Request){header("Sec-Fetch-Site", "same-origin"), header("Origin", "http://127.0.0.1:8081")}, true},
		"a probe of HTTP/1.0":                    {named, []func(*http.Request){host("")}, true},
		"a pod by its address":                   {named, []func(*http.Request){host("10.4.0.7:8081"), far}, true},
		"a scraper by a name that is given":      {named, []func(*http.Request){host("Ovation-0.ovation.svc:8081"), far}, true},
		"a scraper by a name that is not":        {named, []func(*http.Request){host("ovation-1.ovation.svc:8081"), far}, false},
		"a scraper by any name":                  {wide, []func(*http.Request){host("ovation:8081"), far}, true},
		"a scraper by any name, on this machine": {wide, []func(*http.Request){host("ovation:8081")}, true},
		"a page of another site, by any name":    {wide, []func(*http.Request){host("ovation:8081"), header("Sec-Fetch-Site", "cross-site")}, false},
		"a page of another origin, by any name":  {wide, []func(*http.Request){host("ovation:8081"), header("Origin", "http://evil.example:8081")}, false},
	} {
		for _, path := range []string{"/livez", "/readyz", "/metrics", "/status", "/version"} {
			if w := serveTo(c.h, request(http.MethodGet, path, "", c.change...)); (w.Code == 200) != c.answered {
				t.Errorf("%s asks %s: %d %.100q", name, path, w.Code, w.Body)
			}
		}
	}
	// What guards management is as before: a name that is given is no right to manage.
	for _, h := range []http.Handler{named, wide} {
		if w := serveTo(h, request(http.MethodGet, "/applications", "", host("ovation-0.ovation.svc:8081"))); w.Code != 403 {
			t.Errorf("management by a name: %d", w.Code)
		}
	}
}
