package session

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/origin"
)

// Path is where people sign in, see who they are, and sign out.
const Path = "/console/session"

// LinkPath is what a link has before its token: a fragment, which a browser sends to no server.
const LinkPath = "/#in="

// Header is the header of the half that pages keep.
const Header = "Ovation-Console"

// renewal is after how long a session that is used is renewed.
const renewal = 24 * time.Hour

// Catalog is one state of what the installation knows of links, sessions and keys. Any goroutine may call it.
type Catalog interface {
	Link(hash domain.LinkHash) (*domain.Link, bool)
	Session(id domain.SessionID) (*domain.Session, bool)
	Key(hash domain.KeyHash) (*domain.Key, bool)
	KeyByID(id uint32) (*domain.Key, bool)
	Account(id domain.AccountID) (*domain.Account, bool)
	Application(id domain.ApplicationID) (*domain.Application, bool)
}

// Engine is what a Service needs of the node. Any goroutine may call it.
type Engine interface {
	// Submit appends a command to the catalog and waits for its outcome. The error is for an outcome that is not known.
	Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error)
	// Await returns once the position is applied.
	Await(ctx context.Context, wait domain.Position) error
}

// Reader gives a state of the catalog, the newest that there is in the installation where that is asked for.
type Reader func(newest bool) (Catalog, error)

// Config is what a Service is made of.
type Config struct {
	Engine  Engine
	Secret  [16]byte         // of the installation, the same on every node
	Now     func() time.Time // the time of day
	Admin   bool             // the port is the admin port: sessions are of operators
	BaseURL string           // scheme and host that clients reach the port under, where that is configured
}

// Service begins, finds and ends the sessions of one port.
type Service struct {
	config Config
	sealer sealer
	secure string // host that clients reach the port under by https; empty: none
}

// New makes a Service.
func New(config Config) *Service {
	s := &Service{config: config, sealer: newSealer(config.Secret)}
	if base, err := url.Parse(config.BaseURL); err == nil && base.Scheme == "https" {
		s.secure = withoutPort(base.Host)
	}
	return s
}

var (
	errForeign   = domain.Fail(domain.WrongApplication, "a page of another origin may not use the console's session")
	errInsecure  = domain.Fail(domain.WrongApplication, "nobody signs in over a connection that others can read: reach the node by https, or from its own machine by localhost")
	errSignedOut = domain.Fail(domain.MissingKey, "nobody is signed in: the console's cookie or the header "+Header+" is missing")
	errNoSession = domain.Fail(domain.InvalidKey, "the session is unknown, over, or not of this page: sign in again")
)

// Check refuses a request that a page of another origin makes, which another port of the host is, too. Reads are checked
// as writes are: their answers are private.
func (s *Service) Check(r *http.Request) error {
	if origin.OfAnother(r) {
		return errForeign
	}
	return nil
}

// Private is nil for a connection that others cannot read.
func (s *Service) Private(r *http.Request) error {
	if r.TLS != nil || origin.FromLoopback(r) || s.secure != "" && strings.EqualFold(withoutPort(r.Host), s.secure) {
		return nil
	}
	return errInsecure
}

// withoutPort is a host without the port of https, which browsers leave out.
func withoutPort(host string) string { return strings.TrimSuffix(host, ":443") }

// Find is the session of a request, whose two halves belong together and are of this port and host. The session is as
// the catalog has it now.
func (s *Service) Find(r *http.Request, read Reader) (*domain.Session, error) {
	in, err := s.find(r, read)
	return in.session, err
}

// signedIn is who makes a request.
type signedIn struct {
	proof   proof
	session *domain.Session
	catalog Catalog // that has the session
}

func (s *Service) find(r *http.Request, read Reader) (in signedIn, err error) {
	if in.proof, err = s.proven(r); err != nil {
		return in, err
	}
	if in.catalog, err = read(false); err != nil {
		return in, err
	}
	if _, ok := in.catalog.Session(in.proof.session); !ok { // it may have begun on another node a moment ago
		if in.catalog, err = read(true); err != nil {
			return in, err
		}
	}
	in.session, err = s.living(in.catalog, &in.proof)
	return in, err
}

// proven is the proof of a request whose two halves belong together.
func (s *Service) proven(r *http.Request) (p proof, err error) {
	cookie, err := s.cookie(r)
	if err != nil {
		return p, err
	}
	halves := r.Header.Values(Header)
	switch len(halves) {
	case 0:
		return p, errSignedOut
	case 1:
	default:
		return p, errNoSession
	}
	p, ok := s.sealer.open(cookie.Value, door(cookie.Name, r))
	sum, isHalf := hashOf(halves[0])
	if !ok || !isHalf || subtle.ConstantTimeCompare(sum[:], p.half[:]) != 1 || s.now() >= p.expires {
		return p, errNoSession
	}
	return p, nil
}

// living is the session of a proof, if the catalog says so.
func (s *Service) living(catalog Catalog, p *proof) (*domain.Session, error) {
	found, ok := catalog.Session(p.session)
	if !ok || !p.of(found) || s.Still(catalog, found) != nil {
		return nil, errNoSession
	}
	return found, nil
}

// Still is nil while a session is one by a catalog: it is not over, is for this port, and what it was begun with and is
// of is there.
func (s *Service) Still(catalog Catalog, was *domain.Session) error {
	found, ok := catalog.Session(was.ID)
	if !ok || found.Over(s.now()) || (found.Role == domain.RoleOperator) != s.config.Admin {
		return errNoSession
	}
	if found.Key != 0 {
		if k, ok := catalog.KeyByID(found.Key); !ok || k.Revoked != 0 {
			return errNoSession
		}
	}
	if found.Account == 0 && found.Role == domain.RoleOperator {
		return nil
	}
	_, there := catalog.Account(found.Account)
	if app, ok := catalog.Application(found.Application); !ok || !there || app.Account != found.Account {
		return errNoSession
	}
	return nil
}

// Note keeps in the catalog that the person of a session asks for a change: what it did, and of which id. It is there when Note
// returns.
func (s *Service) Note(ctx context.Context, of *domain.Session, did string) error {
	_, err := s.submit(ctx, &domain.NoteDeed{Session: of.ID, Did: did[:min(len(did), domain.MaxDeedText)]})
	return err
}

func (s *Service) now() int64 { return s.config.Now().UnixMilli() }

// submit appends a command to the catalog, and returns when it is applied here.
func (s *Service) submit(ctx context.Context, command domain.Command) (domain.Outcome, error) {
	to := domain.Submission{Command: command}
	_, _ = rand.Read(to.Request[:]) // never fails
	out, err := s.config.Engine.Submit(ctx, to)
	if err != nil {
		return out, err
	}
	if err := out.Err(); err != nil {
		return out, err
	}
	return out, s.config.Engine.Await(ctx, out.Position)
}
