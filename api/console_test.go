package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/serve"
)

const consoleHost = "https://api.example"

// link has the catalog keep a link, and gives its token.
func (h *fixture) link(role domain.Role, change ...func(*domain.Link)) string {
	h.t.Helper()
	token, hash := session.NewToken()
	l := &domain.Link{Hash: hash, Role: role, Account: 1, Application: 3, Name: "Ada", Created: now.UnixMilli(), Expires: now.UnixMilli() + domain.LinkLife}
	for _, f := range change {
		f(l)
	}
	h.engine.mu.Lock()
	defer h.engine.mu.Unlock()
	h.engine.links = maps.Clone(h.engine.links)
	if h.engine.links == nil {
		h.engine.links = map[domain.LinkHash]*domain.Link{}
	}
	h.engine.links[hash] = l
	return token
}

// browser is a browser with a page of the console open: what it sends with a request. Zero parts are not sent.
type browser struct {
	cookie, half, origin, site, host string
	remote                           string // address that it asks from
}

// asks sends a request of a page.
func (b browser) asks(to http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	base := consoleHost
	if b.host != "" {
		base = b.host
	}
	r := httptest.NewRequest(method, base+target, strings.NewReader(body))
	if b.remote != "" {
		r.RemoteAddr = b.remote
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if body[0] == '{' {
			r.Header.Set("Content-Type", "application/json")
		}
	}
	for name, value := range map[string]string{"Cookie": b.cookie, session.Header: b.half, "Origin": b.origin, "Sec-Fetch-Site": b.site} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	return w
}

// signsIn is a browser after a sign-in with a JSON body.
func signsIn(t testing.TB, to http.Handler, host, body string) browser {
	t.Helper()
	b := browser{origin: host, site: "same-origin", host: host}
	w := b.asks(to, "POST", session.Path, body)
	if w.Code != http.StatusOK {
		t.Fatalf("sign-in: %d %s", w.Code, w.Body)
	}
	return after(t, b, w)
}

// after is a browser with the cookie and the half of an answer.
func after(t testing.TB, b browser, w *httptest.ResponseRecorder) browser {
	t.Helper()
	var in session.Person
	if err := json.Unmarshal(w.Body.Bytes(), &in); err != nil {
		t.Fatal(err)
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 1 || in.Half == "" {
		t.Fatalf("%d cookies, %+v", len(cookies), in)
	}
	b.cookie, b.half = cookies[0].Name+"="+cookies[0].Value, in.Half
	return b
}

func (h *fixture) signedIn(role domain.Role) browser {
	h.t.Helper()
	return signsIn(h.t, h.api, consoleHost, `{"token":"`+h.link(role)+`"}`)
}

// A link is taken once and gives a cookie as it must be; the half is shown once. Who is signed in asks /console/v1.1,
// sees who it is and signs out, which ends the session.
func TestConsole_SignInAndOut(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	token := h.link(domain.RoleEditor)
	b := browser{origin: consoleHost, site: "same-origin"}
	w := b.asks(h.api, "POST", session.Path, `{"token":"`+token+`"}`)
	var got session.Person
	h.ok(w, &got)
	if got.Half == "" || got.Role != "editor" || got.Account != 1 || got.Name != "Ada" {
		t.Errorf("%+v", got)
	}
	set := w.Header().Get("Set-Cookie")
	for _, part := range []string{"__Host-ovation=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Max-Age=2592000"} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie %q lacks %q", set, part)
		}
	}
	if strings.Contains(set, "Domain") || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("headers %v", w.Header())
	}
	b = after(t, b, w)
	w = b.asks(h.api, "GET", "/console/v1.1/brands?limit=1", "")
	h.status(w, 200, "brands")
	if !strings.Contains(w.Body.String(), consoleHost+"/console/v1.1/brands?") || h.engine.hits != 1 {
		t.Errorf("%d hits, %s", h.engine.hits, w.Body)
	}
	w = b.asks(h.api, "GET", session.Path, "")
	if h.status(w, 200, "who"); strings.Contains(w.Body.String(), "half") || !strings.Contains(w.Body.String(), `"name":"Ada"`) {
		t.Errorf("%s", w.Body)
	}
	h.refused(b.asks(h.api, "POST", session.Path, `{"token":"`+token+`"}`), domain.NotFound, "token")
	w = b.asks(h.api, "DELETE", session.Path, "")
	if h.status(w, 204, "out"); !strings.Contains(w.Header().Get("Set-Cookie"), "__Host-ovation=; Path=/; Max-Age=0") {
		t.Errorf("%q", w.Header().Get("Set-Cookie"))
	}
	for _, path := range []string{session.Path, "/console/v1.1/brands"} {
		h.refused(b.asks(h.api, "GET", path, ""), domain.InvalidKey, "")
	}
}

// Of many who take one link at the same time one has a session.
func TestConsole_LinkIsTakenOnce(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	body := `{"token":"` + h.link(domain.RoleAnalyst) + `"}`
	codes := make([]int, 16)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() { codes[i] = browser{}.asks(h.api, "POST", session.Path, body).Code })
	}
	all.Wait()
	slices.Sort(codes)
	if codes[0] != 200 || codes[1] != 404 {
		t.Errorf("%v", codes)
	}
}

// A session that is used is renewed once a day, with another cookie and the same half. One that is not is over.
func TestConsole_Renewed(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	at := now
	h.renew(func(c *Config) { c.TimeOfDay = func(time.Time) time.Time { return at } })
	b := h.signedIn(domain.RoleAnalyst)
	at = now.Add(23 * time.Hour)
	if w := b.asks(h.api, "GET", session.Path, ""); w.Code != 200 || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	at = now.Add(29 * 24 * time.Hour)
	w := b.asks(h.api, "GET", session.Path, "")
	h.status(w, 200, "renewed")
	first := b
	b.cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	at = now.Add(58 * 24 * time.Hour)
	h.status(b.asks(h.api, "GET", "/console/v1.1/brands", ""), 200, "after the renewal")
	h.refused(first.asks(h.api, "GET", "/console/v1.1/brands", ""), domain.InvalidKey, "")
	at = now.Add(59 * 24 * time.Hour)
	h.refused(b.asks(h.api, "GET", "/console/v1.1/brands", ""), domain.InvalidKey, "")
}

// What is sent without both halves of one living session, by another page or host, or altered, is refused, and changes
// nothing.
func TestConsole_Attacks(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.engine.apps[3].Domains = []string{"evil.example"}
	good, other := h.signedIn(domain.RoleDeveloper), signsIn(t, h.api, consoleHost, `{"token":"`+h.link(domain.RoleEditor, func(l *domain.Link) { l.Account, l.Application = 2, 9 })+`"}`)
	name, value, _ := strings.Cut(good.cookie, "=")
	with := func(change func(*browser)) browser {
		b := good
		change(&b)
		return b
	}
	attacks := map[string]struct {
		browser browser
		code    domain.Code
	}{
		"cookie alone":             {with(func(b *browser) { b.half = "" }), domain.MissingKey},
		"half alone":               {with(func(b *browser) { b.cookie = "" }), domain.MissingKey},
		"neither":                  {with(func(b *browser) { b.cookie, b.half = "", "" }), domain.MissingKey},
		"half of another session":  {with(func(b *browser) { b.half = other.half }), domain.InvalidKey},
		"cookie of another one":    {with(func(b *browser) { b.cookie = other.cookie }), domain.InvalidKey},
		"two cookies":              {with(func(b *browser) { b.cookie += "; " + other.cookie }), domain.InvalidKey},
		"the admin port's name":    {with(func(b *browser) { b.cookie = "__Host-ovation-admin=" + value }), domain.MissingKey},
		"a name without prefix":    {with(func(b *browser) { b.cookie = "ovation=" + value }), domain.MissingKey},
		"a forged cookie":          {with(func(b *browser) { b.cookie = name + "=" + base64.RawURLEncoding.EncodeToString(make([]byte, 98)) }), domain.InvalidKey},
		"a huge cookie":            {with(func(b *browser) { b.cookie = name + "=" + strings.Repeat("A", 50_000) }), domain.InvalidKey},
		"an empty cookie":          {with(func(b *browser) { b.cookie = name + "=" }), domain.InvalidKey},
		"a huge half":              {with(func(b *browser) { b.half = strings.Repeat("A", 50_000) }), domain.InvalidKey},
		"another half":             {with(func(b *browser) { b.half = strings.Repeat("A", 43) }), domain.InvalidKey},
		"another origin":           {with(func(b *browser) { b.origin, b.site = "https://evil.example", "cross-site" }), domain.WrongApplication},
		"its Origin alone":         {with(func(b *browser) { b.origin, b.site = "https://evil.example", "" }), domain.WrongApplication},
		"another port, same-site":  {with(func(b *browser) { b.origin, b.site = "https://api.example:8443", "same-site" }), domain.WrongApplication},
		"another port, its Origin": {with(func(b *browser) { b.origin, b.site = "https://api.example:8443", "" }), domain.WrongApplication},
		"a sandbox":                {with(func(b *browser) { b.origin = "null" }), domain.WrongApplication},
		"a rebound name":           {with(func(b *browser) { b.host, b.origin = "https://evil.example", "https://evil.example" }), domain.InvalidKey},
		"the host's other port":    {with(func(b *browser) { b.host, b.origin = "https://api.example:8443", "https://api.example:8443" }), domain.InvalidKey},
	}
	for i := range value {
		altered := []byte(value)
		altered[i] ^= 1
		attacks[fmt.Sprint("altered at ", i)] = struct {
			browser browser
			code    domain.Code
		}{with(func(b *browser) { b.cookie = name + "=" + string(altered) }), domain.InvalidKey}
	}
	submitted := len(h.engine.submitted)
	for what, a := range attacks {
		for _, request := range [][3]string{
			{"GET", "/console/v1.1/brands", ""}, {"POST", "/console/v1.1/brand/create", "name=x&type=Music"}, {"GET", session.Path, ""}, {"DELETE", session.Path, ""},
		} {
			w := a.browser.asks(h.api, request[0], request[1], request[2])
			if w.Code/100 != 4 || !strings.Contains(w.Body.String(), fmt.Sprintf(`"code":%d,`, a.code)) {
				t.Errorf("%s: %s %s: %d %s", what, request[0], request[1], w.Code, w.Body)
			}
			if cors := w.Header().Get("Access-Control-Allow-Origin"); cors != "" {
				t.Errorf("%s: pages of %s may read the answer", what, cors)
			}
		}
	}
	if n := len(h.engine.submitted) - submitted; n != 0 {
		t.Errorf("%d commands were submitted", n)
	}
	for _, k := range []string{"?apiKey=" + keyAdvanced, ""} {
		headers := []string{"X-API-Key", keyAdvanced}
		if k != "" {
			headers = nil
		}
		h.refused(good.asks(h.api, "GET", "/console/v1.1/brands"+k, "", headers...), domain.InvalidKey, "")
	}
	h.refused(good.asks(h.api, "POST", "/console/v1.1/brand/create", "name=x&type=Music&apiKey="+keyAdvanced), domain.InvalidKey, "")
	h.refused(good.asks(h.api, "GET", "/console/v1.1/brands", "", "Authorization", "Bearer x.y.z"), domain.InvalidKey, "")
	h.refused(good.asks(h.api, "GET", "/v1.1/brands", ""), domain.MissingKey, "apiKey") // cookies are nothing there
	w := good.asks(h.api, "OPTIONS", "/console/v1.1/brands", "", "Access-Control-Request-Method", "GET", "Origin", "https://evil.example")
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	h.status(good.asks(h.api, "GET", "/console/v1.1/brands", ""), 200, "the session itself")
	if text := h.log.String(); strings.Contains(text, value) || strings.Contains(text, good.half) {
		t.Error("the log has a half of the session")
	}
}

// A sign-in is refused by what is wrong with it, and nothing of it is in the log.
func TestConsole_SignInRefused(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	token := h.link(domain.RoleAnalyst)
	used := h.link(domain.RoleAnalyst, func(l *domain.Link) { l.Taken = 5 })
	expired := h.link(domain.RoleAnalyst, func(l *domain.Link) { l.Expires = now.UnixMilli() })
	operator := h.link(domain.RoleOperator)
	same := browser{origin: consoleHost, site: "same-origin"}
	for _, c := range []struct {
		name, body string
		code       domain.Code
		parameter  string
	}{
		{"nothing", `{}`, domain.InvalidParameter, ""},
		{"both", `{"token":"x","key":"y"}`, domain.InvalidParameter, ""},
		{"another field", `{"token":"` + token + `","role":"operator"}`, domain.InvalidParameter, ""},
		{"two objects", `{"token":"` + token + `"}{}`, domain.InvalidParameter, ""},
		{"a huge body", `{"token":"` + strings.Repeat("x", 9000) + `"}`, domain.TooLarge, ""},
		{"a huge token", `{"token":"` + strings.Repeat("x", 3000) + `"}`, domain.NotFound, "token"},
		{"an unknown link", `{"token":"` + strings.Repeat("A", 43) + `"}`, domain.NotFound, "token"},
		{"a used link", `{"token":"` + used + `"}`, domain.NotFound, "token"},
		{"an expired link", `{"token":"` + expired + `"}`, domain.NotFound, "token"},
		{"an operator's link", `{"token":"` + operator + `"}`, domain.WrongApplication, "token"},
		{"an unknown key", `{"key":"ov_nobody"}`, domain.InvalidKey, "key"},
		{"a revoked key", `{"key":"` + keyRevoked + `"}`, domain.InvalidKey, "key"},
		{"a public key", `{"key":"` + keyPublic + `"}`, domain.WrongApplication, "key"},
	} {
		w := same.asks(h.api, "POST", session.Path, c.body)
		if h.refused(w, c.code, c.parameter); w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: a cookie", c.name)
		}
	}
	good := `{"token":"` + token + `"}`
	h.refused(same.asks(h.api, "POST", session.Path, good, "Content-Type", "text/plain"), domain.UnsupportedMedia, "")
	for _, b := range []browser{{origin: "https://evil.example"}, {site: "cross-site"}, {site: "same-site"}, {origin: "https://api.example:1"}} {
		h.refused(b.asks(h.api, "POST", session.Path, good), domain.WrongApplication, "")
	}
	h.refused(browser{}.asks(h.api, "PUT", session.Path, good), domain.MethodNotAllowed, "")
	if len(h.engine.submitted) != 0 {
		t.Errorf("%d commands were submitted", len(h.engine.submitted))
	}
	if strings.Contains(h.log.String(), token) || strings.Contains(h.log.String(), keyRevoked) {
		t.Error("the log has a token or a key")
	}
	h.status(same.asks(h.api, "POST", session.Path, good), 200, "the link is good still")
}

// Nobody signs in over a connection that others can read.
func TestConsole_NeedsTLS(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.renew(func(c *Config) { c.BaseURL, c.ByHost = "http://api.example", true })
	for _, c := range []struct {
		host, remote string
		proxied      bool
		want         int
	}{
		{"http://api.example", "203.0.113.7:1", false, 403},
		{"http://api.example", "127.0.0.1:1", false, 403},
		{"http://127.0.0.1:8080", "203.0.113.7:1", false, 403},
		{"http://127.0.0.1:8080", "127.0.0.1:1", true, 403},
		{"http://127.0.0.1:8080", "127.0.0.1:1", false, 200},
		{"http://localhost:8080", "[::1]:1", false, 200},
		{"https://api.example", "203.0.113.7:1", false, 200},
	} {
		r := httptest.NewRequest("POST", c.host+session.Path, strings.NewReader(`{"token":"`+h.link(domain.RoleAnalyst)+`"}`))
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = c.remote
		if c.proxied {
			r.Header.Set("X-Forwarded-For", "203.0.113.7")
		}
		w := httptest.NewRecorder()
		h.api.ServeHTTP(w, r)
		if w.Code != c.want || c.want == 403 && !strings.Contains(w.Body.String(), "reach the node by https") {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
	// Behind a proxy that speaks TLS the configuration says so.
	h.renew(func(c *Config) { c.BaseURL, c.ByHost = "https://api.example", false })
	for host, want := range map[string]int{"http://api.example": 200, "http://10.0.0.7:8080": 403} {
		if w := (browser{host: host}).asks(h.api, "POST", session.Path, `{"token":"`+h.link(domain.RoleAnalyst)+`"}`); w.Code != want {
			t.Errorf("%s: %d %s", host, w.Code, w.Body)
		}
	}
}

// A session that began with a key has the key's rights and ends with it. One whose account or application is gone, or
// that was ended, is none; another account's things are not there.
func TestConsole_EndsWithWhatItIsOf(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	hash := domain.KeyHash(sha256.Sum256([]byte(keyEnterprise)))
	h.engine.keys[hash].ID = 7
	b := signsIn(t, h.api, consoleHost, `{"key":"`+keyEnterprise+`"}`)
	h.status(b.asks(h.api, "GET", "/console/v1.1/webhooks", ""), 200, "webhooks")
	h.engine.keys[hash].Revoked = 9
	h.refused(b.asks(h.api, "GET", "/console/v1.1/webhooks", ""), domain.InvalidKey, "")

	stranger := signsIn(t, h.api, consoleHost, `{"token":"`+h.link(domain.RoleEditor, func(l *domain.Link) { l.Account, l.Application = 2, 9 })+`"}`)
	h.refused(stranger.asks(h.api, "GET", "/console/v1.1/brand/1", ""), domain.NotFound, "brandid")
	h.engine.apps[9].Account = 1
	h.refused(stranger.asks(h.api, "GET", "/console/v1.1/brand/1", ""), domain.InvalidKey, "")

	b = h.signedIn(domain.RoleAnalyst)
	for id, s := range h.engine.open { // its role was changed since the cookie was made
		promoted := *s
		promoted.Role = domain.RoleDeveloper
		h.engine.open[id] = &promoted
	}
	h.refused(b.asks(h.api, "GET", "/console/v1.1/brands", ""), domain.InvalidKey, "")
}

// concrete is a path of an operation with ids that are there.
func concrete(path string) string {
	return "/console" + strings.NewReplacer(
		":memberid", "4097", ":brandid", "1", ":brandID", "1", ":activityid", "100", ":segmentid", "1", ":webhookid", "1", ":serviceid", "5", ":actionid", "1",
	).Replace(path)
}

// Whatever an analyst asks, by any operation and with parameters that ask for all there is, the answer has none of what
// the role may not see. An editor is shown it by some of them, so there is something to leave out.
func TestConsole_AnalystSeesNoSecrets(t *testing.T) {
	h := counting(t)
	h.answersEachShape()
	h.engine.content = &domain.Content{Recorded: 1773565201234, Content: `{"from":"content@secret.example","email":"x"}`}
	m := h.engine.members[4097]
	m.UUID = [16]byte{9}
	m.Profile = domain.Fields{
		{Field: domain.FirstName, Value: "Ada"},
		{Field: domain.Surname, Value: "Fan"},
		{Field: domain.Username, Value: "name@secret.example"},
		{Field: domain.EmailAddress, Value: "profile@secret.example"},
		{Field: domain.Bio, Value: "write to bio@secret.example"},
		{Field: domain.Extended, Value: `{"tier":"secret-tier","note":"extended@secret.example"}`},
	}
	m.Services = append(m.Services, domain.ServiceRecord{
		ID: 6, Application: 3, Service: domain.Email, UID: "login@secret.example", Created: 1e12, Updated: 1e12, LastLogin: 1e12, PartnerCode: "acme", PartnerID: "partner@secret.example",
		Fields: domain.Fields{
			{Field: domain.RecordUsername, Value: "user@secret.example"},
			{Field: domain.RecordURL, Value: "https://x.example/u?mail=url%40secret.example"},
			{Field: domain.RecordToken, Value: "secret-token"},
			{Field: domain.RecordSecret, Value: "secret-secret"},
			{Field: domain.RecordVerifiedEmail, Value: "verified@secret.example"},
		},
	})
	m.Services[0].Fields = slices.Insert(slices.Clone(m.Services[0].Fields), 2, domain.FieldValue{Field: domain.RecordSecret, Value: "secret-spotify"})
	analyst, editor := h.signedIn(domain.RoleAnalyst), h.signedIn(domain.RoleEditor)
	secret := func(text string) string {
		for _, s := range []string{"secret.example", "secret-", `"jwt"`, `"AccessToken"`, `"Token"`, `"TokenSecret"`, `"Extended"`, `mail":`} {
			if at := strings.Index(text, s); at >= 0 {
				return text[max(0, at-60):min(len(text), at+60)]
			}
		}
		return ""
	}
	h.wanted = "\nevent: "
	shown, answered, refused := 0, 0, 0
	const everything = "?extended=1&details=1&showposition=1&showbrands=1&showactions=1&all_member_actions=1&includeOneTime=1&totalmembercount=1&cursor="
	for _, op := range Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		for _, query := range []string{everything, "?id=4097&extended=1", ""} {
			if strings.HasSuffix(op.Path, "/member") && query != "?id=4097&extended=1" {
				query = "?service=spotify&uid=u-7&extended=1"
			}
			if op.Outcomes[0].Events && query != everything { // it would wait for what comes
				continue
			}
			if strings.HasSuffix(op.Path, "/account/usage") {
				query = "?interval=day"
			}
			path := concrete(op.Path) + query
			if op.Outcomes[0].Events {
				path = concrete(op.Path) + "?cursor="
			}
			w := analyst.streams(h, path)
			switch text := w.Body.String(); {
			case w.Code == http.StatusForbidden && op.Access.Role > domain.RoleAnalyst:
				refused++
			case w.Code == http.StatusOK:
				answered++
				if s := secret(text); s != "" {
					t.Errorf("GET %s shows an analyst …%s…", path, s)
				}
			case query == "":
				t.Errorf("GET %s: %d %s", path, w.Code, text)
			}
			if w := editor.streams(h, path); w.Code == http.StatusOK && secret(w.Body.String()) != "" {
				shown++
			}
		}
	}
	if shown < 5 || answered < 40 || refused < 9 {
		t.Errorf("%d answers to an editor have secrets; %d to an analyst are answers, %d refused", shown, answered, refused)
	}
}

// streams asks for an answer that may be a stream.
func (b browser) streams(h *fixture, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", consoleHost+path, nil)
	r.Header.Set("Cookie", b.cookie)
	r.Header.Set(session.Header, b.half)
	w := httptest.NewRecorder()
	h.serve(w, r)
	return w
}

// Every write is refused to an analyst; an editor's are not refused for the role but those of developers. Each
// operation says which role it is for.
func TestConsole_RolesOfEveryOperation(t *testing.T) {
	h := newFixture(t)
	by := map[domain.Role]browser{}
	for r := domain.RoleAnalyst; r <= domain.RoleDeveloper; r++ {
		by[r] = h.signedIn(r)
	}
	submitted := len(h.engine.submitted)
	for _, role := range []domain.Role{domain.RoleAnalyst, domain.RoleEditor, domain.RoleDeveloper} {
		for _, op := range Operations() {
			if role == domain.RoleAnalyst && op.Method == http.MethodPost && op.Access.Role <= domain.RoleAnalyst {
				t.Errorf("%s is for analysts", op.Name())
			}
			if op.Method != http.MethodPost {
				continue
			}
			body := "nothing=1"
			if op.Each != nil {
				body = "{}"
			}
			w := by[role].asks(h.api, "POST", concrete(op.Path), body)
			isRefused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "you are signed in as")
			if isRefused != (role < op.Access.Role) {
				t.Errorf("%s by the role %s: %d %s", op.Name(), role, w.Code, w.Body)
			}
		}
		if n := len(h.engine.submitted) - submitted; role == domain.RoleAnalyst && n != 0 {
			t.Errorf("an analyst's writes submitted %d commands", n)
		}
	}
	want := map[domain.Role][]string{
		domain.RoleDeveloper: {"listWebhooks", "createWebhook", "testWebhook", "editWebhook", "deleteWebhook", "listDeliveries", "redeliver", "allowDomain", "whitelistDomain", "unallowDomain", "unwhitelistDomain"},
		domain.RoleEditor:    {"listExtendedMembers", "exportMember", "getAuth", "getFeedRSS"},
	}
	for _, op := range Operations() {
		developers := slices.Contains(want[domain.RoleDeveloper], op.ID)
		editors := slices.Contains(want[domain.RoleEditor], op.ID) || op.Method == http.MethodPost && !developers
		has := op.Access.Role
		if developers != (has == domain.RoleDeveloper) || editors != (has == domain.RoleEditor) {
			t.Errorf("%s is for the role %s", op.ID, has)
		}
	}
}

// A change that a person asks for is noted before it is made, with its ids and none of its values; one that cannot be noted is
// not made. Questions, what is refused before, and what comes by a key are not noted.
func TestConsole_NotesChanges(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	editor, analyst := h.signedIn(domain.RoleEditor), h.signedIn(domain.RoleAnalyst)
	since := len(h.engine.submitted)
	deeds := func() (did []string) {
		for _, sub := range h.engine.submitted[since:] {
			if n, is := sub.Command.(*domain.NoteDeed); is {
				did = append(did, n.Did)
			}
		}
		return did
	}
	h.status(editor.asks(h.api, "GET", "/console/v1.1/brands", ""), 200, "a question")
	h.refused(analyst.asks(h.api, "POST", "/console/v1.1/member/4097/update", "firstname=Eve"), domain.WrongApplication, "")
	h.refused(editor.asks(h.api, "POST", "/console/v1.1/brand/x/optin", "id=4097"), domain.InvalidParameter, "brandid")
	h.status(h.post("/v1.1/brand/1/optin", "id=4097"), 200, "by a key")
	if got := deeds(); len(got) != 0 {
		t.Errorf("noted are %q", got)
	}
	h.status(editor.asks(h.api, "POST", "/console/v1.1/member/4097/update", "firstname=Eve"), 200, "update")
	h.status(editor.asks(h.api, "POST", "/console/v1.1/brand/1/optin", "id=4097"), 200, "opt-in")
	want := []string{"POST /v1.1/member/4097/update", "POST /v1.1/brand/1/optin id=4097"}
	if got := deeds(); !slices.Equal(got, want) {
		t.Errorf("noted are %q, want %q", got, want)
	}
	h.engine.noted, since = domain.Failed(domain.ErrUnavailable), len(h.engine.submitted)
	h.refused(editor.asks(h.api, "POST", "/console/v1.1/member/4097/update", "firstname=Zoe"), domain.Unavailable, "")
	if n := len(h.engine.submitted) - since; n != 1 {
		t.Errorf("%d commands were submitted, the note alone is one", n)
	}
}

// A cached answer of one role is none of another, and an analyst's poll is answered 304.
func TestConsole_PollsByRole(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.engine.unchanged = func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) {
		return domain.Position{}, true
	}
	analyst, editor := h.signedIn(domain.RoleAnalyst), h.signedIn(domain.RoleEditor)
	tag := analyst.asks(h.api, "GET", "/console/v1.1/member/4097", "").Header().Get("Etag")
	if w := analyst.asks(h.api, "GET", "/console/v1.1/member/4097", "", "If-None-Match", tag); w.Code != http.StatusNotModified || tag == "" {
		t.Errorf("%d with the tag %q", w.Code, tag)
	}
	if w := editor.asks(h.api, "GET", "/console/v1.1/member/4097", "", "If-None-Match", tag); w.Code != 200 || !strings.Contains(w.Body.String(), `"jwt"`) {
		t.Errorf("an editor with an analyst's tag: %d %s", w.Code, w.Body)
	}
}

// At the admin port operators sign in, with a cookie of another name, and nobody else; it has no paths but the
// console's.
func TestConsole_AdminPort(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	admin := h.api.Admin()
	const host = "https://admin.example"
	h.refused(browser{host: host}.asks(admin, "POST", session.Path, `{"token":"`+h.link(domain.RoleDeveloper)+`"}`), domain.WrongApplication, "token")
	h.refused(browser{host: host}.asks(admin, "POST", session.Path, `{"key":"`+keyEnterprise+`"}`), domain.WrongApplication, "key")
	with := signsIn(t, admin, host, `{"token":"`+h.link(domain.RoleOperator)+`"}`)
	if !strings.HasPrefix(with.cookie, "__Host-ovation-admin=") {
		t.Errorf("cookie %q", with.cookie)
	}
	h.status(with.asks(admin, "GET", "/console/v1.1/webhooks", ""), 200, "webhooks")
	h.refused(with.asks(admin, "GET", "/v1.1/brands", ""), domain.NotFound, "")
	h.refused(with.asks(admin, "GET", "/docs", ""), domain.NotFound, "")
	without := signsIn(t, admin, host, `{"token":"`+h.link(domain.RoleOperator, func(l *domain.Link) { l.Account, l.Application = 0, 0 })+`"}`)
	h.refused(without.asks(admin, "GET", "/console/v1.1/webhooks", ""), domain.WrongApplication, "")

	request := func(b browser) *http.Request {
		r := httptest.NewRequest("GET", host+"/keys", nil)
		r.Header.Set("Cookie", b.cookie)
		r.Header.Set(session.Header, b.half)
		return r
	}
	for name, b := range map[string]browser{"with an account": with, "without": without} {
		if err := h.api.Operator(request(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	post := request(without)
	post.Method = http.MethodPost
	if err := h.api.Operator(post); err != nil {
		t.Error(err)
	}
	if n, is := h.engine.submitted[len(h.engine.submitted)-1].Command.(*domain.NoteDeed); !is || n.Did != "POST /keys" {
		t.Errorf("an operator's change is not noted: %+v", h.engine.submitted[len(h.engine.submitted)-1].Command)
	}
	public := h.signedIn(domain.RoleDeveloper)
	renamed := public
	renamed.cookie = strings.Replace(public.cookie, "__Host-ovation=", "__Host-ovation-admin=", 1)
	half := with
	half.half = ""
	for name, b := range map[string]browser{"of the public port": public, "renamed": renamed, "cookie alone": half, "nobody": {}} {
		if h.api.Operator(request(b)) == nil {
			t.Errorf("%s manages", name)
		}
	}
	// What is an operator's is none at the public port.
	operators := with
	operators.cookie = strings.Replace(with.cookie, "-admin=", "=", 1)
	h.refused(operators.asks(h.api, "GET", "/console/v1.1/brands", ""), domain.InvalidKey, "")
}

var _ http.Handler = (*serve.Server)(nil)
