package serve

import (
	"crypto/sha256"
	"net/http"
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
	// KeySet is the JSON Web Key Set of those of the keys that are in force.
	KeySet(keys []*domain.SigningKey, now time.Time) []byte
}

// Caller is on whose behalf a request is made.
type Caller struct {
	Key    *domain.Key
	App    *domain.Application
	Bearer domain.MemberID // whose token the request has; 0: none
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

const authorization = "Authorization"

// BearerGiven is what the rules of an input find given where the request has a Bearer.
const BearerGiven = authorization

var (
	errInvalidKey = domain.Bad(domain.InvalidKey, "apiKey", "apiKey is unknown or revoked")
	errBearer     = domain.Bad(domain.WrongApplication, authorization, "a Bearer is not made for this operation")
	errNoBearer   = domain.Bad(domain.WrongApplication, authorization, "a public key needs the Bearer of the member here")
	errOther      = domain.Bad(domain.WrongApplication, authorization, "the Bearer is of another member")
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
// the query are there. The key may be in the body: a body is read before the key is known only
// when the query has none.
func (x *exchange) authenticate() error {
	req := &x.req
	given, _ := req.Params.Get("apikey")
	if given == "" && x.r.Method == http.MethodPost && x.op.Each == nil {
		x.readBody()
		given, _ = req.Params.Get("apikey")
	}
	if req.Params.Unreadable("apikey") {
		return errInvalidKey
	}
	if given == "" {
		if x.body.err != nil {
			return domain.Bad(domain.MissingKey, "apiKey", "the query has no apiKey, and the body cannot be read")
		}
		return domain.Bad(domain.MissingKey, "apiKey", "apiKey is required, as a parameter of the query or of a POST's body; headers are not looked at")
	}
	key, app, ok := keyOf(req.Catalog, given)
	if !ok {
		return errInvalidKey
	}
	req.Key, req.App = key, app
	allowOrigin(x.w.Header(), x.r, app)
	x.allowed = x.server.limits.take(&x.req, x.server.Now())
	if err := x.readBearer(); err != nil {
		x.allowed.owes = false // code 2 comes before 8
		return err
	}
	return nil
}

// readBearer verifies the member token of the header Authorization, where it has one. Another
// scheme is not looked at. That a token is another application's is told where the contract's
// order has it.
func (x *exchange) readBearer() error {
	values := x.r.Header[authorization]
	if len(values) == 0 {
		return nil
	}
	scheme, raw, _ := strings.Cut(values[0], " ")
	if len(values) > 1 {
		return errTwice
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return nil
	}
	req := &x.req
	id, err := x.server.Tokens.Verify(strings.TrimSpace(raw), req.App.ID, req.Catalog.SigningKeys(), req.Now)
	if domain.CodeOf(err) == domain.WrongApplication {
		x.foreign = err
		return nil
	}
	if err != nil {
		return err
	}
	req.Bearer = id
	req.Params.Imply(BearerGiven)
	return nil
}

// permitted refuses a key whose scope the operation is not made for, and a Bearer of another
// application or member, or beside an operation that takes none. A global key is for every GET.
func (x *exchange) permitted() error {
	req := &x.req
	switch {
	case req.Key.Scope == domain.ScopeGlobal && x.op.Method != http.MethodGet,
		req.Public() && !x.op.Public:
		return domain.Fail(domain.WrongApplication, "a "+req.Key.Scope.String()+" key is not made for this operation")
	case x.foreign != nil:
		return x.foreign
	case req.Bearer != 0 && !x.op.TakesBearer:
		return errBearer
	case req.Bearer == 0 && req.Public() && x.op.OfMember:
		return errNoBearer
	}
	return x.ownsNamed()
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
