package session_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/session"
)

// A person is told who it is, with the name of its account, and the half once.
func TestService_WhoIsSignedIn(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	person, _, err := n.asks(far.request("POST", `{"token":"`+i.link(domain.RoleEditor)+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"role": "editor", "account": 1.0, "accountName": "Night Label", "name": "Ada", "half": person.Half}
	if diff := cmp.Diff(want, parsed(t, person)); diff != "" || person.Half == "" {
		t.Error(diff)
	}
	b := far.signsInBy(n, `{"key":"`+goodKey+`"}`)
	i.change(func(c *catalog) { c.accounts[1] = &domain.Account{ID: 1, Name: "Day Label"} })
	n.catchUp()
	if person, _, err = n.asks(b.request("GET", "")); err != nil {
		t.Fatal(err)
	}
	want = map[string]any{"role": "developer", "account": 1.0, "accountName": "Day Label", "name": ""}
	if diff := cmp.Diff(want, parsed(t, person)); diff != "" {
		t.Error(diff)
	}
	admin := i.node(adminPort)
	b = far.signsIn(admin, i.link(domain.RoleOperator, func(l *domain.Link) { l.Account, l.Application, l.Name = 0, 0, "" }))
	if person, _, err = admin.asks(b.request("GET", "")); err != nil || *person != (session.Person{Role: "operator"}) {
		t.Errorf("%+v, %v", person, err)
	}
}

// Of many who take one link at once, at two nodes, one has a session. Who comes later is refused without a command.
func TestService_LinkIsTakenOnce(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	token := i.link(domain.RoleAnalyst)
	nodes := []*node{i.node(), i.node()}
	codes := make([]domain.Code, 32)
	var all sync.WaitGroup
	for k := range codes {
		all.Go(func() {
			_, _, err := nodes[k%2].asks(far.request("POST", `{"token":"`+token+`"}`))
			codes[k] = domain.CodeOf(err)
		})
	}
	all.Wait()
	slices.Sort(codes)
	if codes[0] != domain.OK || codes[1] != domain.NotFound || len(i.read().sessions) != 1 {
		t.Errorf("%v, %d sessions", codes, len(i.read().sessions))
	}
	submitted := len(i.submitted)
	for _, n := range nodes {
		n.catchUp()
		if _, _, err := n.asks(far.request("POST", `{"token":"`+token+`"}`)); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("a used link: %v", err)
		}
	}
	if len(i.submitted) != submitted {
		t.Error("a used link appends a command")
	}
}

// What is not good to sign in with appends nothing.
func TestService_RefusedWithoutACommand(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.change(func(c *catalog) {
		c.keys[8] = &domain.Key{ID: 8, Account: 1, Application: 3, Hash: sha256.Sum256([]byte("ov_public")), Scope: domain.ScopePublic}
	})
	n, admin := i.node(), i.node(adminPort)
	token := i.link(domain.RoleAnalyst)
	for body, code := range map[string]domain.Code{
		``:                            domain.InvalidParameter,
		`null`:                        domain.InvalidParameter,
		`[]`:                          domain.InvalidParameter,
		`{"token":"` + token:          domain.InvalidParameter,
		`{"token":"` + token + `"}]`:  domain.InvalidParameter,
		`{"token":"` + token + `"}}`:  domain.InvalidParameter,
		`{"token":"` + token + `"} x`: domain.InvalidParameter,
		`{"token":7}`:                 domain.InvalidParameter,
		`{"token":"` + token + `","key":"` + goodKey + `"}`:          domain.InvalidParameter,
		`{"token":"` + token[1:] + `"}`:                              domain.NotFound,
		`{"token":"` + token[1:] + `A"}`:                             domain.NotFound,
		`{"token":"` + token + `="}`:                                 domain.NotFound,
		`{"key":"` + strings.ToUpper(goodKey) + `"}`:                 domain.InvalidKey,
		`{"key":"` + token + `"}`:                                    domain.InvalidKey,
		`{"key":"ov_public"}`:                                        domain.WrongApplication,
		`{"token":"` + goodKey + `"}`:                                domain.NotFound,
		`{"token":"` + strings.Repeat(" ", 5000) + token[:9] + `"}`:  domain.TooLarge,
		`{"token":"` + i.link(domain.RoleOperator) + `"}`:            domain.WrongApplication,
		`{"token":"` + i.link(domain.RoleAnalyst, expired(i)) + `"}`: domain.NotFound,
	} {
		if p, answer, err := n.asks(far.request("POST", body)); domain.CodeOf(err) != code || p != nil || len(answer.Cookies()) != 0 {
			t.Errorf("%s: %+v %v, want code %d", body, p, err, code)
		}
	}
	for _, role := range []domain.Role{domain.RoleAnalyst, domain.RoleEditor, domain.RoleDeveloper} {
		if _, _, err := admin.asks(far.request("POST", `{"token":"`+i.link(role)+`"}`)); domain.CodeOf(err) != domain.WrongApplication {
			t.Errorf("%s at the admin port: %v", role, err)
		}
	}
	if _, _, err := admin.asks(far.request("POST", `{"key":"`+goodKey+`"}`)); domain.CodeOf(err) != domain.WrongApplication {
		t.Errorf("a key at the admin port: %v", err)
	}
	i.change(func(c *catalog) {
		revoked := *c.keys[keyID]
		revoked.Revoked = 5
		c.keys[keyID] = &revoked
	})
	n.catchUp()
	if _, _, err := n.asks(far.request("POST", `{"key":"`+goodKey+`"}`)); domain.CodeOf(err) != domain.InvalidKey {
		t.Errorf("a revoked key: %v", err)
	}
	if len(i.submitted) != 0 {
		t.Errorf("%d commands", len(i.submitted))
	}
}

func expired(i *installation) func(*domain.Link) {
	return func(l *domain.Link) { l.Expires = i.now.UnixMilli() }
}

// A link is good up to its last millisecond. What another node made a moment ago is found.
func TestService_LinkOfAnotherNode(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	token := i.link(domain.RoleAnalyst)
	i.at((domain.LinkLife - 1) * time.Millisecond)
	b := far.signsIn(n, token)
	other := i.node()
	i.at(time.Hour)
	i.change(func(*catalog) {})
	other.seen = &catalog{} // it lags behind the first one
	if b.is(other).Name != "Ada" {
		t.Error("a session that began at another node")
	}
	other.seen = &catalog{}
	far.signsInBy(other, `{"key":"`+goodKey+`"}`)
}

// A session that is used is renewed at most once a day, with the same half. A failure of the log is told, and changes
// nothing.
func TestService_Renewed(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	b := far.signsIn(n, i.link(domain.RoleAnalyst))
	show := func(after time.Duration, renewed bool) {
		t.Helper()
		i.at(after)
		before := len(i.submitted)
		person, answer, err := n.asks(b.request("GET", ""))
		if err != nil || person.Half != "" || (len(answer.Cookies()) == 1) != renewed || (len(i.submitted) > before) != renewed {
			t.Fatalf("after %v: %+v, %v, %d commands", after, person, err, len(i.submitted)-before)
		}
		b = b.keeps(answer)
	}
	const day = 24 * time.Hour
	show(0, false)
	show(day-time.Millisecond, false)
	show(day, true)
	show(day, false)
	show(2*day, true)
	show(31*day, true)
	for _, s := range i.read().sessions {
		if s.Begun != begun.UnixMilli() || s.Renewed != begun.Add(31*day).UnixMilli() {
			t.Errorf("%+v", s)
		}
	}
	// It is ended between the reading and the renewal.
	i.at(33 * day)
	behind := n.seen
	b.is(n)
	i.change(func(c *catalog) {
		for id, s := range c.sessions {
			ended := *s
			ended.Ended = 5
			c.sessions[id] = &ended
		}
	})
	n.seen = behind
	if _, answer, err := n.asks(b.request("GET", "")); domain.CodeOf(err) != domain.InvalidKey || len(answer.Cookies()) != 0 {
		t.Errorf("ended meanwhile: %v", err)
	}
}

// A session that ended is none at any node that has applied it, and cannot be ended or renewed again.
func TestService_End(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n, other := i.node(), i.node()
	b, stays := far.signsIn(n, i.link(domain.RoleAnalyst)), far.signsIn(n, i.link(domain.RoleEditor))
	b.is(other)
	person, answer, err := n.asks(b.request("DELETE", ""))
	if err != nil || person != nil || len(answer.Cookies()) != 1 || answer.Cookies()[0].MaxAge >= 0 {
		t.Fatalf("%+v, %v, %v", person, err, answer.Header)
	}
	other.catchUp()
	for _, n := range []*node{n, other} {
		for _, method := range []string{"GET", "DELETE"} {
			_, answer, err := n.asks(b.request(method, ""))
			if domain.CodeOf(err) != domain.InvalidKey || (len(answer.Cookies()) == 1) != (method == "DELETE") {
				t.Errorf("%s: %v", method, err)
			}
		}
		stays.is(n)
	}
}

// A session ends with what it is of: its key, its account, its application. One whose role is another one since is not
// that of the cookie.
func TestService_EndsWithWhatItIsOf(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*catalog){
		"key revoked":                    func(c *catalog) { k := *c.keys[keyID]; k.Revoked = 1; c.keys[keyID] = &k },
		"key gone":                       func(c *catalog) { delete(c.keys, keyID) },
		"account gone":                   func(c *catalog) { delete(c.accounts, 1) },
		"application gone":               func(c *catalog) { delete(c.applications, 3) },
		"application of another account": func(c *catalog) { c.applications[3] = &domain.Application{ID: 3, Account: 2} },
		"session gone":                   func(c *catalog) { clear(c.sessions) },
		"another role":                   func(c *catalog) { each(c, func(s *domain.Session) { s.Role = domain.RoleEditor }) },
		"an operator":                    func(c *catalog) { each(c, func(s *domain.Session) { s.Role = domain.RoleOperator }) },
		"another account":                func(c *catalog) { each(c, func(s *domain.Session) { s.Account = 2 }) },
		"another application":            func(c *catalog) { each(c, func(s *domain.Session) { s.Application = 4 }) },
		"without the key":                func(c *catalog) { each(c, func(s *domain.Session) { s.Key = 0 }) },
	} {
		i := newInstallation(t)
		n := i.node()
		b := far.signsInBy(n, `{"key":"`+goodKey+`"}`)
		b.is(n)
		i.change(change)
		n.catchUp()
		if !b.refused(n, domain.InvalidKey) {
			t.Errorf("%s: the session goes on", what)
		}
		if _, answer, err := n.asks(b.request("GET", "")); domain.CodeOf(err) != domain.InvalidKey || len(answer.Cookies()) != 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Whatever the cookie says, a session is of its port.
func TestService_StillOfItsPort(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	public, admin := i.node(), i.node(adminPort)
	far.signsIn(public, i.link(domain.RoleDeveloper))
	far.signsIn(admin, i.link(domain.RoleOperator))
	for _, s := range i.read().sessions {
		isOperator := s.Role == domain.RoleOperator
		if got := public.Still(i.read(), s) == nil; got == isOperator {
			t.Errorf("%s at the public port: %t", s.Role, got)
		}
		if got := admin.Still(i.read(), s) == nil; got != isOperator {
			t.Errorf("%s at the admin port: %t", s.Role, got)
		}
	}
}

func each(c *catalog, f func(*domain.Session)) {
	for id, s := range c.sessions {
		changed := *s
		f(&changed)
		c.sessions[id] = &changed
	}
}

// Nobody signs in over a connection that others can read.
func TestService_Private(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, host, remote string
		secure, want       bool
	}{
		{"", "api.example", far.remote, true, true},
		{"", "api.example", far.remote, false, false},
		{"", "api.example", near.remote, false, false},
		{"", "127.0.0.1:8080", far.remote, false, false},
		{"", "localhost:8080", near.remote, false, true},
		{"http://api.example", "api.example", far.remote, false, false},
		{"https://api.example", "API.example", far.remote, false, true},
		{"https://api.example", "api.example:443", far.remote, false, true},
		{"https://api.example:443", "api.example", far.remote, false, true},
		{"https://api.example:443/", "api.example", far.remote, false, true},
		{"https://api.example:8443", "api.example:8443", far.remote, false, true},
		{"https://api.example:8443", "api.example", far.remote, false, false},
		{"https://api.example", "api.example:8443", far.remote, false, false},
		{"https://api.example", "other.example", far.remote, false, false},
		{"https://", "", far.remote, false, false},
	} {
		i := newInstallation(t)
		n := i.node(func(s *session.Config) { s.BaseURL = c.base })
		r := browser{host: "x", remote: c.remote, plain: !c.secure}.request("POST", `{"token":"`+i.link(domain.RoleAnalyst)+`"}`)
		r.Host = c.host
		_, _, err := n.asks(r)
		if (err == nil) != c.want || err != nil && domain.CodeOf(err) != domain.WrongApplication {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A page of another origin is refused before anything is read, by every method. So is a rate that is used up, before
// anything is written.
func TestService_Refusals(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node()
	b := far.signsIn(n, i.link(domain.RoleAnalyst))
	token := i.link(domain.RoleAnalyst)
	submitted := len(i.submitted)
	unread := func(bool) (session.Catalog, error) {
		t.Error("the catalog is read")
		return nil, domain.ErrUnavailable
	}
	for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "PUT"} {
		for _, foreign := range []http.Header{
			{"Origin": {"https://evil.example"}},
			{"Origin": {"null"}},
			{"Origin": {"http://api.example"}},
			{"Sec-Fetch-Site": {"same-site"}},
			{"Sec-Fetch-Site": {"cross-site"}},
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"same-origin"}},
			{"Origin": {"https://api.example", "https://evil.example"}},
		} {
			r := b.request(method, `{"token":"`+token+`"}`)
			maps.Copy(r.Header, foreign)
			if _, err := n.Answer(discard{}, r, unread, func(domain.AccountID) error { return nil }); domain.CodeOf(err) != domain.WrongApplication {
				t.Errorf("%s %q: %v", method, foreign, err)
			}
		}
	}
	over := domain.Fail(domain.RateLimited, "too often")
	for _, method := range []string{"GET", "POST"} {
		i.at(48 * time.Hour) // the session would be renewed
		token := i.link(domain.RoleAnalyst)
		charged := domain.AccountID(0)
		_, err := n.Answer(discard{}, b.request(method, `{"token":"`+token+`"}`), n.read, func(a domain.AccountID) error { charged = a; return over })
		if !errors.Is(err, over) || charged != 1 {
			t.Errorf("%s: %v, charged to %d", method, err, charged)
		}
	}
	if _, _, err := n.asks(b.request("PUT", "")); domain.CodeOf(err) != domain.MethodNotAllowed {
		t.Errorf("PUT: %v", err)
	}
	if len(i.submitted) != submitted {
		t.Errorf("%d commands", len(i.submitted)-submitted)
	}
}

// A log that does not answer gives nobody a session.
func TestService_LogAway(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	n := i.node(func(c *session.Config) { c.Engine = away{} })
	person, answer, err := n.asks(far.request("POST", `{"token":"`+i.link(domain.RoleAnalyst)+`"}`))
	if person != nil || !errors.Is(err, errAway) || len(answer.Cookies()) != 0 {
		t.Errorf("%+v, %v", person, err)
	}
}

var errAway = errors.New("the log is away")

type away struct{}

func (away) Submit(context.Context, domain.Submission) (domain.Outcome, error) {
	return domain.Outcome{}, errAway
}
func (away) Await(context.Context, domain.Position) error { return errAway }

// discard is an answer that is not looked at.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
