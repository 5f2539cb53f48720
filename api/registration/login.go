package registration

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/profile"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// loginIn are the parameters of member/login.
type loginIn struct {
	Service    bind.Service `name:"service" required:"" doc:"the network the member logs in by; not custom" eg:"spotify"`
	UID        string       `name:"uid" doc:"user id on the service; required but for email" eg:"u-7"`
	AuthToken  string       `name:"authtoken" max:"8192" doc:"token from the service, which is stored; required but for email; must be the uid's where a check is configured for the service" eg:"token-1"`
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
	case in.Password != "" && len(in.Password) < credentials.MinBytes:
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
	if err := s.permitted(req, service, 0); err != nil {
		return nil, err
	}
	if err := s.confirm(ctx, req, service, in.AuthToken, in.UID); err != nil {
		return nil, err
	}
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
	return s.envelopes.Of(req, m, service), nil
}

// submitLogin submits the login until it meets the member, the personal part and the salt that it
// was made for.
func (s *Service) submitLogin(ctx context.Context, req *serve.Request, in *loginIn) (domain.Outcome, error) {
	made := in.command(req)
	return personal.Submit(ctx, req, func(sub *domain.Submission) error { return s.prepareLogin(ctx, req, in, made, sub) })
}

// prepareLogin makes the command of one attempt. A login by an identity that no member has is
// submitted too, its password hashed all the same: it takes as long as a wrong password, and a
// repeat gets the same outcome. Nothing of it is kept.
func (s *Service) prepareLogin(
	ctx context.Context, req *serve.Request, in *loginIn, made *domain.LogIn, sub *domain.Submission,
) error {
	l := new(*made) // the log may hold what was submitted
	sub.Command, sub.Slot = l, l.Identity.Slot()
	kind := domain.ByService
	if l.Service == domain.Email {
		kind = domain.ByLogin
	}
	m, err := holderOf(ctx, req, kind, l.Identity)
	if err != nil {
		return err
	}
	if m != nil {
		l.Member, sub.Slot = m.ID, m.ID.Slot()
	}
	if l.Service != domain.Email {
		return in.seal(ctx, req, s.sealer, m, l)
	}
	if m == nil {
		_, err := s.passwords.Hash(ctx, in.Password, "")
		return err
	}
	known := m.Password(l.Identity)
	l.Password, err = s.passwords.Check(ctx, in.Password, known, credentials.SealedHash(m, l.Identity))
	if err != nil || !credentials.WasImported(known) || l.Password != known {
		return err
	}
	return s.rehash(ctx, req, in, m, l)
}

// rehash replaces a hash that was imported by one of this program.
func (s *Service) rehash(
	ctx context.Context, req *serve.Request, in *loginIn, m *domain.Member, l *domain.LogIn,
) (err error) {
	if l.Rehash, err = s.passwords.Hash(ctx, in.Password, ""); err != nil {
		return err
	}
	p := personal.Of(m)
	credentials.DropSealedHash(&p, l.Identity)
	l.Personal, err = s.sealer.Put(ctx, req.Account(), m, &p)
	return err
}

// seal puts the token and the secret into the member's personal part, if they are others than
// its service record has.
func (in *loginIn) seal(
	ctx context.Context, req *serve.Request, sealer *personal.Sealer, m *domain.Member, l *domain.LogIn,
) (err error) {
	if m == nil {
		return nil
	}
	p := personal.Of(m)
	part := p.Service(l.Application, l.Identity)
	if part == nil {
		return nil // the login is refused: the member has no such record
	}
	var g profile.Given
	profile.Put(&g, domain.RecordToken, &in.AuthToken)
	profile.Put(&g, domain.RecordSecret, in.AuthSecret)
	fields := part.Fields.With(g.Fields())
	if slices.Equal(fields, part.Fields) {
		return nil
	}
	part.Fields = fields
	l.Personal, err = sealer.Put(ctx, req.Account(), m, &p)
	return err
}

// command is the login, without what depends on its member.
func (in *loginIn) command(req *serve.Request) *domain.LogIn {
	l := &domain.LogIn{
		Application: req.App.ID, Service: domain.Service(in.Service), Domain: string(in.Domain), Strict: in.StrictSSO,
		At: req.Now.UnixMilli(), Visit: in.visit(string(in.Domain)),
	}
	uid := in.UID
	if l.Service == domain.Email {
		uid = string(in.Email)
	}
	l.Identity = selection.LoginIdentity(req, l.Service, uid)
	return l
}
