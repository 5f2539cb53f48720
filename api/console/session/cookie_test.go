package session_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/session"
)

// The agents of browsers, as they name themselves.
const (
	safari   = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15"
	chromium = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
	firefox  = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0"
)

// Whatever bit of a cookie or of the other half is another one, in its bytes or in its text, it is of no session. So is
// a cookie that is shorter or longer.
func TestCookie_AnyBitFlipped(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	b := far.signsIn(n, i.link(domain.RoleAnalyst))
	name, value, _ := strings.Cut(b.cookie, "=")
	for part, c := range map[string]struct {
		text string
		with func(string) browser
	}{
		"cookie": {value, func(v string) browser { b := b; b.cookie = name + "=" + v; return b }},
		"half":   {b.half, func(v string) browser { b := b; b.half = v; return b }},
	} {
		raw, err := base64.RawURLEncoding.DecodeString(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.with(base64.RawURLEncoding.EncodeToString(raw)).is(n); got.Role != domain.RoleAnalyst {
			t.Fatalf("%s: the same bytes are of no session", part)
		}
		for bit := range 8 * len(raw) {
			raw[bit/8] ^= 1 << (bit % 8)
			if !c.with(base64.RawURLEncoding.EncodeToString(raw)).refused(n, domain.InvalidKey) {
				t.Errorf("%s: bit %d of its bytes", part, bit)
			}
			raw[bit/8] ^= 1 << (bit % 8)
		}
		text := []byte(c.text)
		for bit := range 8 * len(text) {
			text[bit/8] ^= 1 << (bit % 8)
			if _, err := n.Find(c.with(string(text)).request("GET", ""), n.read); err == nil {
				t.Errorf("%s: bit %d of its text", part, bit)
			}
			text[bit/8] ^= 1 << (bit % 8)
		}
		for _, text := range []string{c.text[:len(c.text)-1], c.text + "A", c.text + "=", "A" + c.text, c.text + c.text, strings.ToLower(c.text)} {
			if !c.with(text).refused(n, domain.InvalidKey) {
				t.Errorf("%s: %q", part, text)
			}
		}
	}
}

// A cookie is of the secret, host, port and node's port that it was made for. Every node with the secret opens it.
func TestCookie_IsBound(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	b := far.signsIn(n, i.link(domain.RoleAnalyst))
	if got := b.is(i.node()); got.Name != "Ada" {
		t.Errorf("another node: %+v", got)
	}
	b.host = "API.Example"
	b.is(n)
	for _, host := range []string{"api.example:443", "api.example:8443", "api.example.", "evil.example", "127.0.0.1", "x.api.example", ""} {
		to := b
		to.host = host
		r := to.request("GET", "")
		r.Host = host
		if _, err := n.Find(r, n.read); domain.CodeOf(err) != domain.InvalidKey {
			t.Errorf("host %q: %v", host, err)
		}
	}
	if !b.refused(i.node(func(c *session.Config) { c.Secret[15] = 9 }), domain.InvalidKey) {
		t.Error("another installation's secret opens it")
	}
	admin := i.node(adminPort)
	renamed := b
	renamed.cookie = strings.Replace(b.cookie, "__Host-ovation=", "__Host-ovation-admin=", 1)
	if !b.refused(admin, domain.MissingKey) || !renamed.refused(admin, domain.InvalidKey) {
		t.Error("the cookie of the public port is good at the admin port")
	}
	b = far.signsIn(admin, i.link(domain.RoleOperator))
	renamed = b
	renamed.cookie = strings.Replace(b.cookie, "__Host-ovation-admin=", "__Host-ovation=", 1)
	if !b.refused(n, domain.MissingKey) || !renamed.refused(n, domain.InvalidKey) {
		t.Error("the cookie of the admin port is good at the public port")
	}
}

// A cookie is good up to the last millisecond of its 30 days and no longer, though the session goes on by another one. So
// is a session.
func TestCookie_OverAtTheMillisecond(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	b := far.signsIn(n, i.link(domain.RoleAnalyst))
	i.at(domain.SessionIdle*time.Millisecond - time.Millisecond)
	_, answer, err := n.asks(b.request("GET", "")) // renews the session
	if err != nil {
		t.Fatal(err)
	}
	renewed := b.keeps(answer)
	b.is(n)
	renewed.is(n)
	i.at(domain.SessionIdle * time.Millisecond)
	if !b.refused(n, domain.InvalidKey) {
		t.Error("a cookie that is over")
	}
	renewed.is(n)
	i.at(2*domain.SessionIdle*time.Millisecond - 2*time.Millisecond)
	renewed.is(n)
	i.at(2*domain.SessionIdle*time.Millisecond - time.Millisecond)
	if !renewed.refused(n, domain.InvalidKey) {
		t.Error("a session that is over")
	}
}

// The cookie is one that a browser holds to be of this host alone, and Secure. On the machine of the node without TLS
// Safari would not keep it: there, and only there, it has neither.
func TestCookie_OfTheBrowser(t *testing.T) {
	t.Parallel()
	proxied := func(b browser) browser { b.host = "api.example"; b.plain = true; return b }(near)
	for what, c := range map[string]struct {
		from   browser
		agent  string
		admin  bool
		name   string
		secure bool
	}{
		"TLS":                           {far, chromium, false, "__Host-ovation", true},
		"TLS, Safari":                   {far, safari, false, "__Host-ovation", true},
		"loopback":                      {near, chromium, false, "__Host-ovation", true},
		"loopback, Firefox":             {near, firefox, false, "__Host-ovation", true},
		"loopback, no agent":            {near, "", false, "__Host-ovation", true},
		"loopback, Safari":              {near, safari, false, "ovation", false},
		"loopback, Safari, admin port":  {near, safari, true, "ovation-admin", false},
		"loopback, admin port":          {near, chromium, true, "__Host-ovation-admin", true},
		"a proxy's TLS, Safari":         {proxied, safari, false, "__Host-ovation", true},
		"loopback with TLS, and Safari": {func(b browser) browser { b.plain = false; return b }(near), safari, false, "__Host-ovation", true},
	} {
		i := newInstallation(t)
		n := i.node(func(s *session.Config) { s.Admin, s.BaseURL = c.admin, "https://api.example" })
		role := domain.RoleAnalyst
		if c.admin {
			role = domain.RoleOperator
		}
		c.from.agent = c.agent
		_, answer, err := n.asks(c.from.request("POST", `{"token":"`+i.link(role)+`"}`))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got := answer.Cookies()
		for _, set := range got {
			set.Value, set.Raw = "", ""
		}
		want := []*http.Cookie{{Name: c.name, Path: "/", MaxAge: 30 * 24 * 3600, HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteStrictMode}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// Safari's cookie without a prefix is good on the machine of the node alone, without TLS, and beside no other. Signing
// out takes it away.
func TestCookie_OfSafari(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	mac := near
	mac.agent = safari
	b := mac.signsIn(n, i.link(domain.RoleAnalyst))
	if b.is(n).Name != "Ada" {
		t.Fatal("it is of no session")
	}
	for what, c := range map[string]struct {
		change func(*browser)
		code   domain.Code
	}{
		"with TLS":          {func(b *browser) { b.plain = false }, domain.MissingKey},
		"from elsewhere":    {func(b *browser) { b.remote = far.remote }, domain.MissingKey},
		"by another name":   {func(b *browser) { b.host = "evil.example:8080" }, domain.MissingKey},
		"another port":      {func(b *browser) { b.host = "127.0.0.1:8081" }, domain.InvalidKey},
		"with the prefix":   {func(b *browser) { b.cookie = "__Host-" + b.cookie }, domain.InvalidKey},
		"twice":             {func(b *browser) { b.cookie += "; " + b.cookie }, domain.InvalidKey},
		"beside a forgery":  {func(b *browser) { b.cookie += "; __Host-ovation=x" }, domain.InvalidKey},
		"without the half":  {func(b *browser) { b.half = "" }, domain.MissingKey},
		"of the admin port": {func(b *browser) { b.cookie = strings.Replace(b.cookie, "ovation=", "ovation-admin=", 1) }, domain.MissingKey},
	} {
		with := b
		c.change(&with)
		if !with.refused(n, c.code) {
			t.Errorf("%s it is good", what)
		}
	}
	// One with the prefix is not disturbed by what another port of the machine sets.
	other := near.signsIn(n, i.link(domain.RoleEditor))
	other.cookie = "ovation=forged; " + other.cookie
	if other.is(n).Role != domain.RoleEditor {
		t.Error("a cookie without a prefix hides the one with it")
	}
	_, answer, err := n.asks(b.request("DELETE", ""))
	if err != nil {
		t.Fatal(err)
	}
	gone := map[string]bool{}
	for _, c := range answer.Cookies() {
		gone[c.Name] = c.MaxAge < 0 && c.Value == ""
	}
	if !gone["ovation"] || !gone["__Host-ovation"] || !b.refused(n, domain.InvalidKey) {
		t.Errorf("signed out: %v", gone)
	}
}

// FuzzCookie: no text for the two halves is of a session but the right ones.
func FuzzCookie(f *testing.F) {
	i := newInstallation(f)
	n := i.node()
	b := far.signsIn(n, i.link(domain.RoleAnalyst))
	f.Add(b.cookie, b.half, b.host)
	f.Add("__Host-ovation="+strings.Repeat("A", 131), strings.Repeat("A", 43), b.host)
	f.Add("", "", "")
	f.Add(b.cookie+"; "+b.cookie, b.half+"=", "API.EXAMPLE")
	f.Fuzz(func(t *testing.T, cookie, half, host string) {
		r := b.request("GET", "")
		r.Header["Cookie"], r.Header[session.Header], r.Host = []string{cookie}, []string{half}, host
		in, err := n.Find(r, n.read)
		sent := r.CookiesNamed("__Host-ovation")
		right := len(sent) == 1 && "__Host-ovation="+sent[0].Value == b.cookie && half == b.half && strings.EqualFold(host, b.host)
		if (err == nil) != right || right && in.Name != "Ada" {
			t.Errorf("%q, %q, %q: %v", cookie, half, host, err)
		}
	})
}
