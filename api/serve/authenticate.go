package serve

import (
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
)

// Tokens judges member tokens and gives the keys that others check them with. Any goroutine may call it.
type Tokens interface {
	auth.Tokens
	// KeySet is the JSON Web Key Set of those of the keys that are in force.
	KeySet(keys []*domain.SigningKey, now time.Time) []byte
}

// authenticate finds the caller, its account's bucket and the member of a Bearer; the parameters of
// the query are there. A body is read before the key is known only when neither a header nor the
// query has one.
func (x *exchange) authenticate() (err error) {
	req := &x.req
	if x.given, err = auth.FromHeader(x.r.Header); err != nil {
		return err
	}
	if !x.given.HasKey(req.Params) && x.r.Method == http.MethodPost && x.op.Each == nil {
		if err := readKeyless(x); err != nil {
			return err
		}
	}
	if err := x.given.AddParameters(req.Params); err != nil {
		return err
	}
	if req.Caller, err = x.given.Caller(req.Catalog, x.body.err != nil); err != nil {
		return err
	}
	account := req.Account()
	auth.AllowOrigin(x.w.Header(), x.r.Header, req.App)
	x.memory.account = account
	x.allowed = x.server.rates.Take(account, req.Catalog.Changed(account), x.server.Now())
	if err := req.Verify(&x.given, x.server.Tokens, req.Catalog.SigningKeys(), req.Now); err != nil {
		x.allowed.Waive() // code 2 comes before 8
		return err
	}
	if x.given.HasToken() {
		req.Params.Imply(auth.BearerGiven)
	}
	return nil
}

// permitted refuses what the operation's Access does, and a member in the parameters that is not the Bearer's.
func (x *exchange) permitted() error {
	caller := &x.req.Caller
	if err := x.op.Refuse(caller, x.op.Method != http.MethodGet); err != nil {
		return err
	}
	return auth.RefuseNamed(caller, x.req.Params, x.op.Plan)
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
		return auth.ErrOutdated
	}
	return nil
}

// options answers what a path takes, and a page that is about to ask.
func (x *exchange) options(methods string) {
	h := x.w.Header()
	h.Set("Allow", allowOf(methods))
	auth.Preflight(h, x.r.Header, x.r.URL.RawQuery, methods, x.server.Engine.Catalog())
	x.empty(http.StatusNoContent)
}

// allowOf is the header Allow of a path with the methods.
func allowOf(methods string) string { return methods + ", " + http.MethodOptions }
