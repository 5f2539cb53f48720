package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/wire"
)

// network is one in process: it knows tokens by their users, and answers what it is made to.
type network struct {
	*httptest.Server
	mu     sync.Mutex
	users  map[string]string // by token
	fails  bool
	checks int

	grants map[string]string // the answer to each refresh token
	asked  []string          // the refresh tokens that came
	before func()            // comes before an answer; nil: nothing
}

// withNetwork is a fixture whose spotify has a check and a token endpoint at a network in process,
// and deezer a check that is away.
func withNetwork(t *testing.T) (*fixture, *network) {
	t.Helper()
	n := &network{users: map[string]string{"good": "u-7", "other": "u-8"}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /me", n.me)
	mux.HandleFunc("POST /token", n.token)
	n.Server = httptest.NewServer(mux)
	h := newFixture(t)
	text := fmt.Sprintf(`{
		"spotify": {"token_endpoint": "%s/token", "client_id": "c", "client_secret": "s", "check": {"url": "%[1]s/me", "uid": "id"}},
		"deezer": {"check": {"url": "http://127.0.0.1:1/", "uid": "id"}}}`, n.URL)
	asked, err := networks.Open([]byte(text), h.config.Logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = asked.Close()
		n.Close()
	})
	h.renew(func(c *Config) { c.Networks = asked })
	return h, n
}

// me answers whose token it is.
func (n *network) me(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checks++
	user := n.users[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	switch {
	case n.fails:
		w.WriteHeader(http.StatusBadGateway)
	case user == "":
		w.WriteHeader(http.StatusUnauthorized)
	default:
		fmt.Fprintf(w, `{"id":%q}`, user)
	}
}

// token answers a refresh token.
func (n *network) token(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	given := r.PostFormValue("refresh_token")
	n.asked = append(n.asked, given)
	if n.before != nil {
		n.before()
	}
	w.Header().Set("Content-Type", "application/json")
	switch answer, known := n.grants[given]; {
	case n.fails:
		w.WriteHeader(http.StatusBadGateway)
	case !known:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant","error_description":"`+given+`"}`)
	default:
		_, _ = io.WriteString(w, answer)
	}
}

// refreshed are the refresh tokens that came since the last time.
func (n *network) refreshed() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := strings.Join(n.asked, " ")
	n.asked = nil
	return out
}

// fail has the network answer nothing useful, or answer again.
func (n *network) fail(fails bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fails = fails
}

// checked is how often the network was asked whose a token is, since the last time.
func (n *network) checked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.checks
	n.checks = 0
	return c
}

// socials are the operations that take an authtoken.
var socials = []string{"/v1.1/member/register", "/v1.1/member/4097/register", "/v1.1/member/login"}

// An authtoken is checked at its network before anything is submitted: that of another user and one
// that the network refuses are error 4, and while the network is away it is error 11.
func TestAuthToken_IsChecked(t *testing.T) {
	for _, target := range socials {
		h, n := withNetwork(t)
		h.status(h.post(target, "service=spotify&uid=u-7&authtoken=good"), http.StatusOK, target)
		if n.checked() != 1 || len(h.engine.submitted) != 1 {
			t.Errorf("%s: %d submissions", target, len(h.engine.submitted))
		}
		for _, wrong := range []string{"other", "unknown", "a b", "%C3%A9", "good%0d%0aX:+y"} {
			w := h.post(target, "service=spotify&uid=u-7&authtoken="+wrong)
			h.refused(w, domain.InvalidParameter, "authtoken")
			if strings.Contains(w.Body.String(), "unknown") {
				t.Errorf("%s: the answer quotes the token: %s", target, w.Body)
			}
		}
		h.refused(h.post(target, "service=spotify&uid=U-7&authtoken=good"), domain.InvalidParameter, "authtoken")
		n.fail(true)
		w := h.post(target, "service=spotify&uid=u-7&authtoken=good")
		h.refused(w, domain.Unavailable, "")
		if w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", target)
		}
		h.refused(h.post(target, "service=deezer&uid=u-7&authtoken=good"), domain.Unavailable, "")
		if len(h.engine.submitted) != 1 {
			t.Errorf("%s: %d submissions of what was not confirmed", target, len(h.engine.submitted)-1)
		}
		for _, missing := range []string{"service=spotify&uid=u-7", "service=spotify&uid=u-7&authtoken="} {
			h.refused(h.post(target, missing), domain.MissingParameter, "authtoken")
		}
		if strings.Contains(h.log.String(), "good") || strings.Contains(h.log.String(), "u-7") {
			t.Errorf("logged: %s", h.log)
		}
	}
}

// A network without a check is the word of the key's holder: nothing is asked; email neither.
func TestAuthToken_NotConfigured(t *testing.T) {
	h, n := withNetwork(t)
	for _, body := range []string{"service=tumblr&uid=u-7&authtoken=x", "service=email&email=a@b.example&password=correct+horse"} {
		for _, target := range socials[:2] {
			h.status(h.post(target, body), http.StatusOK, target, body)
		}
	}
	h.refused(h.post("/v1.1/member/login", "service=tumblr&uid=u-7&authtoken=x"), domain.NoAccount, "")
	if n.checked() != 0 {
		t.Error("a network is asked about another's token")
	}
}

// What the request is refused for without its network asks none.
func TestAuthToken_BadRequestsAskNobody(t *testing.T) {
	h, n := withNetwork(t)
	for _, target := range socials {
		h.refused(h.post(target, "service=spotify&uid=u-7&authtoken=good&ip=x"), domain.InvalidParameter, "ip")
	}
	h.refused(h.post("/v1.1/member/register", "service=spotify&uid=u-7&authtoken=good&birthdate=24-12-2099"), domain.InvalidParameter, "birthdate")
	h.refused(h.do("POST", "/v1.1/member/login?apiKey=x", "service=spotify&uid=u-7&authtoken=good"), domain.InvalidKey, "apiKey")
	if n.checked() != 0 {
		t.Error("the network is asked")
	}
}

// A repeat with the same Idempotency-Key gets its outcome whatever the network says by then, and does
// not ask it; without a key, with another one, another token or another user it is asked.
func TestAuthToken_RepeatAsksOnce(t *testing.T) {
	for _, target := range socials {
		h, n := withNetwork(t)
		const body = "service=spotify&uid=u-7&authtoken="
		n.fail(true)
		h.refused(h.post(target, body+"good", "Idempotency-Key", "k"), domain.Unavailable, "")
		n.fail(false)
		h.status(h.post(target, body+"good", "Idempotency-Key", "k"), http.StatusOK, target)
		equal(t, 2, n.checked(), target)
		n.fail(true)
		h.status(h.post(target, body+"good", "Idempotency-Key", "k"), http.StatusOK, target)
		equal(t, 0, n.checked(), target)
		n.fail(false)
		h.refused(h.post(target, body+"unknown", "Idempotency-Key", "k"), domain.InvalidParameter, "authtoken")
		h.refused(h.post(target, "service=spotify&uid=u-8&authtoken=good", "Idempotency-Key", "k"), domain.InvalidParameter, "authtoken")
		h.status(h.post(target, body+"good", "Idempotency-Key", "k2"), http.StatusOK, target)
		h.status(h.do("POST", keyed(target, keyEnterprise), body+"good", "Idempotency-Key", "k"), http.StatusOK, target)
		h.status(h.post(target, body+"good"), http.StatusOK, target)
		h.status(h.post(target, body+"good"), http.StatusOK, target)
		equal(t, 6, n.checked(), target)
	}
}

// A public key registers and logs in by a network that checks authtoken, and attaches it to the
// member of the Bearer; a network without a check is error 15.
func TestPublicKey_UsesCheckedNetworks(t *testing.T) {
	h, n := withNetwork(t)
	post := func(target, body string, headers ...string) *httptest.ResponseRecorder {
		return h.do("POST", keyed(target, keyPublic), body, headers...)
	}
	ada := as(h.jwtOf(4097, keyEnterprise))
	for _, target := range socials {
		var headers []string
		if strings.Contains(target, "4097") {
			h.refused(post(target, "service=spotify&uid=u-7&authtoken=good"), domain.WrongApplication, "Authorization")
			headers = ada
		}
		h.refused(post(target, "service=spotify&uid=u-7&authtoken=other", headers...), domain.InvalidParameter, "authtoken")
		h.refused(post(target, "service=tumblr&uid=u-7&authtoken=good", headers...), domain.WrongApplication, "service")
		e := post(target, "service=spotify&uid=u-7&authtoken=good", headers...)
		h.status(e, http.StatusOK, target)
	}
	equal(t, 6, n.checked())
	h.refused(post("/v1.1/member/register", "service=spotify&uid=u-7&authtoken=good&id=4097"), domain.WrongApplication, "id")
	if e := answered[wire.Envelope](h, post("/v1.1/member/login", "service=spotify&uid=u-7&authtoken=good")); e.Data.ID == 0 {
		t.Errorf("%+v", e)
	}
}

// RoundTrip answers instead of a network.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	f(w, r)
	return w.Result(), nil
}

type roundTrip http.HandlerFunc

// endpoint is a token endpoint of spotify, which takes any refresh token.
func endpoint(t testing.TB) *networks.Networks {
	t.Helper()
	n, err := networks.Open([]byte(`{"spotify": {"token_endpoint": "https://net.example/token", "client_id": "ovation"}}`), discarded)
	if err != nil {
		t.Fatal(err)
	}
	return n.Over(roundTrip(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"token-2","refresh_token":"refresh-2","expires_in":3600}`)
	}))
}
