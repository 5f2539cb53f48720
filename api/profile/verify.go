package profile

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// verifyIn are the parameters of member/verify.
type verifyIn struct {
	MemberID      bind.ID      `name:"memberid" doc:"id of a member that registered with the application of the key" eg:"8195"`
	Service       bind.Service `name:"service" required:"" doc:"the service of the record to verify on; not custom" eg:"spotify"`
	VerifiedEmail bind.Email   `name:"verified_email" required:"" doc:"the address, which the caller has verified" eg:"ada@example.com"`
	ServiceID     bind.ID      `name:"serviceid" doc:"id of the service record; default: the latest of service" eg:"8193"`
}

// Check refuses a service that is none.
func (in *verifyIn) Check() *domain.Error {
	if domain.Service(in.Service) == domain.Custom {
		return domain.Bad(domain.InvalidParameter, "service", "a member has no record of custom")
	}
	return nil
}

// Verify marks an address as verified: on a service record, and of the member. An address that
// another member has verified is a conflict.
func (s *Service) Verify(ctx context.Context, req *serve.Request, in *verifyIn) (*wire.Envelope, error) {
	email := string(in.VerifiedEmail)
	m, err := s.sealer.Change(ctx, req, domain.MemberID(in.MemberID),
		func(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
			if m.Application != req.App.ID {
				return nil, nil, domain.Bad(domain.WrongApplication, "apiKey", "the member registered with another application")
			}
			r, err := recordNamed(m, domain.Service(in.Service), uint64(in.ServiceID))
			if err != nil {
				return nil, nil, err
			}
			p.Profile = p.Profile.With(domain.Fields{{Field: domain.VerifiedEmail, Value: email}})
			if part := p.Service(r.Application, r.Identity); part != nil {
				part.Fields = part.Fields.With(domain.Fields{{Field: domain.RecordVerifiedEmail, Value: email}})
			}
			u := &domain.UpdateMember{
				Member: m.ID, Email: m.Email, At: req.Now.UnixMilli(),
				Records: []domain.RecordUpdate{{ID: r.ID, Verified: req.Identity(domain.ByVerifiedEmail, email)}},
			}
			return u, &u.Personal, nil
		})
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m)), nil
}

// recordNamed is the service record with the id, else the latest of the service.
func recordNamed(m *domain.Member, service domain.Service, id uint64) (*domain.ServiceRecord, error) {
	var latest *domain.ServiceRecord
	for i := range m.Services {
		r := &m.Services[i]
		if r.Service != service || id != 0 && r.ID != id {
			continue
		}
		if latest == nil || r.Created > latest.Created || r.Created == latest.Created && r.ID > latest.ID {
			latest = r
		}
	}
	switch {
	case latest != nil:
		return latest, nil
	case id != 0:
		return nil, domain.Bad(domain.NotFound, "serviceid", "the member has no record of the service with this id")
	}
	return nil, domain.Bad(domain.NotFound, "service", "the member has no record of this service")
}
