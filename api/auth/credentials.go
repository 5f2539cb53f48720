package auth

import (
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// The headers that name the caller, and the parameter as Params has it.
const (
	authorization = "Authorization"
	keyHeader     = "X-Api-Key"
	keyParameter  = "apikey"
)

// BearerGiven is what the rules of an input find given where the request has a Bearer.
const BearerGiven = authorization

var (
	errNoKey = domain.Bad(domain.MissingKey, "apiKey",
		"apiKey is required: as X-API-Key or Bearer in the header, or as a parameter of the query or of a POST's body")
	errUnread     = domain.Bad(domain.MissingKey, "apiKey", "neither the header nor the query has an apiKey, and the body cannot be read")
	errInvalidKey = domain.Bad(domain.InvalidKey, "apiKey", "apiKey is unknown or revoked")
	// ErrUnknownKey is the error of a key that the catalog does not have: a newer one may.
	ErrUnknownKey = domain.Bad(domain.InvalidKey, "apiKey", "apiKey is unknown or revoked")
	errTwoKeys    = domain.Bad(domain.InvalidKey, "apiKey", "the request has two keys that differ")
	errTwice      = domain.Bad(domain.InvalidKey, authorization, "Authorization is given twice")
)

// Credentials are what a request names its caller by.
type Credentials struct {
	key      string // empty: none yet
	token    string // of a member
	hasToken bool
	twice    bool // Authorization is given twice: neither is read
}

// FromHeader reads the headers. They must not have two keys that differ.
func FromHeader(h Header) (c Credentials, err error) {
	bearer, given := c.readBearer(h[authorization])
	keys := h[keyHeader]
	switch {
	case given && strings.HasPrefix(bearer, domain.KeyPrefix):
		keys = append(slices.Clip(keys), bearer)
	case given:
		c.token, c.hasToken = bearer, true
	}
	for _, key := range keys {
		if c.key != "" && c.key != key {
			return c, errTwoKeys
		}
		c.key = key
	}
	return c, nil
}

// readBearer is the Bearer of the header Authorization, a key or a member's token. Another scheme is not looked at.
func (c *Credentials) readBearer(values []string) (bearer string, given bool) {
	if len(values) != 1 {
		c.twice = len(values) > 1
		return "", false
	}
	scheme, raw, _ := strings.Cut(values[0], " ")
	return strings.TrimSpace(raw), strings.EqualFold(scheme, "Bearer")
}

// AddParameters adds the key of the parameters read so far, which must be the one known already.
func (c *Credentials) AddParameters(params *bind.Params) error {
	key, _ := params.Get(keyParameter)
	switch {
	case params.TwoKeys():
		return errTwoKeys
	case params.Unreadable(keyParameter):
		return errInvalidKey
	case key == "":
		return nil
	case c.key != "" && c.key != key:
		return errTwoKeys
	}
	c.key = key
	return nil
}

// HasKey reports that a key is known, in the headers or, as text, in the parameters.
func (c *Credentials) HasKey(params *bind.Params) bool {
	inParams, _ := params.Get(keyParameter)
	return c.key != "" || inParams != ""
}

// HasToken reports that the headers have a member's token, good or not.
func (c *Credentials) HasToken() bool { return c.hasToken }

// Caller is the caller whose key the credentials have, without its Bearer, and the error that there is
// none. unread: a body that may have the key cannot be read.
func (c *Credentials) Caller(catalog Catalog, unread bool) (Caller, error) {
	switch {
	case c.key == "" && c.twice: // it may have had the key
		return Caller{}, errTwice
	case c.key == "" && unread:
		return Caller{}, errUnread
	case c.key == "":
		return Caller{}, errNoKey
	}
	key, app, err := lookUp(catalog, c.key)
	return Caller{Key: key, App: app}, err
}
