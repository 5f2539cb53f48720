package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
)

// A slash that is encoded is no separator: rules of a proxy in front would not see it.
func TestPath_EncodedSlashIsNoSeparator(t *testing.T) {
	h := newFixture(t)
	for _, path := range []string{
		"/v1.1%2fbrands", "/v1.1%2Fbrands", "/v1.1/brand%2f1", "/v1.1/brand/1%2fstats/activity", "/v1.1/member/4097%2Fshow", "/%2fv1.1/brands", "/docs%2fpage.js",
		"/errors%2fgone", "/v1.1%2Foptin", "/V1.1%2fbrands",
	} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			h.refused(h.do(method, keyed(path, keyAdvanced), ""), domain.NotFound, "")
		}
	}
}

// No cache keeps an answer that is of now or of the key: a redirect, an error before the key is
// known.
func TestPath_NothingOfNowIsKept(t *testing.T) {
	h := newFixture(t)
	for _, w := range []*httptest.ResponseRecorder{
		h.get("/v1.1/Brands"), h.post("/v1.1/Optin", "id=4097"), h.get("/v1.1/nothing"), h.get("/v1.0/brands"), h.do("PUT", "/v1.1/brands", ""),
		h.do("GET", "/v1.1/brands", ""), h.do("GET", keyed("/v1.1/brands", keyRevoked), ""), h.get("/avatar/x.svg"), h.get("/errors/none"),
		h.do("GET", "/v1.1%2fbrands", ""),
	} {
		if got := w.Header().Get("Cache-Control"); w.Code < 300 || got != "no-store" {
			t.Errorf("%d %s: Cache-Control %q", w.Code, w.Body, got)
		}
	}
	// The key of a header is in no address.
	if to := h.do("GET", "/v1.1/Brands", "", "X-API-Key", keyAdvanced).Header().Get("Location"); to != "/v1.1/brands" {
		t.Errorf("Location %q", to)
	}
}

// What an error means is a page for those who want HTML most.
func TestErrorPage_Accept(t *testing.T) {
	h := newFixture(t)
	for accept, html := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "text/*": false, "text/html": true, "text/html,application/xhtml+xml,*/*;q=0.8": true,
		"text/html;q=0": false, "text/html; q=0.0, */*": false, "application/json, text/html;q=0.5": false, "application/json;q=0.5, text/html;q=0.9": true,
		"text/html;q=0.5, */*;q=0.9": false, "text/html;q=x": true, "TEXT/HTML": true, "text/html;level=1": true, ",;": false,
	} {
		w := h.do("GET", "/errors/gone", "", "Accept", accept)
		if got := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html"); got != html || w.Code != http.StatusOK {
			t.Errorf("%q: %d %s", accept, w.Code, w.Header().Get("Content-Type"))
		}
	}
}

// The words of error 18 are of the operation: a merge has no password.
func TestProblem_WordsOfMergesAndLogins(t *testing.T) {
	h := newFixture(t)
	w := h.post("/v1.1/member/4097/merge", "from=8195&accesstoken="+strings.Repeat("0", 32)+"_1")
	h.refused(w, domain.WrongPassword, "accesstoken")
	p, _ := problemOf(w)
	if strings.Contains(strings.ToLower(p.Title+p.Detail), "password") || p.Title != "Wrong access token" {
		t.Errorf("%+v", p)
	}
	if got := problem.Of(domain.Bad(domain.WrongPassword, "password", "the password is wrong")); got.Title != "Wrong password" {
		t.Errorf("%+v", got)
	}
}
