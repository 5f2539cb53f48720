package networks

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Values that no log line and no error may have.
const (
	theToken   = "token-sensitive"
	theRefresh = "refresh-sensitive"
	theNext    = "next-sensitive"
	theSecret  = "secret-sensitive"
	theUser    = "user-sensitive"
)

// fixture is spotify with a network in process behind its addresses.
type fixture struct {
	*Networks
	t       *testing.T
	said    *bytes.Buffer // the log
	handler http.HandlerFunc
	asked   []*http.Request // with their forms read
	mu      sync.Mutex
}

// TestMain checks that no goroutine outlives the tests, but for what net/http does half a second after
// a connection is closed.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// newFixture is a network that answers with the handler.
func newFixture(t *testing.T, handler http.HandlerFunc) *fixture {
	t.Helper()
	f := &fixture{t: t, said: new(bytes.Buffer), handler: handler}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		f.mu.Lock()
		f.asked = append(f.asked, r)
		handler := f.handler
		f.mu.Unlock()
		handler(w, r)
	}))
	f.Networks = opened(t, fmt.Sprintf(`{"spotify": {
		"token_endpoint": "%s/token", "client_id": "client-7", "client_secret": "%s",
		"check": {"url": "%s/me", "uid": "user.id"}}}`, server.URL, theSecret, server.URL), f.said)
	t.Cleanup(func() {
		_ = f.Close()
		server.Close()
		if strings.Contains(f.said.String(), "sensitive") {
			t.Errorf("logged: %s", f.said)
		}
	})
	return f
}

// opened are the networks of a text.
func opened(t *testing.T, text string, said *bytes.Buffer) *Networks {
	t.Helper()
	n, err := Open([]byte(text), slog.New(slog.NewTextHandler(said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// serve has the network answer with another handler from now on, and forgets what it was asked.
func (f *fixture) serve(handler http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handler, f.asked = handler, nil
}

// requests are what the network was asked.
func (f *fixture) requests() []*http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// check checks the token of the user.
func (f *fixture) check() error {
	return f.Check(f.t.Context(), domain.Spotify, theToken, theUser)
}

// refreshed asks for a new token.
func (f *fixture) refreshed() (Credentials, error) {
	return f.Refresh(f.t.Context(), domain.Spotify, theRefresh)
}

// answers is a handler that always answers the same.
func answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// wantUnavailable checks an error to be Unavailable, of the cause, and to quote nothing.
func wantUnavailable(t *testing.T, name string, err error, cause string) {
	t.Helper()
	if domain.CodeOf(err) != domain.Unavailable || !strings.Contains(err.Error(), cause) || strings.Contains(err.Error(), "sensitive") {
		t.Errorf("%s: %v, want Unavailable of %q", name, err, cause)
	}
}

// useless are answers of both kinds of addresses that say nothing, and what is said of each.
func useless(t *testing.T) map[string]struct {
	handler http.HandlerFunc
	check   string
	refresh string
} {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect is followed") }))
	t.Cleanup(elsewhere.Close)
	huge := `{"user":{"id":"` + theUser + `"},"access_token":"` + theToken + `","more":"` + strings.Repeat("sensitive", maxAnswer/9) + `"}`
	return map[string]struct {
		handler http.HandlerFunc
		check   string
		refresh string
	}{
		"an empty answer":     {answers(200, ""), "no JSON", "no token"},
		"garbage":             {answers(200, "<html>"+theToken), "no JSON", "no token"},
		"two objects":         {answers(200, `{"user":{"id":"`+theUser+`"},"access_token":"x"}{}`), "no JSON", "no token"},
		"another object":      {answers(200, `{"users":[],"token":"x"}`), `at "user.id"`, "no token"},
		"other types":         {answers(200, `{"user":{"id":true},"access_token":7}`), `at "user.id"`, "no token"},
		"a list":              {answers(200, `["`+theUser+`"]`), `at "user.id"`, "no token"},
		"an empty text":       {answers(200, `{"user":{"id":""},"access_token":""}`), `at "user.id"`, "no token"},
		"a huge answer":       {answers(200, huge), "over 64 KiB", "no token"},
		"a failure":           {answers(500, `{"error":"`+theToken+`"}`), "status is 500", "status is 500"},
		"a limit":             {answers(429, theToken), "status is 429", "status is 429"},
		"no such page":        {answers(404, ""), "status is 404", "status is 404"},
		"a redirect":          {answers(302, "", "Location", elsewhere.URL+"/?sensitive"), "status is 302", "status is 302"},
		"a redirect of POSTs": {answers(307, "", "Location", elsewhere.URL), "status is 307", "status is 307"},
		"no content":          {answers(204, ""), "status is 204", "no token"},
		"a connection's end":  {hangsUp, "no answer", "no token"},
		"no HTTP":             {noHTTP, "no answer that is HTTP", "no token"},
	}
}

// hangsUp ends the connection.
func hangsUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// noHTTP answers with the token, and not in HTTP.
func noHTTP(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = conn.Write([]byte(theToken + "\r\n\r\n"))
		_ = conn.Close()
	}
}
