package api

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// keyPrefixed is a key as the operator's commands make them.
const keyPrefixed = "ov_prefixed"

// withPrefixedKey is a fixture that also has keyPrefixed, of the application of keyEnterprise.
func withPrefixedKey(t *testing.T) *fixture {
	h := newFixture(t)
	h.engine.addKey(keyPrefixed, domain.Key{Account: 1, Application: 3, Scope: domain.ScopeApplication})
	return h
}

// keyRoads are the ways to give a key in a header.
var keyRoads = map[string]func(key string) []string{
	"X-API-Key":        func(key string) []string { return []string{"X-API-Key", key} },
	"Bearer":           func(key string) []string { return []string{"Authorization", "Bearer " + key} },
	"bearer, blanks":   func(key string) []string { return []string{"Authorization", "bearer   " + key + " "} },
	"both, the same":   func(key string) []string { return []string{"X-API-Key", key, "Authorization", "Bearer " + key} },
	"beside no Bearer": func(key string) []string { return []string{"X-API-Key", key, "Authorization", "Basic eDp5"} },
}

// A header has the key of any operation, alone or beside the same key in the query or the body.
func TestKeyHeader_IsTaken(t *testing.T) {
	names := slices.Sorted(maps.Keys(keyRoads))
	for i, o := range Operations() {
		target, params := exampled(o)
		query, body := params.Encode(), ""
		also := []string{"nothing", "query"}
		switch {
		case o.Each != nil:
			body = exampleRecord(o)
		case o.Method == http.MethodPost:
			query, body = "", query
			also = append(also, "body")
		}
		for k, place := range also {
			name := names[(i+k)%len(names)]
			query, body := query, body
			switch place {
			case "query":
				query += "&apiKey=" + keyPrefixed
			case "body":
				body += "&apikey=" + keyPrefixed
			}
			h := withPrefixedKey(t)
			if w := h.do(o.Method, target+"?"+query, body, keyRoads[name](keyPrefixed)...); w.Code != http.StatusOK && w.Code != http.StatusAccepted {
				t.Errorf("%s, %s, also in %s: %d %s", name, o.Name(), place, w.Code, w.Body)
			}
		}
	}
}

// Two keys that differ are error 2, wherever they are, and so is a header with a key that is
// unknown or revoked.
func TestKeyHeader_KeysThatDiffer(t *testing.T) {
	h := withPrefixedKey(t)
	asked := map[string]*httptest.ResponseRecorder{
		"header and query":       h.do("GET", "/v1.1/brands?apiKey="+keyAdvanced, "", "X-API-Key", keyPrefixed),
		"Bearer and query":       h.do("GET", "/v1.1/brands?apiKey="+keyAdvanced, "", "Authorization", "Bearer "+keyPrefixed),
		"both headers":           h.do("GET", "/v1.1/brands", "", "X-API-Key", keyAdvanced, "Authorization", "Bearer "+keyPrefixed),
		"header and form":        h.do("POST", "/v1.1/optin", "id=4097&apiKey="+keyAdvanced, "X-API-Key", keyPrefixed),
		"header and JSON":        h.do("POST", "/v1.1/optin", `{"id":4097,"APIKEY":"x"}`, "X-API-Key", keyPrefixed),
		"header and a number":    h.do("POST", "/v1.1/optin", `{"id":4097,"apiKey":7}`, "X-API-Key", keyPrefixed),
		"header and null":        h.do("POST", "/v1.1/optin", `{"id":4097,"apiKey":null}`, "X-API-Key", keyPrefixed),
		"query and form":         h.do("POST", "/v1.1/optin?apiKey=x", "id=4097", "X-API-Key", keyPrefixed),
		"records, header, query": h.do("POST", "/v1.1/activities/record?apiKey="+keyAdvanced, "{}", "X-API-Key", keyPrefixed),
		"query twice":            h.do("GET", "/v1.1/brands?apiKey="+keyAdvanced+"&APIKEY="+keyPrefixed, ""),
		"query twice, one none":  h.do("GET", "/v1.1/brands?apiKey="+keyAdvanced+"&APIKEY=x&apikey="+keyAdvanced, ""),
		"form twice":             h.do("POST", "/v1.1/optin", "id=4097&apiKey="+keyPrefixed+"&apikey="+keyAdvanced),
		"JSON twice":             h.do("POST", "/v1.1/optin", `{"id":4097,"apiKey":"`+keyPrefixed+`","apikey":"`+keyAdvanced+`"}`),
		"query and its form":     h.do("POST", "/v1.1/optin?apiKey="+keyPrefixed, "id=4097&apikey="+keyAdvanced),
		"query and null":         h.do("POST", "/v1.1/optin?apiKey="+keyPrefixed, `{"id":4097,"apikey":null}`),
		"unknown":                h.do("GET", "/v1.1/brands", "", "X-API-Key", "ov_unknown"),
		"unknown Bearer":         h.do("GET", "/v1.1/brands", "", "Authorization", "Bearer ov_unknown"),
		"revoked":                h.do("GET", "/v1.1/brands", "", "X-API-Key", keyRevoked),
	}
	for name, w := range asked {
		t.Run(name, func(t *testing.T) { h.refused(w, domain.InvalidKey, "apiKey") })
	}
	if len(h.engine.submitted) > 0 {
		t.Errorf("%d commands of requests with two keys", len(h.engine.submitted))
	}
}

// A Bearer that does not begin as keys do is a member's token and no key; an empty header is none.
func TestKeyHeader_OrdinaryBearerIsNoKey(t *testing.T) {
	h := withPrefixedKey(t)
	jwt := h.jwtOf(4097, keyPrefixed)
	h.status(h.do("GET", "/v1.1/member", "", "X-API-Key", keyPrefixed, "Authorization", "Bearer "+jwt), http.StatusOK)
	for _, headers := range [][]string{
		{"Authorization", "Bearer " + jwt}, {"Authorization", "Bearer " + keyAdvanced}, {"X-API-Key", ""}, {"Authorization", "Basic " + keyPrefixed}, nil,
	} {
		h.refused(h.do("GET", "/v1.1/brands", "", headers...), domain.MissingKey, "apiKey")
	}
	r := httptest.NewRequest("GET", "https://api.example/v1.1/brands", nil)
	r.Header["Authorization"] = []string{"Bearer " + keyPrefixed, "Bearer " + jwt}
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	h.refused(w, domain.InvalidKey, "Authorization")
}

// What holds for a key in the query holds for one in a header: scope, plan, limits, usage, the
// allowlist of its application.
func TestKeyHeader_SameRules(t *testing.T) {
	h := withDomains(t)
	h.refused(h.do("GET", "/v1.1/brands", "", "X-API-Key", keyPublic), domain.WrongApplication, "")
	h.refused(h.do("POST", "/v1.1/optin", "id=4097", "X-API-Key", keyGlobal), domain.WrongApplication, "")
	h.refused(h.do("POST", "/v1.1/brand/create", "name=x&type=y", "X-API-Key", keyStandard), domain.PlanRequired, "")
	hits := h.engine.hits
	w := h.do("GET", "/v1.1/brands", "", "X-API-Key", keyAdvanced, "Origin", "https://example.com")
	h.status(w, http.StatusOK)
	if w.Header().Get("Ratelimit-Limit") == "" || h.engine.hits != hits+1 || len(granted(w)) == 0 {
		t.Errorf("%v, %d hits", w.Header(), h.engine.hits-hits)
	}
	tag := w.Header().Get("Etag")
	h.status(h.do("GET", "/v1.1/brands", "", "X-API-Key", keyAdvanced, "If-None-Match", tag), http.StatusNotModified)
	h.status(h.get("/v1.1/brands", "If-None-Match", tag), http.StatusNotModified)
}

// No answer, address or log holds the key of a header.
func TestKeyHeader_IsNowhere(t *testing.T) {
	for _, road := range keyRoads {
		h := withPrefixedKey(t)
		log := h.accessed()
		targets := []string{
			"/v1.1/brands?limit=1", "/v1.1/brands?limit=1&cursor=", "/v1.1/brands?limit=x", "/v1.1/Brands", "/v1.1/nothing", "/v1.1/brand/77",
			"/v1.1/activity/feed.rss", "/v1.1/brand/1/stats/members?explain=1", "/v1.1/brand/1/edit",
		}
		for _, target := range targets {
			w := h.do("GET", target, "", road(keyPrefixed)...)
			var all strings.Builder
			_ = w.Header().Write(&all)
			if strings.Contains(all.String()+w.Body.String(), keyPrefixed) {
				t.Errorf("%s: the answer has the key: %s%s", target, all.String(), w.Body)
			}
		}
		if text := log.String() + h.log.String(); strings.Contains(text, keyPrefixed) {
			t.Errorf("a log has the key: %s", text)
		}
	}
}

// A further page is asked for by its address as it is, with the header alone.
func TestKeyHeader_FollowsAPage(t *testing.T) {
	h := withPrefixedKey(t)
	var list struct {
		Paging struct{ Next string }
	}
	h.ok(h.do("GET", "/v1.1/brands?limit=1&cursor=", "", "X-API-Key", keyPrefixed), &list)
	next, err := url.Parse(list.Paging.Next)
	if err != nil || next.Path != "/v1.1/brands" {
		t.Fatalf("%q: %v", list.Paging.Next, err)
	}
	h.status(h.do("GET", next.RequestURI(), "", "X-API-Key", keyPrefixed), http.StatusOK)
}
