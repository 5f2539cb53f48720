package profile

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// removeIn are the parameters of the removal of a service.
type removeIn struct {
	MemberID  bind.ID `name:"memberid" doc:"id of a member" eg:"8195"`
	ServiceID bind.ID `name:"serviceid" doc:"id of the service record" eg:"8193"`
}

// RemoveService takes a service record from a member that has another one. Its identities are free
// again, and what was verified on it is not verified any more.
func (s *Service) RemoveService(ctx context.Context, req *serve.Request, in *removeIn) (*wire.Envelope, error) {
	named, err := req.Member(ctx, domain.MemberID(in.MemberID), req.Wait)
	if err != nil {
		return nil, err
	}
	m, err := s.sealer.Change(ctx, req, ownerOf(named, uint64(in.ServiceID)),
		func(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
			c := &domain.RemoveService{Member: m.ID, Record: uint64(in.ServiceID), At: req.Clock.Now.UnixMilli()}
			at := slices.IndexFunc(m.Services, func(r domain.ServiceRecord) bool { return r.ID == c.Record })
			if at < 0 { // the shard says so, unless the request is a repeat
				return c, nil, nil
			}
			forget(m, &m.Services[at], p)
			return c, &c.Personal, nil
		})
	if err == nil {
		err = s.claimFreed(ctx, req, m)
	}
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m))
}

// ownerOf is the member that a service record is, or was, of, of one with those that are merged into it:
// a record's id has the slot of its member.
func ownerOf(m *domain.Member, record uint64) domain.MemberID {
	if id := m.Holder(record); id != 0 {
		return id
	}
	if ids := m.InSlot(domain.ActionID(record).Slot()); len(ids) > 0 {
		return ids[0]
	}
	return m.ID
}

// forget takes a service record out of a personal part: the address that was verified last is one of
// another record then, or none.
func forget(m *domain.Member, gone *domain.ServiceRecord, p *domain.Personal) {
	p.Services = slices.DeleteFunc(p.Services, func(s domain.PersonalService) bool {
		return s.Application == gone.Application && s.Identity == gone.Identity
	})
	rest := slices.DeleteFunc(slices.Clone(m.Services), func(r domain.ServiceRecord) bool { return r.ID == gone.ID })
	last := domain.LastVerified(rest)
	p.Profile = p.Profile.With(domain.Fields{{Field: domain.VerifiedEmail, Value: last}})
}

// resetIn are the parameters of the reset of a password.
type resetIn struct {
	MemberID  bind.ID    `name:"memberid" doc:"id of a member" eg:"8195"`
	Email     bind.Email `name:"email" required:"" doc:"address of the member's email record" eg:"bob@example.com"`
	Password  string     `name:"password" exact:"" required:"" min:"8" max:"256" doc:"the new password, 8 to 256 bytes" eg:"correct horse"`
	ServiceID bind.ID    `name:"member_service_id" doc:"id of the email record" eg:"8194"`
}

// Check refuses a password of another length.
func (in *resetIn) Check() *domain.Error { return credentials.CheckNew(in.Password) }

// Reset gives an address that a member logs in with another password, and the member another
// access token. A lock of the address ends. Where the address is that of one who is merged into the
// member, both get another token.
func (s *Service) Reset(ctx context.Context, req *serve.Request, in *resetIn) (*wire.Envelope, error) {
	address := selection.LoginIdentity(req, domain.Email, string(in.Email))
	var record uint64
	m, err := req.MemberWith(ctx, domain.MemberID(in.MemberID), func(m *domain.Member) (err error) {
		record, err = in.held(m, address)
		return err
	})
	if err != nil {
		return nil, err
	}
	if owner := m.Holder(record); owner != m.ID {
		part := personal.PartOf(req, owner)
		if _, err := s.reset(ctx, part, owner, in, address); err != nil {
			return nil, err
		}
		personal.Join(req, part)
		address = domain.IdentityHash{}
	}
	if m, err = s.reset(ctx, req, m.ID, in, address); err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, domain.Email)
}

// reset gives a member another access token, and an address of its own another password; zero: none.
func (s *Service) reset(
	ctx context.Context, req *serve.Request, id domain.MemberID, in *resetIn, address domain.IdentityHash,
) (*domain.Member, error) {
	var random [10]byte
	_, _ = rand.Read(random[:]) // never fails
	password := ""
	return s.sealer.Change(ctx, req, id,
		func(m *domain.Member, p *domain.Personal) (_ domain.Command, _ *domain.PersonalPut, err error) {
			p.TokenRandom = random
			c := &domain.ResetPassword{
				Member: m.ID, Address: address, TokenHash: s.envelopes.Tokens.Hash(random), At: req.Clock.Now.UnixMilli(),
			}
			if address.IsZero() {
				return c, &c.Personal, nil
			}
			if _, err := in.held(m, address); err != nil {
				return nil, nil, err
			}
			if password == "" {
				if password, err = s.passwords.Hash(ctx, req.Account(), in.Password, ""); err != nil {
					return nil, nil, err
				}
			}
			credentials.DropSealedHash(p, address)
			c.Password = password
			return c, &c.Personal, nil
		})
}

// held is the email record of the member that has the address; it is refused where there is none.
func (in *resetIn) held(m *domain.Member, address domain.IdentityHash) (record uint64, err error) {
	there := false
	for i := range m.Services {
		if r := &m.Services[i]; r.Service == domain.Email && r.Identity == address {
			there = true
			if in.ServiceID == 0 || r.ID == uint64(in.ServiceID) {
				return r.ID, nil
			}
		}
	}
	if there {
		return 0, domain.Bad(domain.NotFound, "member_service_id", "the member has no email record with this id and address")
	}
	return 0, domain.Bad(domain.NotFound, "email", "the member has no email record of this address")
}
