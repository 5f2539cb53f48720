package api

import (
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddressesHaveTheHostThatWasAskedUnlessOneIsConfigured(t *testing.T) {
	h := newHouse(t)
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
