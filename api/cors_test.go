package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// withDomains is a fixture of whose applications that of keyAdvanced lists example.com, that
// of another account other.example.
func withDomains(t *testing.T) *fixture {
	h := newFixture(t)
	h.engine.allow(2, "example.com", true)
	h.engine.allow(9, "other.example", true)
	return h
}

const exposed = "X-Position, X-Lag-Ms, X-Range, Link, ETag, Warning, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"

// varies is what an answer depends on of the request's headers.
func varies(w *httptest.ResponseRecorder) string {
	return strings.Join(w.Header().Values("Vary"), ", ")
}

// granted are the headers of an answer that let a page read it.
func granted(w *httptest.ResponseRecorder) map[string]string {
	out := map[string]string{}
	for name, values := range w.Header() {
		if strings.HasPrefix(name, "Access-Control-") {
			out[name] = strings.Join(values, "|")
		}
	}
	return out
}

// A page of a domain on the application's allowlist may read answers, errors and 304 too, and no
// other page.
func TestCORS_AnswersAreForListedDomains(t *testing.T) {
	h := withDomains(t)
	tag := h.get("/v1.1/brands").Header().Get("Etag")
	for _, origin := range []string{"https://example.com", "http://example.com", "https://www.example.com", "https://example.com:8443", "http://www.example.com:8080"} {
		want := map[string]string{"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed}
		for _, w := range []*httptest.ResponseRecorder{
			h.get("/v1.1/brands", "Origin", origin), h.get("/v1.1/brands", "Origin", origin, "If-None-Match", tag),
			h.get("/v1.1/brands?limit=x", "Origin", origin), h.get("/v1.1/brand/9", "Origin", origin),
			h.get("/v1.1/member", "Origin", origin, "Authorization", "Bearer x"),
			h.post("/v1.1/optin", "id=4097", "Origin", origin), h.post("/v1.1/brand/create", "custom_a=1&name=x&type=y", "Origin", origin),
		} {
			equal(t, want, granted(w), origin, w.Code)
			equal(t, "Accept-Encoding, Origin", varies(w), origin)
		}
	}
	for _, origin := range []string{
		"https://other.example", "https://sub.example.com", "https://example.com.evil.example", "https://evil-example.com", "https://evilexample.com", "null", "",
		"file://example.com", "ftp://example.com", "chrome-extension://example.com", "example.com", "https://example.com/", "https://example.com/path",
		"https://user@example.com", "https://evil.example@example.com", "https://example.com?x", "https://example.com#x", "https://", "https://example.com ", "*",
		"https://example.com, https://evil.example", "https://EXAMPLE.COM@evil.example", "https://[::1]", "https://exаmple.com", "https://example.com\\evil.example",
	} {
		w := h.get("/v1.1/brands", "Origin", origin)
		equal(t, map[string]string{}, granted(w), origin)
		equal(t, "Accept-Encoding, Origin", varies(w), origin)
	}
	// Neither for another application of the account, nor without a key, nor with an unknown one.
	for _, key := range []string{keyStandard, keyStranger, keyRevoked, "x", ""} {
		equal(t, map[string]string{}, granted(h.do("GET", keyed("/v1.1/brands", key), "", "Origin", "https://example.com")), key)
	}
	if w := h.do("GET", keyed("/v1.1/brands", keyStandard), ""); varies(w) != "Accept-Encoding" {
		t.Errorf("an application without domains: Vary %q", varies(w))
	}
}

// OPTIONS is answered for every path with its methods, without a key. A page is told that it may
// ask where its domain is listed: by the application of the key in the query, else by any.
func TestCORS_Preflight(t *testing.T) {
	h := withDomains(t)
	methods := map[string]map[string]bool{}
	for _, o := range Operations() {
		target, _ := exampled(o)
		if methods[target] == nil {
			methods[target] = map[string]bool{}
		}
		methods[target][o.Method] = true
	}
	for _, document := range []string{"/openapi.json", "/.well-known/jwks.json", "/errors/gone"} {
		methods[document] = map[string]bool{"GET": true}
	}
	ask := func(target, origin string) *httptest.ResponseRecorder {
		h.t.Helper()
		w := h.do(http.MethodOptions, target, "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,authorization,x-api-key")
		if w.Code != http.StatusNoContent || w.Body.Len() > 0 || !strings.Contains(varies(w), "Origin, Access-Control-Request-Method") {
			t.Errorf("%s: %d %s, Vary %q", target, w.Code, w.Body, varies(w))
		}
		return w
	}
	for target, of := range methods {
		path := strings.Join(map[bool][]string{true: {"GET", "HEAD"}}[of["GET"]], ", ")
		if of["POST"] {
			path = strings.TrimPrefix(path+", POST", ", ")
		}
		none := h.do(http.MethodOptions, target, "")
		if none.Code != http.StatusNoContent || none.Header().Get("Allow") != path+", OPTIONS" || len(granted(none)) > 0 || none.Body.Len() > 0 {
			t.Errorf("%s without Origin: %d, Allow %q, %v", target, none.Code, none.Header().Get("Allow"), granted(none))
		}
		w := ask(target, "https://www.example.com")
		equal(t, map[string]string{
			"Access-Control-Allow-Origin": "https://www.example.com", "Access-Control-Allow-Methods": path, "Access-Control-Max-Age": "600",
			"Access-Control-Allow-Headers": "Content-Type, Idempotency-Key, Authorization, X-API-Key, If-None-Match, Last-Event-ID",
		}, granted(w), target)
		equal(t, path+", OPTIONS", w.Header().Get("Allow"), target)
	}
	for key, want := range map[string][2]bool{ // of example.com and of other.example
		"": {true, true}, keyAdvanced: {true, false}, keyStranger: {false, true}, keyStandard: {}, keyRevoked: {}, "x": {}, "%ff": {},
	} {
		for i, origin := range []string{"https://example.com", "https://other.example"} {
			if got := len(granted(ask(keyed("/v1.1/brands", key), origin))) > 0; got != want[i] {
				t.Errorf("%s with the key %q: %v", origin, key, got)
			}
		}
	}
	equal(t, map[string]string{}, granted(ask("/v1.1/brands", "https://nobody.example")))
	h.refused(h.do(http.MethodOptions, "/v1.1/nothing", "", "Origin", "https://example.com"), domain.NotFound, "")
	equal(t, 0, h.engine.hits)
}

// A document that needs no key is readable by pages of domains on any allowlist.
func TestCORS_Documents(t *testing.T) {
	h := withDomains(t)
	for _, path := range []string{"/openapi.json", "/.well-known/jwks.json", "/errors/gone"} {
		for origin, want := range map[string]string{"https://other.example": "https://other.example", "https://nobody.example": ""} {
			w := h.do("GET", path, "", "Origin", origin)
			h.status(w, http.StatusOK, path)
			equal(t, want, granted(w)["Access-Control-Allow-Origin"], path, origin)
			equal(t, true, strings.HasPrefix(varies(w), "Accept-Encoding, Origin"), path, varies(w))
		}
	}
}

// What a page may read changes with the allowlist.
func TestCORS_FollowsTheAllowlist(t *testing.T) {
	h := newFixture(t)
	readable := func() bool {
		return len(granted(h.get("/v1.1/brands", "Origin", "https://page.example"))) > 0 &&
			len(granted(h.do("OPTIONS", "/v1.1/brands", "", "Origin", "https://page.example"))) > 0
	}
	if readable() {
		t.Error("before it was listed")
	}
	h.status(h.post("/v1.1/app/allowlist", "domain=https://www.Page.example:8080/path"), http.StatusOK)
	if !readable() {
		t.Error("not when it was listed")
	}
	h.status(h.post("/v1.1/app/unallowlist", "domain=page.example"), http.StatusOK)
	if readable() {
		t.Error("after it was taken from the list")
	}
}
