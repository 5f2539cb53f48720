package session_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/session"
)

// begun is the time of day at which tests begin.
var begun = time.UnixMilli(1_700_000_000_123)

// The key of the catalog that tests sign in with.
const (
	goodKey = "ov_good"
	keyID   = 7
)

// catalog is one state of the fake catalog. It does not change once it was read.
type catalog struct {
	links        map[domain.LinkHash]*domain.Link
	sessions     map[domain.SessionID]*domain.Session
	keys         map[uint32]*domain.Key
	accounts     map[domain.AccountID]*domain.Account
	applications map[domain.ApplicationID]*domain.Application
}

func (c *catalog) Link(hash domain.LinkHash) (*domain.Link, bool) {
	l, ok := c.links[hash]
	return l, ok
}

func (c *catalog) Session(id domain.SessionID) (*domain.Session, bool) {
	s, ok := c.sessions[id]
	return s, ok
}

func (c *catalog) Key(hash domain.KeyHash) (*domain.Key, bool) {
	for _, k := range c.keys {
		if k.Hash == hash {
			return k, true
		}
	}
	return nil, false
}

func (c *catalog) KeyByID(id uint32) (*domain.Key, bool) {
	k, ok := c.keys[id]
	return k, ok
}

func (c *catalog) Account(id domain.AccountID) (*domain.Account, bool) {
	a, ok := c.accounts[id]
	return a, ok
}

func (c *catalog) Application(id domain.ApplicationID) (*domain.Application, bool) {
	a, ok := c.applications[id]
	return a, ok
}

// installation has the newest catalog, and the time of day. Its nodes share it.
type installation struct {
	t testing.TB

	mu        sync.Mutex
	newest    *catalog
	now       time.Time
	submitted []domain.Command
}

func newInstallation(t testing.TB) *installation {
	return &installation{t: t, now: begun, newest: &catalog{
		links: map[domain.LinkHash]*domain.Link{}, sessions: map[domain.SessionID]*domain.Session{},
		keys:         map[uint32]*domain.Key{keyID: {ID: keyID, Account: 1, Application: 3, Hash: sha256.Sum256([]byte(goodKey)), Scope: domain.ScopeApplication}},
		accounts:     map[domain.AccountID]*domain.Account{1: {ID: 1, Name: "Night Label"}},
		applications: map[domain.ApplicationID]*domain.Application{3: {ID: 3, Account: 1}},
	}}
}

// change makes another state of the catalog.
func (i *installation) change(f func(*catalog)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	c := i.newest
	next := &catalog{maps.Clone(c.links), maps.Clone(c.sessions), maps.Clone(c.keys), maps.Clone(c.accounts), maps.Clone(c.applications)}
	f(next)
	i.newest = next
}

func (i *installation) read() *catalog {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.newest
}

// at sets the time of day to so long after the beginning.
func (i *installation) at(after time.Duration) { i.now = begun.Add(after) }

// link has the catalog keep a link, and gives its token.
func (i *installation) link(role domain.Role, change ...func(*domain.Link)) string {
	token, hash := session.NewToken()
	l := &domain.Link{Hash: hash, Role: role, Account: 1, Application: 3, Name: "Ada", Created: i.now.UnixMilli(), Expires: i.now.UnixMilli() + domain.LinkLife}
	for _, f := range change {
		f(l)
	}
	i.change(func(c *catalog) { c.links[hash] = l })
	return token
}

// apply does what the catalog does with a command.
func (i *installation) apply(command domain.Command) (out domain.Outcome) {
	i.change(func(c *catalog) {
		i.submitted = append(i.submitted, command)
		switch m := command.(type) {
		case *domain.BeginSession:
			out = c.begin(m)
		case *domain.RenewSession:
			s := *c.sessions[m.ID]
			if s.Over(m.At) {
				out = domain.Failed(domain.Bad(domain.NotFound, "id", "no such session"))
				return
			}
			s.Renewed = m.At
			c.sessions[m.ID] = &s
		case *domain.EndSession:
			s := *c.sessions[m.ID]
			s.Ended = m.At
			c.sessions[m.ID] = &s
		}
	})
	return out
}

func (c *catalog) begin(m *domain.BeginSession) domain.Outcome {
	s := &domain.Session{ID: m.ID, Key: m.Key, Begun: m.At, Renewed: m.At}
	if m.Key != 0 {
		k := c.keys[m.Key]
		s.Role, s.Account, s.Application = domain.RoleDeveloper, k.Account, k.Application
	} else {
		l := *c.links[m.Link]
		if l.Taken != 0 {
			return domain.Failed(domain.Bad(domain.NotFound, "token", "the link is used"))
		}
		s.Role, s.Account, s.Application, s.Name = l.Role, l.Account, l.Application, l.Name
		l.Taken = m.At
		c.links[m.Link] = &l
	}
	c.sessions[m.ID] = s
	return domain.Outcome{}
}

// node is a port of a node. It has applied the catalog as of its last read.
type node struct {
	*session.Service
	of   *installation
	mu   sync.Mutex
	seen *catalog
}

func (i *installation) node(change ...func(*session.Config)) *node {
	n := &node{of: i, seen: i.read()}
	config := session.Config{Engine: n, Secret: [16]byte{1}, Now: func() time.Time { return i.now }}
	for _, f := range change {
		f(&config)
	}
	n.Service = session.New(config)
	return n
}

func adminPort(c *session.Config) { c.Admin = true }

func (n *node) Submit(_ context.Context, s domain.Submission) (domain.Outcome, error) {
	if s.Request == (domain.RequestID{}) {
		n.of.t.Error("a command without a request id")
	}
	return n.of.apply(s.Command), nil
}

func (n *node) Await(context.Context, domain.Position) error {
	n.catchUp()
	return nil
}

func (n *node) catchUp() *catalog {
	newest := n.of.read()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen = newest
	return newest
}

func (n *node) read(newest bool) (session.Catalog, error) {
	if newest {
		return n.catchUp(), nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen, nil
}

// asks is what a node answers to a request of a page at session.Path.
func (n *node) asks(r *http.Request) (*session.Person, *http.Response, error) {
	w := httptest.NewRecorder()
	p, err := n.Answer(w, r, n.read, func(domain.AccountID) error { return nil })
	return p, w.Result(), err
}

// browser is where requests come from, and what it has of a session.
type browser struct {
	host, remote, agent string
	plain               bool // without TLS
	cookie, half        string
}

// far is a browser that reaches a node by TLS.
var far = browser{host: "api.example", remote: "203.0.113.7:4"}

// near is one on the machine of the node.
var near = browser{host: "127.0.0.1:8080", remote: "127.0.0.1:4", plain: true}

func (b browser) request(method, body string) *http.Request {
	r := httptest.NewRequest(method, "http://"+b.host+session.Path, strings.NewReader(body))
	r.RemoteAddr = b.remote
	if !b.plain {
		r.TLS = new(tls.ConnectionState)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{"Cookie": b.cookie, session.Header: b.half, "User-Agent": b.agent} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return r
}

// signsIn is the browser after a sign-in by a link.
func (b browser) signsIn(n *node, token string) browser {
	n.of.t.Helper()
	return b.signsInBy(n, `{"token":"`+token+`"}`)
}

func (b browser) signsInBy(n *node, body string) browser {
	n.of.t.Helper()
	person, answer, err := n.asks(b.request("POST", body))
	if err != nil {
		n.of.t.Fatal(err)
	}
	b.half = person.Half
	return b.keeps(answer)
}

// keeps is the browser with the cookies of an answer.
func (b browser) keeps(answer *http.Response) browser {
	for _, c := range answer.Cookies() {
		b.cookie = c.Name + "=" + c.Value
	}
	return b
}

// refused reports that a node knows no session of the request, with the code.
func (b browser) refused(n *node, code domain.Code) bool {
	_, err := n.Find(b.request("GET", ""), n.read)
	return err != nil && domain.CodeOf(err) == code
}

// is is the session that a node finds.
func (b browser) is(n *node) *domain.Session {
	n.of.t.Helper()
	s, err := n.Find(b.request("GET", ""), n.read)
	if err != nil {
		n.of.t.Error(err)
		return &domain.Session{}
	}
	return s
}

func parsed(t testing.TB, p *session.Person) (fields map[string]any) {
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
