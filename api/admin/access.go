package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/origin"
)

// guard passes requests with the token, and requests made on this machine without one. One that a browser makes needs
// the session of an operator, whatever else it has.
func (p *port) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.admit(r); err != nil {
			if domain.CodeOf(err) != domain.WrongApplication {
				w.Header().Set("WWW-Authenticate", `Bearer realm="ovation admin"`)
			}
			refuse(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit is nil for a request that may manage.
func (p *port) admit(r *http.Request) error {
	if origin.FromBrowser(r) { // on this machine, too: anybody's page may make a browser ask
		return p.admitOperator(r)
	}
	given := r.Header.Get("Authorization")
	switch {
	case given != "" && !p.authorized(given):
		return domain.Fail(domain.InvalidKey, "the token is not that of --admin-token")
	case given != "" || origin.FromLoopback(r):
		return nil
	case p.token != "":
		return domain.Fail(domain.MissingKey, "the token of --admin-token is required")
	default:
		return domain.Fail(domain.WrongApplication, "management is open to this machine only; a node started with --admin-token lets in who has the token")
	}
}

// admitOperator is nil for a request of an operator who is signed in to the console.
func (p *port) admitOperator(r *http.Request) error {
	if p.signedIn == nil {
		return domain.Fail(domain.Unavailable, "the node is not open yet: nobody is signed in")
	}
	err := p.signedIn(r)
	if domain.CodeOf(err) == domain.MissingKey {
		return domain.Fail(domain.MissingKey, "a browser needs the session of an operator here: ovation console link --role operator makes a link to sign in with")
	}
	return err
}

func (p *port) authorized(header string) bool {
	scheme, given, _ := strings.Cut(header, " ")
	if p.token == "" || !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	a, b := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(p.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

const minTokenLength = 16

// CheckToken refuses a token that is too short, or that no header can carry.
func CheckToken(token string) error {
	if len(token) < minTokenLength {
		return fmt.Errorf("a token has at least %d characters", minTokenLength)
	}
	if checkKey(token) != nil {
		return errors.New("a token is one line of visible ASCII characters")
	}
	return nil
}
