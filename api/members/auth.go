package members

import (
	"context"
	"errors"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/node"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/api/wire"
)

// accessToken is an access token as a request gives it.
type accessToken struct {
	token.AccessToken
	given bool
}

// ParseParam reads an access token.
func (a *accessToken) ParseParam(s string) error {
	if a.AccessToken, a.given = token.ParseAccess(strings.TrimSpace(s)); !a.given {
		return errors.New("must be an access token: 32 hex digits, _ and a number")
	}
	return nil
}

// authIn are the parameters of auth.
type authIn struct {
	AccessToken accessToken `name:"accessToken" doc:"access token of a member, as its envelope has it; required without the Bearer of the member" eg:"74a2c3d6bbebb0fef7962275bd97ca2d_1000000000"`
	Details     bool        `name:"details" doc:"1 answers the envelope" eg:"1"`
	Extended    bool        `name:"extended" doc:"1 answers the envelope, with Extended in data" eg:"1"`
	Fields      string      `name:"fields" max:"4096" doc:"only these fields, by name in any case: of an envelope those of data, optins, services, jwt, and paths into Extended, as Extended.lastUpdated; ID always stays" eg:"Email,jwt"`
}

// Missing reports that no member is named: by the access token, or by a Bearer.
func (in *authIn) Missing(has func(string) bool) string {
	if !has("accessToken") && !has(auth.BearerGiven) {
		return "accessToken"
	}
	return ""
}

// Choice names the ways to name the member.
func (in *authIn) Choice(string) string { return "accessToken or a Bearer" }

// Auth answers the member of an access token or of a Bearer.
func (s *Service) Auth(ctx context.Context, req *serve.Request, in *authIn) (*wire.Authenticated, error) {
	only, err := in.selection(req)
	if err != nil {
		return nil, err
	}
	m, err := s.authenticated(ctx, req, in)
	if err != nil {
		return nil, err
	}
	e, err := s.envelopes.Of(req, m, envelope.SignedIn(m))
	if err != nil {
		return nil, err
	}
	if fields := only.Node(); fields != nil || in.Extended && (only == nil || only.Has("data")) {
		if e.Data.Extended, err = node.Of(ctx, req, m, fields); err != nil {
			return nil, err
		}
	}
	out := &wire.Authenticated{ID: e.Data.ID, Username: e.Data.Username, Email: e.Data.Email}
	if in.enveloped() {
		data := wire.SelectedMember(e.Data)
		out.Data, out.OptIns, out.Services = &data, e.OptIns, e.Services
	}
	out.Only(only)
	req.Response.AtLast(func() error { // after the envelope's own
		out.JWT = e.JWT
		return nil
	})
	return out, nil
}

// enveloped reports that the answer is the envelope.
func (in *authIn) enveloped() bool { return in.Details || in.Extended }

// selection is the fields wanted; nil: all. A name that no field has gives a warning.
func (in *authIn) selection(req *serve.Request) (*wire.Selection, error) {
	if in.Fields == "" {
		return nil, nil
	}
	names, err := selection.Names(req, in.Fields, "fields")
	if err != nil {
		return nil, err
	}
	only, unknown := wire.NewSelection(names, in.enveloped())
	for _, name := range unknown {
		req.Warn("the field " + bind.Shorten(name) + " is unknown and was ignored")
	}
	return only, nil
}

// authenticated is the member that the request names. An access token that is no member's, or
// not any more, is NoAccount, whatever it fails by.
func (s *Service) authenticated(ctx context.Context, req *serve.Request, in *authIn) (*domain.Member, error) {
	if !in.AccessToken.given {
		return req.Member(ctx, req.Caller.Bearer, req.Wait)
	}
	given, tokens := in.AccessToken.AccessToken, s.envelopes.Tokens
	id := tokens.Member(given)
	var m *domain.Member
	err := req.FindByToken(ctx, id, func() (err error) {
		m, err = req.Member(ctx, id, req.Wait)
		code := domain.CodeOf(err)
		if code == domain.NotFound || code == domain.Gone || err == nil && !tokens.Is(given, m) {
			return errNoAccount
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, req.Caller.Own(m.ID)
}

var errNoAccount = domain.Bad(domain.NoAccount, "accessToken", "no member of the account has this access token")
