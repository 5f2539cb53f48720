package members

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// loginIn are the parameters of member/login.
type loginIn struct {
	Service    bind.Service `name:"service" required:"" doc:"the network the member logs in by; not custom" eg:"spotify"`
	UID        string       `name:"uid" doc:"user id on the service; required but for email" eg:"u-7"`
	AuthToken  string       `name:"authtoken" max:"8192" doc:"token from the service, which is stored; required but for email" eg:"token-1"`
	AuthSecret *string      `name:"authsecret" max:"8192" doc:"secret from the service" eg:"secret-1"`
	Email      bind.Email   `name:"email" doc:"required for a login by email" eg:"ada@example.com"`
	Password   string       `name:"password" max:"256" doc:"required for a login by email" eg:"correct horse"`
	Domain     bind.Domain  `name:"domain" doc:"website of the login" eg:"www.example.com"`
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
	if err := permitted(req, service, 0); err != nil {
		return nil, err
	}
	if service == domain.Email {
		if req.Retry = s.wrong.locked(from, req.Now); req.Retry > 0 {
			return nil, domain.Bad(domain.Locked, "ip", "too many wrong passwords came from this address")
		}
	}
	at := in.place(s.geo)
	made := in.command(req, at)
	out, err := submit(ctx, req, func(sub *domain.Submission) error { return s.prepareLogin(ctx, req, in, made, at, sub) })
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

// prepareLogin makes the command of one attempt. A login by an identity that no member has is
// submitted too, its password hashed all the same: it takes as long as a wrong password, and a
// repeat gets the same outcome. Nothing of it is kept.
func (s *Service) prepareLogin(
	ctx context.Context, req *serve.Request, in *loginIn, made *domain.LogIn, at domain.Geo, sub *domain.Submission,
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
		if err := in.seal(ctx, req, s.sealer, m, l, at); err != nil {
			return err
		}
	}
	if l.Service != domain.Email {
		return nil
	}
	hash := ""
	if m != nil {
		hash = m.Password(l.Identity)
	}
	hash, err = s.passwords.hash(ctx, in.Password, hash)
	if m != nil {
		l.Password = hash
	}
	return err
}

// seal puts into the command what of the login is of its member: where the member is, token and
// secret of its record, and, sealed, where the visit came from.
func (in *loginIn) seal(
	ctx context.Context, req *serve.Request, sealer *personal.Sealer, m *domain.Member, l *domain.LogIn, at domain.Geo,
) (err error) {
	p := personal.Of(m)
	part := p.Service(l.Application, l.Identity)
	if part == nil {
		return nil // the login is refused: the member has no such record
	}
	l.Renewed = in.renew(part)
	details := in.details()
	moved := locate(m, &p, l, at)
	if l.Renewed || moved || m.Personal.Key.IsZero() && !details.IsZero() {
		if l.Personal, err = sealer.Put(ctx, req.Account(), m, &p); err != nil {
			return err
		}
	}
	key := cmp.Or(l.Personal.Key, m.Personal.Key)
	l.Visit.Details, err = sealer.PutVisit(ctx, req.Account(), key, details)
	return err
}

// locate puts into the command where the member is, if that is another place than before; it reports
// that what is personal of it is.
func locate(m *domain.Member, p *domain.Personal, l *domain.LogIn, at domain.Geo) bool {
	var g given
	placed(&g, at)
	clear, sealed := g.fields().Split()
	if !slices.Equal(m.Profile.With(clear), m.Profile) {
		l.Given = clear
	}
	before := p.Profile
	p.Profile = before.With(sealed)
	return !slices.Equal(p.Profile, before)
}

// renew puts token and secret into what is personal of the service record; it reports that they are
// others than before.
func (in *loginIn) renew(part *domain.PersonalService) bool {
	if domain.Service(in.Service) == domain.Email {
		return false
	}
	var g given
	put(&g, domain.RecordToken, &in.AuthToken)
	put(&g, domain.RecordSecret, in.AuthSecret)
	before := part.Fields
	part.Fields = before.With(g.fields())
	return !slices.Equal(part.Fields, before)
}

// command is the login, without what depends on its member.
func (in *loginIn) command(req *serve.Request, at domain.Geo) *domain.LogIn {
	l := &domain.LogIn{
		Application: req.App.ID, Service: domain.Service(in.Service), Domain: string(in.Domain), Strict: in.StrictSSO,
		At: req.Now.UnixMilli(), Visit: in.visit(string(in.Domain), at),
	}
	kind, uid := domain.ByService, in.UID
	if l.Service == domain.Email {
		kind, uid = domain.ByLogin, strings.ToLower(string(in.Email))
	}
	l.Identity = req.Identity(kind, loginParts(l.Service, uid)...)
	return l
}
