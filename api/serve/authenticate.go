package serve

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/port"
)

// Tokens judges member tokens. Any goroutine may call it.
type Tokens interface {
	// Verify is the member of a token that is good for the application: else
	// domain.InvalidKey, or domain.WrongApplication for one of another application.
	Verify(raw string, application domain.ApplicationID, keys []*domain.SigningKey, now time.Time) (domain.MemberID, error)
	// Made is the second since 1970 in which a token was made that Verify has taken.
	Made(raw string) int64
	// KeySet is the JSON Web Key Set of those of the keys that are in force.
	KeySet(keys []*domain.SigningKey, now time.Time) []byte
}

// Caller is on whose behalf a request is made.
type Caller struct {
	Key    *domain.Key
	App    *domain.Application
	Bearer domain.MemberID // whose token the request has; 0: none
	Token  string          // of the Bearer
	Issued int64           // in which second since 1970 it was made
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

// The headers that name the caller. A Bearer that begins as keys do is a key, any other one is a
// member's token.
const (
	authorization = "Authorization"
	keyHeader     = "X-Api-Key"
)

// BearerGiven is what the rules of an input find given where the request has a Bearer.
const BearerGiven = authorization

var (
	errNoKey = domain.Bad(domain.MissingKey, "apiKey",
		"apiKey is required: as X-API-Key or Bearer in the header, or as a parameter of the query or of a POST's body")
	errUnread     = domain.Bad(domain.MissingKey, "apiKey", "neither the header nor the query has an apiKey, and the body cannot be read")
	errInvalidKey = domain.Bad(domain.InvalidKey, "apiKey", "apiKey is unknown or revoked")
	errTwoKeys    = domain.Bad(domain.InvalidKey, "apiKey", "the request has two keys that differ")
	errBearer     = domain.Bad(domain.WrongApplication, authorization, "a Bearer is not made for this operation")
	errNoBearer   = domain.Bad(domain.WrongApplication, authorization, "a public key needs the Bearer of the member here")
	errOther      = domain.Bad(domain.WrongApplication, authorization, "the Bearer is of another member")
	errOutdated   = domain.Bad(domain.InvalidKey, authorization, "the Bearer was made before the member's access token was reset: it may read until it expires, and no more")
	errTwice      = domain.Bad(domain.InvalidKey, authorization, "Authorization is given twice")
)

// keyOf is the key that a text is and its application.
func keyOf(catalog port.Catalog, text string) (*domain.Key, *domain.Application, bool) {
	key, ok := catalog.Key(sha256.Sum256([]byte(text)))
	if !ok || key.Revoked != 0 {
		return nil, nil, false
	}
	app, ok := catalog.Application(key.Application)
	if !ok || app.Account != key.Account {
		return nil, nil, false
	}
	return key, app, true
}

// authenticate finds the key, its account's bucket and the member of a Bearer; the parameters of
// the query are there. A body is read before the key is known only when neither a header nor the
// query has one.
func (x *exchange) authenticate() error {
	req := &x.req
	bearer, twice := bearerOf(x.r.Header)
	text, err := keyOfHeaders(x.r.Header, bearer)
	if err != nil {
		return err
	}
	inQuery, _ := req.Params.Get("apikey")
	if text == "" && inQuery == "" && x.r.Method == http.MethodPost && x.op.Each == nil {
		if err := readKeyless(x); err != nil {
			return err
		}
	}
	text, err = sameKey(req.Params, text)
	switch {
	case err != nil:
		return err
	case text == "" && twice != nil: // it may have had the key
		return twice
	case text == "" && x.body.err != nil:
		return errUnread
	case text == "":
		return errNoKey
	}
	key, app, ok := keyOf(req.Catalog, text)
	if !ok {
		return errInvalidKey
	}
	x.key, req.Key, req.App = text, key, app
	allowOrigin(x.w.Header(), x.r, app)
	x.memory.account = key.Account
	x.allowed = x.server.rates.Take(key.Account, req.Catalog.Changed(key.Account), x.server.Now())
	if err = twice; err == nil {
		err = x.verify(bearer)
	}
	if err != nil {
		x.allowed.Waive() // code 2 comes before 8
	}
	return err
}

// bearerOf is the Bearer of a request, a key or a member's token; nil: it has none. Another scheme
// is not looked at.
func bearerOf(h http.Header) (*string, error) {
	values := h[authorization]
	if len(values) == 0 {
		return nil, nil
	}
	if len(values) > 1 {
		return nil, errTwice
	}
	scheme, raw, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, nil
	}
	raw = strings.TrimSpace(raw)
	return &raw, nil
}

func isKey(bearer *string) bool {
	return bearer != nil && strings.HasPrefix(*bearer, domain.KeyPrefix)
}

// keyOfHeaders is the key of the headers; empty: they have none.
func keyOfHeaders(h http.Header, bearer *string) (key string, err error) {
	given := slices.Clone(h[keyHeader])
	if isKey(bearer) {
		given = append(given, *bearer)
	}
	for _, text := range given {
		if key != "" && key != text {
			return "", errTwoKeys
		}
		key = text
	}
	return key, nil
}

// sameKey is the key, or that of the parameters where it is empty: they must not have another one.
func sameKey(params *bind.Params, key string) (string, error) {
	text, _ := params.Get("apikey")
	switch {
	case params.Unreadable("apikey"):
		return "", errInvalidKey
	case text == "":
		return key, nil
	case key != "" && key != text:
		return "", errTwoKeys
	}
	return text, nil
}

// verify verifies the member token of a Bearer. That a token is another application's is told where
// the contract's order has it.
func (x *exchange) verify(bearer *string) error {
	if bearer == nil || isKey(bearer) {
		return nil
	}
	req := &x.req
	id, err := x.server.Tokens.Verify(*bearer, req.App.ID, req.Catalog.SigningKeys(), req.Now)
	if domain.CodeOf(err) == domain.WrongApplication {
		x.foreign, err = err, nil
	}
	if err != nil {
		return err
	}
	req.Bearer, req.Token, req.Issued = id, *bearer, x.server.Tokens.Made(*bearer)
	req.Params.Imply(BearerGiven) // another application's, too: nothing is missing then
	return nil
}

// forPages refuses a public key that the operation is not made for, that lacks the member's token
// it is made for, or that says what only the account knows.
func (x *exchange) forPages() error {
	req := &x.req
	switch {
	case !req.Public():
		return nil
	case !x.op.Public:
		return errScope(req.Key.Scope)
	case x.foreign != nil:
		return x.foreign
	case req.Bearer == 0 && x.op.OfMember:
		return errNoBearer
	}
	for _, name := range x.op.Withheld {
		if _, given := req.Params.Get(bind.Fold(name)); given {
			name = req.Params.Spelled(name)
			return domain.Bad(domain.WrongApplication, name, name+" is for the account to say: a public key does not take it")
		}
	}
	return nil
}

func errScope(s domain.KeyScope) error {
	return domain.Fail(domain.WrongApplication, "a "+s.String()+" key is not made for this operation")
}

// permitted refuses a write by a global key, which is for every GET, and a Bearer of another
// application or member, or beside an operation that takes none.
func (x *exchange) permitted() error {
	req := &x.req
	switch {
	case req.Key.Scope == domain.ScopeGlobal && x.op.Method != http.MethodGet:
		return errScope(req.Key.Scope)
	case x.foreign != nil:
		return x.foreign
	case req.Bearer != 0 && !x.op.TakesBearer:
		return errBearer
	}
	return x.ownsNamed()
}

// upToDate refuses a write by a Bearer that was made before a reset. Of a member that is not there, the
// operation says so.
func (x *exchange) upToDate() error {
	req := &x.req
	if req.Bearer == 0 || x.op.Method != http.MethodPost {
		return nil
	}
	m, _, err := req.Engine.MemberRecord(x.deadline.ctx(), req.Account(), req.Bearer, req.Wait)
	switch code := domain.CodeOf(err); {
	case code == domain.NotFound || code == domain.Gone:
		return nil
	case err != nil:
		return err
	case req.Outdated(m):
		return errOutdated
	}
	return nil
}

// ownsNamed refuses a member in the parameters that is not the Bearer's. Names of another kind
// are refused where they are looked up.
func (x *exchange) ownsNamed() error {
	if x.req.Bearer == 0 {
		return nil
	}
	for _, name := range [...]string{"memberid", "id"} {
		text, given := x.req.Params.Get(name)
		if !given || text == "" || !x.op.Plan.Has(name) {
			continue
		}
		var id bind.ID
		if err := id.ParseParam(text); err != nil || domain.MemberID(id) != x.req.Bearer {
			return errOther
		}
	}
	return nil
}
