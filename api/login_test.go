package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/wire"
)

// logins are the commands submitted.
func (h *fixture) logins() (out []*domain.LogIn) {
	for _, s := range h.engine.submitted {
		if l, ok := s.Command.(*domain.LogIn); ok {
			out = append(out, l)
		}
	}
	return out
}

// A login carries everything of it that is random, hashed or read from the clock, and goes to the
// member's slot; the answer is the member's envelope.
func TestI6_LoginIsComplete(t *testing.T) {
	h := newFixture(t)
	m := *h.engine.members[4097]
	m.Services = slices.Clone(m.Services)
	m.Services[0].Identity = testHasher{}.Identity(1, domain.ByService, "spotify", "u-7")
	h.engine.members[4097] = &m
	e := answered[wire.Envelope](h, h.post("/v1.1/member/login", `{"service":"spotify","uid":"u-7","authtoken":"new","authsecret":"sec",
		"domain":"https://WWW.Example.com/x","ip":"192.0.2.7","strict_sso":false,"visitor":"v-1","referring_url":"https://from.example/",
		"webpath":"https://www.Moons.example/join/?utm=1#top","useragent":"Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"}`))
	if e.Data.ID != 4097 || len(e.Services) != 1 || e.JWT == "" {
		t.Errorf("%+v", e)
	}
	l := h.logins()[0]
	want := &domain.LogIn{
		Member: 4097, Application: 2, Identity: testHasher{}.Identity(1, domain.ByService, "spotify", "u-7"), Service: domain.Spotify,
		Domain: "example.com", At: now.UnixMilli(),
		Visit: domain.Visit{Page: "moons.example/join", Device: domain.Tablet}, Renewed: true,
	}
	details := domain.VisitDetails{
		IP: "192.0.2.7", WebPath: "https://www.Moons.example/join/?utm=1#top", ReferringURL: "https://from.example/", Visitor: "v-1",
		UserAgent: "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
	}
	equal(t, details, h.detailsOf(&l.Visit), "details")
	equal(t, l.Personal.Key, l.Visit.Details.Key, "data key")
	if d := cmp.Diff(want, l, cmpopts.IgnoreFields(domain.Visit{}, "Key", "Details"), cmpopts.IgnoreFields(domain.LogIn{}, "Personal")); d != "" {
		t.Error(d)
	}
	personal := h.personalOf(&l.Personal)
	if got := personal.Service(2, l.Identity).Fields; got.Get(domain.RecordToken) != "new" || got.Get(domain.RecordSecret) != "sec" {
		t.Errorf("%+v", personal)
	}
	if s := h.engine.submitted[0]; s.Slot != domain.MemberID(4097).Slot() {
		t.Errorf("slot %d", s.Slot)
	}
	h.post("/v1.1/member/login", "service=spotify&uid=u-7&authtoken=tok")
	equal(t, domain.Sealed{}, h.logins()[1].Visit.Details, "nothing given")
	if two := h.logins()[1]; two.Visit.Key == l.Visit.Key {
		t.Error("two logins share the key of their row")
	}
}

// A registration or a login says of its page whether it is that of a segment of the account: shards keep it
// when they keep no other.
func TestI6_VisitSaysThatItsPageIsOfASegment(t *testing.T) {
	h := newFixture(t)
	m := *h.engine.members[4097]
	m.Services = slices.Clone(m.Services)
	m.Services[0].Identity = testHasher{}.Identity(1, domain.ByService, "spotify", "u-7")
	h.engine.members[4097] = &m
	h.engine.segs = append(h.engine.segs,
		&domain.Segment{ID: 2, Account: 1, Page: "moons.example/join"},
		&domain.Segment{ID: 3, Account: 1, Page: "moons.example/gone", Deleted: true},
	)
	for page, want := range map[string]bool{
		"https://www.Moons.example/join/?utm=1#top": true,
		"/join":                          true,
		"moons.example/join":             true,
		"https://moons.example/gone":     false,
		"https://moons.example/join/now": false,
		"https://moons.example":          false,
		"not a page":                     false,
		"":                               false,
	} {
		given := "service=spotify&uid=u-7&authtoken=tok&domain=moons.example&webpath=" + url.QueryEscape(page)
		for _, target := range []string{"/v1.1/member/login", "/v1.1/member/register", "/v1.1/member/4097/register"} {
			h.status(h.post(target, given), http.StatusOK, target)
			var visit *domain.Visit
			switch c := h.engine.submitted[len(h.engine.submitted)-1].Command.(type) {
			case *domain.LogIn:
				visit = &c.Visit
			case *domain.RegisterMember:
				visit = &c.Visit
			case *domain.AttachService:
				visit = &c.Register.Visit
			}
			if visit == nil || visit.OfSegment != want {
				t.Errorf("%s of %q: %+v, want %t", target, page, visit, want)
			}
		}
	}
}

// known gives the member of the fixture a login email and a password.
func known(h *fixture, password string) {
	address := addressOf("ada@example.com")
	m := *h.engine.members[4097]
	m.Passwords = []domain.Password{{Address: address, Hash: h.hashed(password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$")}}
	h.engine.members[4097], h.engine.names[address] = &m, 4097
}

// The right password of an address, in any case of its letters, logs in; a wrong one is error 18, and
// an address that no member has is 13, after the same work: a hash and a record of the log.
func TestLogin_ByEmail(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	if e := answered[wire.Envelope](h, h.post("/v1.1/member/login", "service=email&email=+Ada@Example.com&password=correct+horse")); e.Data.ID != 4097 {
		t.Errorf("%+v", e)
	}
	h.refused(h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=wrong+horse"), domain.WrongPassword, "password")
	h.refused(h.post("/v1.1/member/login", "service=email&email=bob@example.com&password=wrong+horse&ip=192.0.2.7&visitor=v"), domain.NoAccount, "")
	l := h.logins()
	if len(l) != 3 || l[1].Member != 4097 || l[1].Password == l[0].Password || l[2].Member != 0 || l[2].Password != "" || l[2].Visit.Details.Data != "" {
		t.Errorf("%+v", l)
	}
	if s := h.engine.submitted[2]; s.Slot != l[2].Identity.Slot() {
		t.Errorf("slot %d", s.Slot)
	}
}

// A login whose salt is another one by the time it is applied is made again, under an id that follows
// from the request's; the time of a lock is in Retry-After.
func TestLogin_OutcomesOfTheEngine(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	tries := 0
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		if tries++; tries == 1 {
			return domain.Outcome{Again: true, Position: domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: 3, Next: 99}}}}, nil
		}
		return domain.Outcome{Code: domain.Locked, Parameter: "email", Message: "locked", RetryAfter: 840}, nil
	}
	w := h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=correct+horse", "Idempotency-Key", "k")
	h.refused(w, domain.Locked, "email")
	if got := w.Header().Get("Retry-After"); got != "840" {
		t.Errorf("Retry-After %q", got)
	}
	if s := h.engine.submitted; len(s) != 2 || s[0].Request == s[1].Request || s[0].BodyHash != s[1].BodyHash {
		t.Errorf("%d attempts", len(s))
	}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return domain.Outcome{Again: true}, nil }
	h.refused(h.post("/v1.1/member/login", "service=spotify&uid=u-7&authtoken=t"), domain.Unavailable, "")
}

// 100 wrong passwords from one address lock it for 15 minutes, whichever members they are for; another
// address, and a login by a network, are not concerned. A repeat of a request counts once.
func TestLogin_AddressLocks(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	at := now
	h.renew(func(c *Config) { c.Now = func() time.Time { return at } })
	attempt := func(ip, password, key string) int {
		body := "service=email&email=ada@example.com&password=" + password + "&ip=" + ip
		if ip == "" {
			body = "service=email&email=ada@example.com&password=" + password
		}
		return h.post("/v1.1/member/login", body, "Idempotency-Key", key).Code
	}
	for i := range 99 {
		if code := attempt("192.0.2.7", "wrong-horse", fmt.Sprint("k", i)); code != http.StatusUnauthorized {
			t.Fatalf("attempt %d: status %d", i, code)
		}
	}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Code: domain.WrongPassword, Parameter: "password", Message: "wrong", Replayed: true}, nil
	}
	attempt("192.0.2.7", "wrong-horse", "k0")
	h.engine.outcome = nil
	if code := attempt("192.0.2.7", "correct+horse", "right"); code != http.StatusOK {
		t.Fatalf("after 99: status %d", code)
	}
	attempt("192.0.2.7", "wrong-horse", "k99")
	w := h.post("/v1.1/member/login", "service=email&email=bob@example.com&password=correct+horse&ip=192.0.2.7")
	h.refused(w, domain.Locked, "ip")
	if got := w.Header().Get("Retry-After"); got != "900" {
		t.Errorf("Retry-After %q", got)
	}
	if code := attempt("192.0.2.8", "correct+horse", "other"); code != http.StatusOK {
		t.Errorf("another address: status %d", code)
	}
	if code := attempt("", "correct+horse", "connection"); code != http.StatusOK {
		t.Errorf("the connection's address: status %d", code)
	}
	h.status(h.post("/v1.1/member/login", "service=spotify&uid=u-7&authtoken=t&ip=192.0.2.7"), http.StatusOK, "by a network")
	at = at.Add(15 * time.Minute)
	if code := attempt("192.0.2.7", "correct+horse", "later"); code != http.StatusOK {
		t.Errorf("15 minutes later: status %d", code)
	}
}

// Without ip it is the connection's address that is counted.
func TestLogin_ConnectionLocks(t *testing.T) {
	h := newFixture(t)
	known(h, "correct horse")
	for range 100 {
		h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=wrong-horse")
	}
	h.refused(h.post("/v1.1/member/login", "service=email&email=ada@example.com&password=correct+horse"), domain.Locked, "ip")
}

// No secret of a login is logged or answered, whatever the outcome.
func TestLogin_NoSecretInLogOrAnswer(t *testing.T) {
	h := newFixture(t)
	for _, code := range []domain.Code{domain.NoAccount, domain.WrongPassword, domain.Locked, domain.Internal} {
		h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
			if code == domain.Internal {
				panic("secret-panic")
			}
			return domain.Outcome{Code: code, Message: "so it is"}, nil
		}
		w := h.post("/v1.1/member/login", "service=email&email=secret@example.com&password=secret-password&authsecret=secret-x&visitor=secret-v")
		if strings.Contains(h.log.String(), "secret") || strings.Contains(h.log.String(), "argon2") {
			t.Fatalf("logged: %s", h.log)
		}
		if strings.Contains(w.Body.String(), "secret-") || strings.Contains(w.Body.String(), "argon2") {
			t.Fatalf("shown: %s", w.Body)
		}
	}
}

// A registration by email with another password than its address has counts by the address that it
// comes from as a login does, once for a repeated request; a registration by a network is not concerned.
func TestRegister_AddressLocks(t *testing.T) {
	h := newFixture(t)
	register := func(ip, key string) *httptest.ResponseRecorder {
		return h.post("/v1.1/member/register", "service=email&email=ada@example.com&password=wrong-horse&ip="+ip, "Idempotency-Key", key)
	}
	conflict := domain.Outcome{Code: domain.Conflict, Parameter: "password", Message: "another password"}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return conflict, nil }
	for i := range 99 {
		h.refused(register("192.0.2.7", fmt.Sprint("k", i)), domain.Conflict, "password")
	}
	conflict.Replayed = true
	register("192.0.2.7", "k0")
	conflict.Replayed, conflict.Parameter = false, "email"
	h.refused(register("192.0.2.7", "other"), domain.Conflict, "email") // is no wrong password
	conflict.Parameter = "password"
	h.refused(register("192.0.2.7", "k99"), domain.Conflict, "password")
	w := register("192.0.2.7", "k100")
	h.refused(w, domain.Locked, "ip")
	equal(t, "900", w.Header().Get("Retry-After"), "Retry-After")
	h.refused(h.post("/v1.1/member/login", "service=email&email=bob@example.com&password=correct+horse&ip=192.0.2.7"), domain.Locked, "ip")
	h.refused(register("192.0.2.8", "k100"), domain.Conflict, "password")
	h.engine.outcome = nil
	h.status(h.post("/v1.1/member/register", "service=spotify&uid=u-9&authtoken=t&ip=192.0.2.7"), http.StatusOK, "by a network")
}

// A login compares a password of any length: a hash that was imported may be of a short one. Lengths are asked of
// new passwords.
func TestLogin_PasswordOfAnyLength(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	const short = "pw"
	hash := bcryptOf(t, short)
	faults(t, answered[wire.RegisteredMany](h, h.register([]string{imported("Ada@Example.com", hash)})), domain.Code(0), "")
	c := h.registrations()[0]
	m := *h.engine.members[4097]
	m.Services = append([]domain.ServiceRecord{{
		ID: 6, Application: 2, Service: domain.Email, Identity: c.Identity, UID: "ada@example.com",
		Fields: domain.Fields{{Field: domain.RecordImportedHash, Value: hash}},
	}}, m.Services...)
	m.Passwords = []domain.Password{{Address: c.Identity, Hash: c.Password}}
	h.engine.members[4097], h.engine.names[c.Identity] = &m, 4097
	login := func(email, password string) *httptest.ResponseRecorder {
		return h.post("/v1.1/member/login", `{"service":"email","email":"`+email+`","password":"`+password+`"}`)
	}
	for _, length := range []int{1, 2, 7, 8, 256, 257, 4097, 500_000} {
		wrong := strings.Repeat("x", length)
		h.refused(login("ada@example.com", wrong), domain.WrongPassword, "password")
		h.refused(login("nobody@example.com", wrong), domain.NoAccount, "")
	}
	h.status(login("ada@example.com", short), http.StatusOK)
}

// A new password has 8 to 256 bytes, whatever its characters are, wherever one is given.
func TestPassword_LengthOfANewOne(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{
		"x": false, "1234567": false, "12345678": true, "äöü7": false, "äöü78": true, "🔑🔑": true,
		strings.Repeat("x", 256): true, strings.Repeat("x", 257): false,
		strings.Repeat("ä", 128): true, strings.Repeat("ä", 129): false,
		strings.Repeat("🔑", 64): true, strings.Repeat("🔑", 65): false, strings.Repeat("x", 100_000): false,
	} {
		h := newFixture(t)
		form := "&password=" + url.QueryEscape(password)
		for target, body := range map[string]string{
			"/v1.1/member/8195/reset":    "email=bob@example.com",
			"/v1.1/member/register":      "service=email&email=new@example.com",
			"/v1.1/member/4097/register": "service=email&email=newer@example.com",
		} {
			w := h.post(target, body+form)
			if good {
				h.status(w, http.StatusOK, target, len(password))
			} else {
				h.refused(w, domain.InvalidParameter, "password")
			}
		}
		code, about := domain.InvalidParameter, "password"
		if good {
			code, about = 0, ""
		}
		many := h.register([]string{`{"service":"email","email":"newest@example.com","password":"` + password + `"}`})
		faults(t, answered[wire.RegisteredMany](h, many), code, about)
	}
}

// A registration of an address that is there compares its password, of any length: it is no new one.
func TestRegister_KnownAddressComparesAnyLength(t *testing.T) {
	t.Parallel()
	for _, right := range []string{"pw", "1234567", strings.Repeat("ä", 129)} {
		h := newFixture(t)
		stored, err := credentials.NewPasswords(cheap, h.config.TokenKey, credentials.Memory{}).Hash(t.Context(), 1, right, "")
		if err != nil {
			t.Fatal(err)
		}
		m := *h.engine.members[8195]
		address := m.Services[1].Identity
		m.Passwords = []domain.Password{{Address: address, Hash: stored}}
		h.engine.members[8195], h.engine.names[address] = &m, 8195
		for _, password := range []string{right, "x", "1234567x", strings.Repeat("x", 300)} {
			h.engine.submitted = nil
			h.status(h.post("/v1.1/member/register", "service=email&email=bob@example.com&password="+url.QueryEscape(password)), http.StatusOK, password)
			faults(t, answered[wire.RegisteredMany](h, h.register([]string{`{"service":"email","email":"bob@example.com","password":"` + password + `"}`})), domain.Code(0), "")
			got := h.registrations()
			if len(got) != 2 {
				t.Fatalf("%d registrations", len(got))
			}
			for _, c := range got {
				if (c.Password == stored) != (password == right) {
					t.Errorf("password of %d bytes, given one of %d: stored as right is %v", len(right), len(password), c.Password == stored)
				}
			}
		}
	}
}
