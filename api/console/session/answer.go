package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Methods are what Path takes.
const Methods = "DELETE, GET, HEAD, POST"

// maxBody is how much of the body of a sign-in is read.
const maxBody = 4 << 10

// Person is who is signed in.
type Person struct {
	Role        string           `json:"role"`
	Account     domain.AccountID `json:"account"` // 0: none, of an operator
	AccountName string           `json:"accountName"`
	Name        string           `json:"name"`           // of the person; may be empty
	Half        string           `json:"half,omitempty"` // for the header, shown at the sign-in alone
}

// credentials are what a person signs in with.
type credentials struct {
	Token string `json:"token"`
	Key   string `json:"key"`
}

var (
	errMethod = domain.Fail(domain.MethodNotAllowed, "this path takes "+Methods)
	errBody   = domain.Fail(domain.InvalidParameter, `the body must be one JSON object, {"token": "…"} or {"key": "…"}`)
	errLink   = domain.Bad(domain.NotFound, "token", "the link is unknown, used or expired: ask for another one")
	errKey    = domain.Bad(domain.InvalidKey, "key", "the key is unknown or revoked")
	errPublic = domain.Bad(domain.WrongApplication, "key", "a public key signs nobody in: everybody may have it")
	errDoor   = domain.Bad(domain.WrongApplication, "token", "the link is for the other port: operators sign in at the admin port, all others at the public one")
	errNoKeys = domain.Bad(domain.WrongApplication, "key", "a key signs in at the public port alone")
)

// Answer does what a request to Path asks for, and gives who is signed in after it; nil: nobody. The cookie is set in w.
// charge counts a request for an account, and may refuse it.
func (s *Service) Answer(w http.ResponseWriter, r *http.Request, read Reader, charge func(domain.AccountID) error) (*Person, error) {
	w.Header().Set("Cache-Control", "no-store")
	if err := s.Check(r); err != nil {
		return nil, err
	}
	if err := s.Private(r); err != nil {
		return nil, err
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return s.show(w, r, read, charge)
	case http.MethodPost:
		return s.begin(w, r, read, charge)
	case http.MethodDelete:
		return nil, s.end(w, r, read)
	}
	w.Header().Set("Allow", Methods)
	return nil, errMethod
}

func (s *Service) begin(w http.ResponseWriter, r *http.Request, read Reader, charge func(domain.AccountID) error) (*Person, error) {
	given, err := readCredentials(w, r)
	if err != nil {
		return nil, err
	}
	command := &domain.BeginSession{At: s.now()}
	_, _ = rand.Read(command.ID[:]) // never fails
	account, err := s.prepare(given, command, read)
	if err != nil {
		return nil, err
	}
	if err := charge(account); err != nil {
		return nil, err
	}
	if _, err := s.submit(r.Context(), command); err != nil {
		return nil, err
	}
	catalog, err := read(false)
	if err != nil {
		return nil, err
	}
	begun, ok := catalog.Session(command.ID)
	if !ok {
		return nil, domain.ErrUnavailable
	}
	half := random()
	text := encoding.EncodeToString(half[:])
	sum, _ := hashOf(text)
	s.give(w, r, begun, sum)
	person := personOf(catalog, begun)
	person.Half = text
	return person, nil
}

// prepare completes a command by what the person gave, and gives the account that it is of. It refuses what the catalog
// would refuse, so that what anybody sends appends nothing.
func (s *Service) prepare(given credentials, command *domain.BeginSession, read Reader) (domain.AccountID, error) {
	for _, newest := range []bool{false, true} {
		catalog, err := read(newest)
		if err != nil {
			return 0, err
		}
		if given.Key != "" {
			if s.config.Admin {
				return 0, errNoKeys
			}
			k, ok := catalog.Key(domain.HashOfKey(given.Key))
			switch {
			case !ok:
				continue // another node may have made it a moment ago
			case k.Revoked != 0:
				return 0, errKey
			case k.Scope == domain.ScopePublic:
				return 0, errPublic
			}
			command.Key = k.ID
			return k.Account, nil
		}
		hash, ok := hashOf(given.Token)
		if !ok {
			return 0, errLink
		}
		link, ok := catalog.Link(hash)
		switch {
		case !ok:
			continue
		case link.Taken != 0 || command.At >= link.Expires:
			return 0, errLink
		case (link.Role == domain.RoleOperator) != s.config.Admin:
			return 0, errDoor
		}
		command.Link = hash
		return link.Account, nil
	}
	if given.Key != "" {
		return 0, errKey
	}
	return 0, errLink
}

func readCredentials(w http.ResponseWriter, r *http.Request) (given credentials, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return given, domain.Fail(domain.UnsupportedMedia, "the body must be application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err = d.Decode(&given)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return given, domain.Fail(domain.TooLarge, "the body is too large")
	case err != nil || (given.Token == "") == (given.Key == ""):
		return given, errBody
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return given, errBody
	}
	return given, nil
}

func (s *Service) show(w http.ResponseWriter, r *http.Request, read Reader, charge func(domain.AccountID) error) (*Person, error) {
	in, err := s.find(r, read)
	if err != nil {
		return nil, err
	}
	if err := charge(in.session.Account); err != nil {
		return nil, err
	}
	if s.now() >= in.session.Renewed+renewal.Milliseconds() {
		return s.renew(r.Context(), w, r, &in.proof, read)
	}
	return personOf(in.catalog, in.session), nil
}

// renew has a session that is used go on, with the same half and another cookie.
func (s *Service) renew(ctx context.Context, w http.ResponseWriter, r *http.Request, p *proof, read Reader) (*Person, error) {
	if _, err := s.submit(ctx, &domain.RenewSession{ID: p.session, At: s.now()}); err != nil {
		if domain.CodeOf(err) == domain.NotFound { // it was ended meanwhile
			return nil, errNoSession
		}
		return nil, err
	}
	catalog, err := read(false)
	if err != nil {
		return nil, err
	}
	found, err := s.living(catalog, p)
	if err != nil {
		return nil, err
	}
	s.give(w, r, found, p.half)
	return personOf(catalog, found), nil
}

// end ends the session. Whatever comes of it, the browser forgets its half.
func (s *Service) end(w http.ResponseWriter, r *http.Request, read Reader) error {
	s.forget(w, r)
	found, err := s.Find(r, read)
	if err != nil {
		return err
	}
	_, err = s.submit(r.Context(), &domain.EndSession{ID: found.ID, At: s.now()})
	return err
}

func personOf(catalog Catalog, s *domain.Session) *Person {
	p := &Person{Role: s.Role.String(), Account: s.Account, Name: s.Name}
	if account, ok := catalog.Account(s.Account); ok {
		p.AccountName = account.Name
	}
	return p
}
