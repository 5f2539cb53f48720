package networks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// refresh is the token endpoint of a network.
type refresh struct {
	endpoint   string
	id, secret string       // of the client
	style      atomic.Int32 // oauth2.AuthStyle that the endpoint has taken; 0: none yet
	place
}

// Credentials are a new token.
type Credentials struct {
	Token        string
	RefreshToken string        // the one that was given, where the network has sent no new one
	Lifetime     time.Duration // of the token, in whole seconds; 0: the network does not say
}

// Refreshes is nil where a token endpoint is configured for the service, else an error with code
// domain.Unavailable.
func (n *Networks) Refreshes(service domain.Service) error {
	if n.of(service).refresh == nil {
		return domain.Fail(domain.Unavailable, "no token endpoint is configured for "+service.String())
	}
	return nil
}

// Refresh asks the network for a new token (RFC 6749, section 6). ErrRefused: it does not take the
// refresh token; else the error has code domain.Unavailable, also where no token endpoint is
// configured. A network may take a refresh token once: what it gives has to be kept.
func (n *Networks) Refresh(ctx context.Context, service domain.Service, refreshToken string) (Credentials, error) {
	if err := n.Refreshes(service); err != nil {
		return Credentials{}, err
	}
	r := n.of(service).refresh
	token, err := r.ask(context.WithValue(ctx, oauth2.HTTPClient, n.client), refreshToken)
	var out Credentials
	if err == nil {
		out, err = credentials(token, refreshToken)
	}
	return out, r.settle(ctx, n, service, "refresh of a token", err)
}

// ask sends the refresh token: with name and secret of the client in the header, which every
// endpoint has to take, and where one does not, in the body. A public client has no secret: its
// name is in the body.
func (r *refresh) ask(ctx context.Context, refreshToken string) (*oauth2.Token, error) {
	styles := []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams}
	if known := oauth2.AuthStyle(r.style.Load()); known != 0 {
		styles = []oauth2.AuthStyle{known}
	} else if r.secret == "" {
		styles = styles[1:]
	}
	var err error
	for _, style := range styles {
		client := oauth2.Config{
			ClientID: r.id, ClientSecret: r.secret, Endpoint: oauth2.Endpoint{TokenURL: r.endpoint, AuthStyle: style},
		}
		var token *oauth2.Token
		token, err = client.TokenSource(ctx, &oauth2.Token{RefreshToken: refreshToken}).Token()
		if err = cause(err); err == nil || errors.Is(err, ErrRefused) {
			r.style.Store(int32(style))
			return token, err
		}
		if _, other := errors.AsType[*clientError](err); !other {
			break
		}
	}
	return nil, err
}

// clientError is an answer that is about the client or the request, not about the refresh token,
// which has not been used then.
type clientError struct {
	status int
	code   string // of RFC 6749; empty: another one, or none
}

// Error is the status and the code.
func (e *clientError) Error() string {
	if e.code == "" {
		return errStatus(e.status).Error()
	}
	return fmt.Sprintf("the status is %d, the error %s", e.status, e.code)
}

// grantErrors are the codes of RFC 6749, section 5.2; others may be any text.
var grantErrors = map[string]bool{
	"invalid_request": true, "invalid_client": true, "invalid_scope": true,
	"unauthorized_client": true, "unsupported_grant_type": true,
}

// cause is why a token endpoint gave no token, without what it answered.
func cause(err error) error {
	if err == nil {
		return nil
	}
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		if err = plain(err); err == errNoAnswer {
			return errNoToken
		}
		return err
	}
	status := answer.Response.StatusCode
	switch status {
	case http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
	default:
		return errStatus(status)
	}
	if answer.ErrorCode == "invalid_grant" {
		return ErrRefused
	}
	e := &clientError{status: status}
	if grantErrors[answer.ErrorCode] {
		e.code = answer.ErrorCode
	}
	return e
}

var errNoToken = errors.New("the answer is no token")

// credentials are what an endpoint gave, where it can be kept and sent.
func credentials(t *oauth2.Token, before string) (Credentials, error) {
	if !sendable(t.AccessToken) || t.RefreshToken != before && !sendable(t.RefreshToken) {
		return Credentials{}, errNoToken
	}
	lifetime := time.Duration(t.ExpiresIn) * time.Second
	if t.ExpiresIn == 0 && !t.Expiry.IsZero() { // an answer that is a form
		lifetime = time.Until(t.Expiry).Round(time.Second)
	}
	if lifetime < 0 || lifetime > math.MaxInt32*time.Second {
		lifetime = 0
	}
	return Credentials{Token: t.AccessToken, RefreshToken: t.RefreshToken, Lifetime: lifetime}, nil
}
