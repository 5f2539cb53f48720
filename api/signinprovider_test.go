package api

import (
	"net/http"
	"testing"
)

// fakeSignIns is a provider that sends browsers on at once.
type fakeSignIns struct{}

func (fakeSignIns) Answer(w http.ResponseWriter, r *http.Request) string {
	w.Header().Set("Set-Cookie", "a=b")
	return "/#at=" + r.URL.Path
}

func (fakeSignIns) Issuer() string { return "login.example.com" }

// The page learns whether there is a provider; the other paths are there where there is one, and are read alone. Nothing of it is cached.
func TestSignIn_ByAProvider(t *testing.T) {
	h := newFixture(t)
	ask := func(method, path string, status int, header, want string) {
		t.Helper()
		w := browser{}.asks(h.api, method, path, "")
		if w.Code != status || header == "" && w.Body.String() != want || header != "" && w.Header().Get(header) != want {
			t.Errorf("%s %s: %d %v %s", method, path, w.Code, w.Header(), w.Body)
		}
		if got := w.Header().Get("Cache-Control"); status < 400 && method == http.MethodGet && got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
	}
	ask(http.MethodGet, "/console/oidc/issuer", http.StatusOK, "", "{\"issuer\":\"\"}\n")
	ask(http.MethodGet, "/console/oidc", http.StatusNotFound, "Location", "")
	ask(http.MethodGet, "/console/oidc/callback", http.StatusNotFound, "Location", "")
	h.api.Config.SignIns = fakeSignIns{}
	ask(http.MethodGet, "/console/oidc/issuer", http.StatusOK, "", "{\"issuer\":\"login.example.com\"}\n")
	for _, path := range []string{"/console/oidc", "/console/oidc/callback"} {
		ask(http.MethodGet, path, http.StatusSeeOther, "Location", "/#at="+path)
		ask(http.MethodPost, path, http.StatusMethodNotAllowed, "Allow", "GET, HEAD")
		ask(http.MethodOptions, path, http.StatusNoContent, "Allow", "GET, HEAD, OPTIONS")
	}
	ask(http.MethodGet, "/console/oidc/other", http.StatusNotFound, "Location", "")
	ask(http.MethodGet, "/console/oidcx", http.StatusNotFound, "Location", "")
}
