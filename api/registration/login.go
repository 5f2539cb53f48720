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
	Service    bind.Service `name:"service" required:"" not:"custom" doc:"the network the member logs in by; not custom" eg:"spotify"`
	UID        string       `name:"uid" doc:"user id on the service; required but for email" eg:"u-7"`
	AuthToken  string       `name:"authtoken" exact:"" max:"8192" doc:"token from the service, which is stored; required but for email; must be the uid's where a check is configured for the service" eg:"token-1"`
	AuthSecret *string      `name:"authsecret" exact:"" max:"8192" doc:"secret from the service" eg:"secret-1"`
	Email      bind.Email   `name:"email" doc:"required for a login by email" eg:"ada@example.com"`
	Password   string       `name:"password" exact:"" max:"1048576" doc:"required for a login by email; one of any length is compared" eg:"correct horse"`
	Domain     bind.Domain  `name:"domain" doc:"website of the login: a service record keeps the first 100" eg:"www.example.com"`
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

// Login logs a member in by a service record of the application. An address from which too many
// wrong passwords came is refused before anything is looked up.
func (s *Service) Login(ctx context.Context, req *serve.Request, in *loginIn) (*wire.Envelope, error) {
	if req.Caller.Public() && in.IP != "" { // everybody may say so
		req.Warn("ip was ignored: a public key does not say where the member is")
		in.IP = ""
	}
	from, service := in.from(req), domain.Service(in.Service)
	if err := s.permitted(req, service, 0); err != nil {
		return nil, err
	}
	if err := s.confirm(ctx, req, service, in.AuthToken, in.UID); err != nil {
		return nil, err
	}
	if err := s.wrong.check(req, service, from); err != nil {
		return nil, err
	}
	at := in.place(s.geo)
	made := in.command(req, at)
	out, err := personal.Submit(ctx, req, func(sub *domain.Submission) error { return s.prepareLogin(ctx, req, in, made, at, sub) })
	if domain.CodeOf(err) == domain.WrongPassword && !out.Replayed {
		s.wrong.note(from, req.Clock.Now)
	}
	if err != nil {
		return nil, err
	}
	m, err := req.Survivor(ctx, out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, service)
}

// prepareLogin makes the command of one attempt. A login by an identity that no member has is
// submitted too, its password hashed all the same: it takes as long as a wrong password, and a
// repeat gets the same outcome. Nothing of it is kept.
func (s *Service) prepareLogin(
	ctx context.Context, req *serve.Request, in *loginIn, made *domain.LogIn, at domain.Geo, sub *domain.Submission,
) error {
	l := new(*made) // the log may hold what was submitted
	sub.Command, sub.Slot = l, l.Identity.Slot()
	m, err := selection.NamedHolder(ctx, req, (&domain.RegisterMember{Service: l.Service}).Claims(), l.Identity)
	if err != nil {
		return err
	}
	if m == nil {
		if l.Service == domain.Email {
			_, err = s.passwords.Hash(ctx, req.Account(), in.Password, "")
		}
		return err
	}
	l.Member, sub.Slot = m.ID, m.ID.Slot()
	if l.Strict, err = strictly(ctx, req, m, l); err != nil {
		return err
	}
	p := personal.Of(m)
	put := in.change(m, &p, l, at)
	if l.Service == domain.Email {
		if err := s.checkLogin(ctx, in, m, &p, l); err != nil {
			return err
		}
		put = put || l.Rehash != ""
	}
	if put {
		if l.Personal, err = s.sealer.Put(ctx, req.Account(), m, &p); err != nil {
			return err
		}
	}
	l.Visit.Details, err = s.sealer.PutVisit(ctx, req.Account(), m, &l.Personal, in.details())
	return err
}

// strictly reports that the member's own record is to be asked whether it has registered on the domain:
// it is not where one that it is merged with has.
func strictly(ctx context.Context, req *serve.Request, m *domain.Member, l *domain.LogIn) (bool, error) {
	if !l.Strict || m.RegisteredOn(l.Domain) {
		return l.Strict, nil
	}
	one, err := req.Survivor(ctx, m.ID, req.Wait)
	return err != nil || !one.RegisteredOn(l.Domain), err
}

// change puts into the command where the member is, and into what is personal of it token and secret
// of its record. It reports that the personal part is to be sealed again: it is another one, or there
// is none yet under whose key the visit can be.
func (in *loginIn) change(m *domain.Member, p *domain.Personal, l *domain.LogIn, at domain.Geo) bool {
	part := p.Service(l.Application, l.Identity)
	if part == nil {
		return false // the login is refused: the member has no such record
	}
	l.Renewed = in.renew(part)
	moved := locate(m, p, l, at)
	return l.Renewed || moved || m.Personal.Key.IsZero() && !in.details().IsZero()
}

// checkLogin hashes the password under the salt of the one that the member has. A hash that was imported is
// replaced by one of this program.
func (s *Service) checkLogin(
	ctx context.Context, in *loginIn, m *domain.Member, p *domain.Personal, l *domain.LogIn,
) (err error) {
	known := m.Password(l.Identity)
	l.Password, err = s.passwords.Check(ctx, m.Account, in.Password, known, credentials.SealedHash(m, l.Identity))
	if m.IsBare() && credentials.WasImported(known) { // its hash is sealed: it can be neither checked nor replaced
		return personal.ErrBare
	}
	if err != nil || !credentials.WasImported(known) || l.Password != known {
		return err
	}
	credentials.DropSealedHash(p, l.Identity)
	l.Rehash, err = s.passwords.Hash(ctx, m.Account, in.Password, "")
	return err
}

// locate puts into the command where the member is, if that is another place than before; it reports
// that what is personal of it is.
func locate(m *domain.Member, p *domain.Personal, l *domain.LogIn, at domain.Geo) bool {
	var g profile.Given
	placed(&g, at)
	clear, sealed := g.Fields().Split()
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
	var g profile.Given
	profile.Put(&g, domain.RecordToken, &in.AuthToken)
	profile.Put(&g, domain.RecordSecret, in.AuthSecret)
	before := part.Fields
	part.Fields = before.With(g.Fields())
	return !slices.Equal(part.Fields, before)
}

// command is the login, without what depends on its member.
func (in *loginIn) command(req *serve.Request, at domain.Geo) *domain.LogIn {
	l := &domain.LogIn{
		Application: req.Caller.App.ID, Service: domain.Service(in.Service), Domain: string(in.Domain), Strict: in.StrictSSO,
		At: req.Clock.Now.UnixMilli(), Visit: in.visit(req, string(in.Domain), at),
	}
	uid := in.UID
	if l.Service == domain.Email {
		uid = string(in.Email)
	}
	l.Identity = selection.LoginIdentity(req, l.Service, uid)
	return l
}
