package members

import (
	"context"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// loginIn are the parameters of member/login.
type loginIn struct {
	Service    bind.Service `name:"service" required:"" doc:"the network the member logs in by; not custom" eg:"spotify"`
	UID        string       `name:"uid" doc:"user id on the service; required but for email" eg:"u-1"`
	AuthToken  string       `name:"authtoken" max:"8192" doc:"token from the service, which is stored; required but for email" eg:"token-1"`
	AuthSecret *string      `name:"authsecret" max:"8192" doc:"secret from the service" eg:"secret-1"`
	Email      bind.Email   `name:"email" doc:"required for a login by email" eg:"ada@example.com"`
	Password   string       `name:"password" max:"256" doc:"required for a login by email" eg:"correct horse"`
	Domain     bind.Domain  `name:"domain" doc:"website of the login" eg:"www.example.com"`
	IP         bind.Address `name:"ip" doc:"the member's IP address, v4 or v6: wrong passwords are counted by it; without it by the connection's" eg:"192.0.2.7"`
	StrictSSO  bool         `name:"strict_sso" doc:"1: the member must have registered on domain, which is required then" eg:"0"`
	visitIn
}

// Missing reports what a login by the service needs.
func (in *loginIn) Missing(has func(string) bool) string {
	email := domain.Service(in.Service) == domain.Email
	switch {
	case email && !has("email"):
		return "email"
	case email && !has("password"):
		return "password"
	case !email && !has("uid"):
		return "uid"
	case !email && !has("authtoken"):
		return "authtoken"
	case in.StrictSSO && !has("domain"):
		return "domain"
	}
	return ""
}

// Check refuses a service that is none, and a password that is too short to be one.
func (in *loginIn) Check() *domain.Error {
	switch {
	case domain.Service(in.Service) == domain.Custom:
		return domain.Bad(domain.InvalidParameter, "service", "a member cannot log in by custom")
	case in.Password != "" && len(in.Password) < minPassword:
		return domain.Bad(domain.InvalidParameter, "password", "password must be at least 8 bytes long")
	}
	return nil
}

// from is the address that wrong passwords are counted by.
func (in *loginIn) from(req *serve.Request) string {
	if in.IP != "" {
		return string(in.IP)
	}
	if at := req.Remote(); at.IsValid() {
		return at.String()
	}
	return ""
}

// Login logs a member in by a service record of the application. An address from which too many
// wrong passwords came is refused before anything is looked up.
func (s *Service) Login(ctx context.Context, req *serve.Request, in *loginIn) (*wire.Envelope, error) {
	from, service := in.from(req), domain.Service(in.Service)
	if service == domain.Email {
		if req.Retry = s.wrong.locked(from, req.Now); req.Retry > 0 {
			return nil, domain.Bad(domain.Locked, "ip", "too many wrong passwords came from this address")
		}
	}
	out, err := s.submitLogin(ctx, req, in)
	if domain.CodeOf(err) == domain.WrongPassword && !out.Replayed {
		s.wrong.note(from, req.Now)
	}
	if err != nil {
		return nil, err
	}
	m, err := req.Member(ctx, out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	return s.envelope(req, m, service), nil
}

// submitLogin submits the login until it meets the member and the salt that it was made for. One
// of an identity that no member has is submitted too, with a password hashed all the same: it
// takes as long as a wrong password, and a repeat gets the same outcome.
func (s *Service) submitLogin(ctx context.Context, req *serve.Request, in *loginIn) (domain.Outcome, error) {
	made := in.command(req)
	for n, tries := 0, 0; tries < attempts; n++ {
		l := new(*made) // the log may hold what was submitted
		m, err := s.holder(ctx, req, l)
		if err != nil {
			return domain.Outcome{}, err
		}
		if l.Service == domain.Email {
			known := ""
			if m != nil {
				known = m.Password(l.Identity)
			}
			if l.Password, err = s.passwords.hash(ctx, in.Password, known); err != nil {
				return domain.Outcome{}, err
			}
		}
		sub := req.Submission()
		sub.Request = attempt(sub.Request, n)
		sub.Command, sub.Slot = l, l.Identity.Slot()
		if m != nil {
			l.Member, sub.Slot = m.ID, m.ID.Slot()
		} else {
			l.Password, l.Record = "", nil // of no member: nothing of it is kept
		}
		out, err := req.Submit(ctx, sub)
		if err != nil || !out.Again {
			return out, err
		}
		req.Wait = req.Wait.Reach(out.Position)
		if err := req.Engine.Await(ctx, req.Wait); err != nil {
			return out, serve.WaitFault(err)
		}
		if !out.Replayed {
			tries++
		}
	}
	return domain.Outcome{}, domain.ErrUnavailable
}

// command is the login, without its member and its password.
func (in *loginIn) command(req *serve.Request) *domain.LogIn {
	l := &domain.LogIn{
		Application: req.App.ID, Service: domain.Service(in.Service), Domain: string(in.Domain), Strict: in.StrictSSO,
		At: req.Now.UnixMilli(), Visit: in.visit(string(in.Domain)),
	}
	if l.Service == domain.Email {
		l.Identity = req.Identity(domain.ByLogin, loginParts(l.Service, strings.ToLower(string(in.Email)))...)
		return l
	}
	l.Identity = req.Identity(domain.ByService, loginParts(l.Service, in.UID)...)
	var g given
	put(&g, domain.RecordToken, &in.AuthToken)
	put(&g, domain.RecordSecret, in.AuthSecret)
	l.Record = g.fields()
	return l
}

// holder is the member that has the identity of a login; nil: none.
func (s *Service) holder(ctx context.Context, req *serve.Request, l *domain.LogIn) (*domain.Member, error) {
	kind := domain.ByService
	if l.Service == domain.Email {
		kind = domain.ByLogin
	}
	id, _, err := req.Engine.Resolve(ctx, req.Account(), kind, l.Identity, req.Wait)
	if err != nil || id == 0 {
		return nil, serve.WaitFault(err)
	}
	m, _, err := req.Engine.Member(ctx, req.Account(), id, req.Wait)
	switch domain.CodeOf(err) {
	case domain.OK:
		return m, nil
	case domain.NotFound, domain.Gone:
		return nil, nil
	}
	return nil, serve.WaitFault(err)
}
