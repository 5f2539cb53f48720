package api

import (
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestAddressesHaveTheHostThatWasAskedUnlessOneIsConfigured(t *testing.T) {
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
		h.api.ByHost = c.byHost
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

// A walk by offset that cannot go on says so: what is behind its end is reached by cursor.
func TestPaging_TheEndOfAWalkByOffsetIsTold(t *testing.T) {
	h := newFixture(t)
	for query, want := range map[string]string{"limit=99000,1000": "next", "limit=100000,1000": "ends here, with 20000 rows more"} {
		h.engine.answer = always(&domain.Answer{Feed: &domain.Feed{Total: 121_000}})
		w := h.get("/v1.1/activity/feed?all_member_actions=1&" + query)
		if got := w.Header().Get("Link") + w.Header().Get("Warning"); !strings.Contains(got, want) || strings.Contains(w.Header().Get("Link"), "next") != (want == "next") {
			t.Errorf("%s: %d %q", query, w.Code, got)
		}
	}
}
