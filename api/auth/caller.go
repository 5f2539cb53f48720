package auth

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var errOther = domain.Bad(domain.WrongApplication, authorization, "the Bearer is of another member")

// ErrOutdated is the error of a write by a Bearer that is outdated.
var ErrOutdated = domain.Bad(domain.InvalidKey, authorization,
	"the Bearer was made before the member's access token was reset: it may read until it expires, and no more")

// Caller is on whose behalf a request is made.
type Caller struct {
	Key    *domain.Key
	App    *domain.Application
	Bearer domain.MemberID // whose token the request has; 0: none
	Token  string          // of the Bearer
	Issued int64           // in which second since 1970 it was made

	Session *domain.Session // of who is signed in to the console; nil: the request came with a key

	foreign error // the token is another application's
}

// lookUp is the key that a text is and its application.
func lookUp(catalog Catalog, text string) (*domain.Key, *domain.Application, error) {
	key, ok := catalog.Key(domain.HashOfKey(text))
	switch {
	case !ok:
		return nil, nil, ErrUnknownKey
	case key.Revoked != 0:
		return nil, nil, errInvalidKey
	}
	app, ok := catalog.Application(key.Application)
	if !ok || app.Account != key.Account {
		return nil, nil, errInvalidKey
	}
	return key, app, nil
}

// Verify verifies the member token of the credentials, where they have one. A token of another application is no
// error here: Access refuses it.
func (c *Caller) Verify(given *Credentials, tokens Tokens, keys []*domain.SigningKey, now time.Time) error {
	switch {
	case given.twice:
		return errTwice
	case !given.hasToken:
		return nil
	}
	id, err := tokens.Verify(given.token, c.App.ID, keys, now)
	if domain.CodeOf(err) == domain.WrongApplication {
		c.foreign, err = err, nil
	}
	if err != nil {
		return err
	}
	c.Bearer, c.Token, c.Issued = id, given.token, tokens.Made(given.token)
	return nil
}

// CallerOf is who is signed in by a session, with the key that the session began with. One that began with a link acts
// as a key of its application.
func CallerOf(catalog Catalog, s *domain.Session) (Caller, error) {
	key := &domain.Key{Application: s.Application, Account: s.Account, Scope: domain.ScopeApplication}
	if s.Key != 0 {
		k, ok := catalog.KeyByID(s.Key)
		if !ok {
			return Caller{}, errInvalidKey
		}
		key = k
	}
	app, ok := catalog.Application(key.Application)
	if !ok || app.Account != key.Account {
		return Caller{}, errInvalidKey
	}
	return Caller{Key: key, App: app, Session: s}, nil
}

// Role is that of who is signed in; 0: the request came with a key, which has all rights of its application.
func (c *Caller) Role() domain.Role {
	if c.Session == nil {
		return 0
	}
	return c.Session.Role
}

// Account is the account of the key.
func (c *Caller) Account() domain.AccountID { return c.Key.Account }

// Public reports that the key is for pages: everybody may have it.
func (c *Caller) Public() bool { return c.Key.Scope == domain.ScopePublic }

// Own refuses another member than the Bearer's, where there is one.
func (c *Caller) Own(id domain.MemberID) error {
	if c.Bearer != 0 && c.Bearer != id {
		return errOther
	}
	return nil
}

// Outdated reports that the Bearer was made before the member's access token was reset: until it
// expires it reads what it read before.
func (c *Caller) Outdated(m *domain.Member) bool {
	return c.Bearer != 0 && c.Bearer == m.ID && c.Issued < m.TokensFrom()
}
