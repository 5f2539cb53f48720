package registration

import (
	"cmp"
	"context"
	"crypto/rand"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/mailaddress"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
)

// registration is what a request registers: the same whatever member it meets.
type registration struct {
	in       *registerIn
	service  domain.Service
	uid      string
	identity domain.IdentityHash
	uuid     [16]byte
	random   [10]byte // of the access token
	at       domain.Geo
	visit    domain.Visit

	account     domain.AccountID
	application domain.ApplicationID
	imported    credentials.ImportedHash // instead of a password
	checked     map[string]string        // of what is stored, what is stored if the password is that; "": of none
}

func newRegistration(req *serve.Request, in *registerIn, at domain.Geo) *registration {
	r := &registration{
		in: in, service: domain.Service(in.Service), uid: in.UID, uuid: newUUID(), account: req.Account(), application: req.Caller.App.ID,
		at: at,
	}
	if r.service == domain.Email {
		r.uid = mailaddress.Fold(string(*in.Email))
	}
	r.identity = selection.LoginIdentity(req, r.service, r.uid)
	_, _ = rand.Read(r.random[:]) // never fails
	r.visit = in.visit(req, string(in.Domain), at)
	return r
}

func (r *registration) claims() domain.IdentityKind {
	return (&domain.RegisterMember{Service: r.service}).Claims()
}

// command is the registration of the member that has the identity, nil where none has: its
// personal part is still to be sealed.
func (s *Service) command(
	req *serve.Request, r *registration, known *domain.Member,
) (*domain.RegisterMember, *domain.Personal) {
	m := &domain.RegisterMember{
		Application: req.Caller.App.ID, Identity: r.identity, Service: r.service, Domain: string(r.in.Domain),
		Segment: domain.SegmentID(r.in.SegmentID), At: req.Clock.Now.UnixMilli(),
		UUID: r.uuid, TokenHash: s.envelopes.Tokens.Hash(r.random), Visit: r.visit,
	}
	p := &domain.Personal{TokenRandom: r.random}
	if known != nil {
		*p = personal.Of(known)
		m.Email = known.Email
	}
	if email := r.in.Email; email != nil {
		m.Email = domain.IdentityHash{}
		if *email != "" {
			m.Email = req.Identity(domain.ByEmail, string(*email))
		}
	}
	var given domain.Fields
	m.Given, given = r.in.profile(r.at).Split()
	p.Profile = p.Profile.With(given)
	r.record(req, known, m, p)
	return m, p
}

// record fills in what of the command is of the service record.
func (r *registration) record(
	req *serve.Request, known *domain.Member, m *domain.RegisterMember, p *domain.Personal,
) {
	before := recordBy(known, req.Caller.App.ID, r.identity)
	part := p.Service(req.Caller.App.ID, r.identity)
	if part == nil {
		p.Services = append(p.Services, domain.PersonalService{Application: req.Caller.App.ID, Identity: r.identity, UID: r.uid})
		part = &p.Services[len(p.Services)-1]
	}
	var given domain.Fields
	m.Record, given = r.in.record().Split()
	part.Fields = part.Fields.With(given)
	m.Username = before.Username
	if name := r.in.Username; name != nil {
		m.Username = domain.IdentityHash{}
		if *name != "" {
			m.Username = req.Identity(domain.ByUsername, r.service.String(), *name)
		}
	}
	code, id := cmp.Or(r.in.Code, r.in.Partner), r.in.SourceUID
	m.Partner = before.Partner
	m.PartnerCode = before.PartnerCode
	switch {
	case code != "" && id != "":
		m.Partner = selection.PartnerIdentity(req, code, id)
		m.PartnerCode = code
		part.PartnerID = id
	case before.Partner.IsZero(): // half of a name identifies no member; it is shown
		m.PartnerCode = cmp.Or(code, before.PartnerCode)
		part.PartnerID = cmp.Or(id, part.PartnerID)
	}
}

// recordBy is a member's service record of the application by the identity; zero: none.
func recordBy(m *domain.Member, application domain.ApplicationID, identity domain.IdentityHash) domain.ServiceRecord {
	if m != nil {
		for i := range m.Services {
			if r := &m.Services[i]; r.Application == application && r.Identity == identity {
				return *r
			}
		}
	}
	return domain.ServiceRecord{}
}

// submitRegistration submits the registration, to a member if one is given. The personal part is
// made of the member as it is, and a password is hashed under the salt in use: if the member is
// another one by the time it is applied, or the identity changes hands just then, the command is
// made again.
func (s *Service) submitRegistration(
	ctx context.Context, req *serve.Request, r *registration, to domain.MemberID,
) (domain.Outcome, error) {
	return personal.Submit(ctx, req, func(sub *domain.Submission) error { return s.prepare(ctx, req, r, to, sub) })
}

// prepare makes the command of one attempt.
func (s *Service) prepare(
	ctx context.Context, req *serve.Request, r *registration, to domain.MemberID, sub *domain.Submission,
) error {
	holder, err := selection.HolderOf(ctx, req, r.claims(), r.identity)
	if err != nil {
		return err
	}
	known := holder
	if to != 0 {
		if known, err = s.attachedTo(ctx, req, r, to); err != nil {
			return err
		}
		to = known.ID
	}
	if err := personal.Knows(known, r.identity); err != nil {
		return err
	}
	m, p := s.command(req, r, known)
	if r.service == domain.Email {
		if m.Password, err = s.password(ctx, r, holder, p); err != nil {
			return err
		}
	}
	if m.Personal, err = s.sealer.Put(ctx, req.Account(), known, p); err != nil {
		return err
	}
	if m.Visit.Details, err = s.sealer.PutVisit(ctx, req.Account(), known, &m.Personal, r.in.details()); err != nil {
		return err
	}
	sub.Command = m
	sub.Slot = m.Identity.Slot()
	if to != 0 {
		sub.Command = &domain.AttachService{Member: to, Register: *m}
		sub.Slot = to.Slot()
	}
	return nil
}

// attachedTo is the own record of the member that a registration at a member is a command to: the one
// who has the identity, of the member and those that are merged into it.
func (s *Service) attachedTo(
	ctx context.Context, req *serve.Request, r *registration, to domain.MemberID,
) (*domain.Member, error) {
	m, err := req.Member(ctx, to, req.Wait)
	if err != nil {
		return nil, err
	}
	if len(m.Absorbed) == 0 {
		return m, nil
	}
	for i := range m.Services {
		if s := &m.Services[i]; s.Identity == r.identity {
			to = m.Holder(s.ID)
			break
		}
	}
	return req.MemberRecord(ctx, to, req.Wait)
}

// password is what is stored of the password of a registration by email, under the salt of that which
// the holder of the address has; p gets what of an imported hash is sealed.
func (s *Service) password(
	ctx context.Context, r *registration, holder *domain.Member, p *domain.Personal,
) (string, error) {
	known := ""
	if holder != nil {
		known = holder.Password(r.identity)
	}
	if r.imported == "" {
		return r.match(ctx, s.passwords, holder, known)
	}
	if known != "" && credentials.WasImported(known) && credentials.SealedHash(holder, r.identity) == string(r.imported) {
		return known, nil
	}
	stored, sealed, err := s.passwords.Imported(r.imported)
	switch {
	case err != nil:
		return "", err
	case known != "" && known != stored:
		return "", domain.Bad(domain.Conflict, "password_hash", "the email is registered with another password")
	case sealed != "":
		part := p.Service(r.application, r.identity)
		part.Fields = part.Fields.With(domain.Fields{{Field: domain.RecordImportedHash, Value: sealed}})
	}
	return stored, nil
}

// match checks the password, once against each that is stored: registrations of one address at the
// same time meet those of each other.
func (r *registration) match(
	ctx context.Context, passwords *credentials.Passwords, holder *domain.Member, known string,
) (stored string, err error) {
	if stored, ok := r.checked[known]; ok {
		return stored, nil
	}
	sealed := ""
	if holder != nil {
		sealed = credentials.SealedHash(holder, r.identity)
	}
	if known == "" {
		if fault := credentials.CheckNew(r.in.Password); fault != nil {
			return "", fault
		}
	}
	if stored, err = passwords.Check(ctx, r.account, r.in.Password, known, sealed); err == nil {
		if r.checked == nil {
			r.checked = map[string]string{}
		}
		r.checked[known] = stored
	}
	return stored, err
}
