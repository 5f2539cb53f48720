package oidc_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/oidc"
	"github.com/ovation-analytics/ovation/api/console/oidc/oidctest"
)

// console is a port with a provider, and a browser.
type console struct {
	t        *testing.T
	provider *oidctest.Provider
	config   oidc.Config
	port     *httptest.Server
	jar      http.CookieJar
	now      time.Time
	made     []domain.CreateLink
	fails    error // of the link
	log      bytes.Buffer
}

func newConsole(t *testing.T) *console {
	t.Helper()
	c := &console{t: t, provider: oidctest.New(t), now: time.Now()}
	c.port = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", oidc.New(c.config).Answer(w, r)) // each request at another node
		w.WriteHeader(http.StatusSeeOther)
	}))
	t.Cleanup(c.port.Close)
	c.provider.SignsIn(map[string]any{"name": "Ada", "groups": []string{"staff", "label-editors"}})
	c.config = oidc.Config{
		Issuer: c.provider.URL, ClientID: oidctest.ClientID, Secret: oidctest.Secret, BaseURL: c.port.URL, Claim: "groups", Key: [16]byte{1},
		Grants: []oidc.Grant{{Value: "label-developers", Role: domain.RoleDeveloper, Account: 2}, {Value: "label-editors", Role: domain.RoleEditor, Account: 1}, {Value: "staff", Role: domain.RoleAnalyst, Account: 3}},
		Now:    func() time.Time { return c.now }, Logger: slog.New(slog.NewTextHandler(&c.log, nil)),
		Link: func(_ context.Context, of domain.CreateLink, life time.Duration) (string, error) {
			if life != time.Minute {
				t.Errorf("the link is good for %s", life)
			}
			c.made = append(c.made, of)
			return "/#in=token", c.fails
		},
	}
	c.forget()
	return c
}

// forget has the browser forget its cookies.
func (c *console) forget() { c.jar, _ = cookiejar.New(nil) }

// browse goes from an address on until one is neither the provider's nor of the package, and gives it with the addresses before.
func (c *console) browse(address string) (last string, passed []string) {
	c.t.Helper()
	client := &http.Client{Jar: c.jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 5 {
		w, err := client.Get(address)
		if err != nil {
			c.t.Fatal(err)
		}
		w.Body.Close()
		to, err := w.Location()
		if err != nil {
			c.t.Fatalf("%s answers %s", address, w.Status)
		}
		if to.Path == "/" {
			return strings.TrimPrefix(to.String(), c.port.URL), passed
		}
		address = to.String()
		passed = append(passed, address)
	}
	c.t.Fatal("it goes on and on")
	return "", nil
}

// signIn signs in.
func (c *console) signIn() string {
	c.t.Helper()
	last, _ := c.browse(c.port.URL + oidc.Path)
	return last
}

// Who signs in at the provider gets a link with the role and the account of the first grant for its groups.
func TestProvider_SignsIn(t *testing.T) {
	c := newConsole(t)
	if got := c.signIn(); got != "/#in=token" {
		t.Fatalf("it ends at %s\n%s", got, &c.log)
	}
	want := domain.CreateLink{Role: domain.RoleEditor, Account: 1, Name: "Ada"}
	if len(c.made) != 1 || c.made[0] != want {
		t.Errorf("%+v", c.made)
	}
	for name, of := range map[string]struct {
		claims map[string]any
		want   domain.CreateLink
	}{
		"one group as a text": {map[string]any{"groups": "staff", "preferred_username": "ada"}, domain.CreateLink{Role: domain.RoleAnalyst, Account: 3, Name: "ada"}},
		"of two grants":       {map[string]any{"groups": []string{"staff", "label-developers"}, "email": "a@b.c"}, domain.CreateLink{Role: domain.RoleDeveloper, Account: 2, Name: "a@b.c"}},
		"a name of any signs": {map[string]any{"groups": "staff", "name": "A\x00d\na" + strings.Repeat("ä", 300)}, domain.CreateLink{Role: domain.RoleAnalyst, Account: 3, Name: "Ada" + strings.Repeat("ä", 48)}},
		"without a name":      {map[string]any{"groups": "staff", "name": 7}, domain.CreateLink{Role: domain.RoleAnalyst, Account: 3}},
	} {
		c.made = nil
		c.provider.SignsIn(of.claims)
		if got := c.signIn(); got != "/#in=token" || len(c.made) != 1 || c.made[0] != of.want {
			t.Errorf("%s: %s, %+v", name, got, c.made)
		}
	}
}

// A claim counts by exact values alone, and an address when it was verified.
func TestProvider_Unknown(t *testing.T) {
	c := newConsole(t)
	for name, claims := range map[string]map[string]any{
		"none":        {},
		"others":      {"groups": []any{"label", "label-editors ", "LABEL-EDITORS", 7, nil}},
		"not a list":  {"groups": map[string]any{"label-editors": true}},
		"other claim": {"roles": []string{"label-editors"}},
	} {
		c.provider.SignsIn(claims)
		if got := c.signIn(); got != "/#oidc=unknown" || len(c.made) > 0 {
			t.Errorf("%s: %s, %+v", name, got, c.made)
		}
	}
	c.config.Claim, c.config.Grants = "email", []oidc.Grant{{Value: "ada@label.example", Role: domain.RoleEditor, Account: 1}}
	for verified, want := range map[any]string{nil: "/#oidc=unknown", false: "/#oidc=unknown", "true": "/#oidc=unknown", true: "/#in=token"} {
		c.provider.SignsIn(map[string]any{"email": "ada@label.example", "email_verified": verified})
		if got := c.signIn(); got != want {
			t.Errorf("verified %v: %s", verified, got)
		}
	}
}

// An ID token that is not the provider's, not for this client or not of this sign-in signs nobody in, and nothing of it is logged.
func TestProvider_Forged(t *testing.T) {
	c := newConsole(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	with := func(more map[string]any) func(map[string]any, *ecdsa.PrivateKey) string {
		return func(claims map[string]any, key *ecdsa.PrivateKey) string {
			maps.Copy(claims, more)
			return oidctest.Sign(claims, key)
		}
	}
	for name, alter := range map[string]func(map[string]any, *ecdsa.PrivateKey) string{
		"another key":    func(claims map[string]any, _ *ecdsa.PrivateKey) string { return oidctest.Sign(claims, other) },
		"another client": with(map[string]any{"aud": "other"}),
		"another party":  with(map[string]any{"aud": []string{oidctest.ClientID, "other"}, "azp": "other"}),
		"another issuer": with(map[string]any{"iss": "https://other.example"}),
		"another nonce":  with(map[string]any{"nonce": "other"}),
		"no nonce":       with(map[string]any{"nonce": ""}),
		"over":           with(map[string]any{"exp": c.now.Add(-time.Minute).Unix()}),
		"not signed":     unsigned,
		"no token":       func(map[string]any, *ecdsa.PrivateKey) string { return "" },
		"rubbish":        func(map[string]any, *ecdsa.PrivateKey) string { return "a.b.c" },
		"a huge answer":  func(map[string]any, *ecdsa.PrivateKey) string { return strings.Repeat("x", 3<<20) },
	} {
		c.provider.Alters(alter)
		if got := c.signIn(); got != "/#oidc=failed" || len(c.made) > 0 {
			t.Errorf("%s: %s, %+v", name, got, c.made)
		}
	}
	c.provider.Alters(nil)
	c.fails = errors.New("no such account")
	if got := c.signIn(); got != "/#oidc=failed" {
		t.Errorf("without the account: %s", got)
	}
	for _, secret := range []string{"Ada", "code=", "eyJ", oidctest.Secret, "label-editors"} {
		if strings.Contains(c.log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, &c.log)
		}
	}
}

// unsigned is an ID token without a signature.
func unsigned(claims map[string]any, _ *ecdsa.PrivateKey) string {
	b, _ := json.Marshal(claims)
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part(b) + "."
}

// A sign-in ends in the browser that began it, once, within ten minutes, and with the state that it had: whatever node begins and
// ends it.
func TestProvider_Attempts(t *testing.T) {
	c := newConsole(t)
	begun := func() (callback string) {
		t.Helper()
		c.forget()
		last, passed := c.browse(c.port.URL + oidc.Path)
		if last != "/#in=token" || len(passed) != 2 {
			t.Fatalf("%s after %q", last, passed)
		}
		return passed[1]
	}
	callback := begun()
	if got, _ := c.browse(callback); got != "/#oidc=late" {
		t.Errorf("once more: %s", got)
	}
	c.forget()
	for name, address := range map[string]string{
		"another browser": callback,
		"no state":        c.port.URL + oidc.CallbackPath + "?code=x",
		"nothing":         c.port.URL + oidc.CallbackPath,
	} {
		if got, _ := c.browse(address); got != "/#oidc=late" {
			t.Errorf("%s: %s", name, got)
		}
	}
	stop := func() (callback string) { // before the callback is asked
		t.Helper()
		client := &http.Client{Jar: c.jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			if callback = r.URL.String(); strings.HasPrefix(callback, c.port.URL) {
				return http.ErrUseLastResponse
			}
			return nil
		}}
		w, err := client.Get(c.port.URL + oidc.Path)
		if err != nil {
			t.Fatal(err)
		}
		w.Body.Close()
		return callback
	}
	waiting := stop()
	c.now = c.now.Add(10 * time.Minute)
	if got, _ := c.browse(waiting); got != "/#oidc=late" {
		t.Errorf("after ten minutes: %s", got)
	}
	first := stop()
	stop()
	if got, _ := c.browse(first); got != "/#oidc=late" {
		t.Errorf("of two that a browser began the first: %s", got)
	}
	third := stop()
	c.config.Key = [16]byte{2}
	if got, _ := c.browse(third); got != "/#oidc=late" {
		t.Errorf("at another installation: %s", got)
	}
	made := len(c.made)
	c.provider.Denies(true)
	if got := c.signIn(); got != "/#oidc=refused" || len(c.made) != made {
		t.Errorf("refused: %s", got)
	}
	c.provider.Close()
	if got := c.signIn(); got != "/#oidc=failed" {
		t.Errorf("without the provider: %s", got)
	}
}

// The cookie of an attempt is for no script, and by https of this host alone.
func TestProvider_Cookie(t *testing.T) {
	c := newConsole(t)
	for base, want := range map[string]string{
		c.port.URL:                "ovation-oidc=; Path=/; Max-Age=600; HttpOnly; SameSite=Lax",
		"https://ovation.example": "__Host-ovation-oidc=; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax",
	} {
		c.config.BaseURL = base
		w := httptest.NewRecorder()
		to := oidc.New(c.config).Answer(w, httptest.NewRequest(http.MethodGet, oidc.Path, nil))
		name, rest, _ := strings.Cut(w.Header().Get("Set-Cookie"), "=")
		_, rest, _ = strings.Cut(rest, ";")
		if got := name + "=;" + rest; got != want || !strings.HasPrefix(to, c.provider.URL+"/authorize?") {
			t.Errorf("%s: %s, then %s", base, got, to)
		}
	}
}

// A grant is a value, a role and an account; no grant makes an operator.
func TestParseGrant(t *testing.T) {
	for text, want := range map[string]oidc.Grant{
		"label=editor@1":                {Value: "label", Role: domain.RoleEditor, Account: 1},
		"cn=staff,dc=x=analyst@22":      {Value: "cn=staff,dc=x", Role: domain.RoleAnalyst, Account: 22},
		"ada@label.example=developer@3": {Value: "ada@label.example", Role: domain.RoleDeveloper, Account: 3},
	} {
		if got, err := oidc.ParseGrant(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "=editor@1", "label", "label=editor", "label=editor@", "label=editor@0", "label=editor@x", "label=operator@1", "label=king@1", "label=editor@4294967296"} {
		if got, err := oidc.ParseGrant(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}
