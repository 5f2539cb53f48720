package profile

import (
	"cmp"
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/personal"
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

// Verify marks an address as verified: on a service record, and of the member. Where another member
// has the address verified, the two are merged: the one who registered first survives.
func (s *Service) Verify(ctx context.Context, req *serve.Request, in *verifyIn) (*wire.Envelope, error) {
	m, err := s.verified(ctx, req, in)
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m)), nil
}

// verifyAttempts is how often an address is looked up that another request verifies, or by which
// another one merges, at the same time.
const verifyAttempts = 3

func (s *Service) verified(ctx context.Context, req *serve.Request, in *verifyIn) (*domain.Member, error) {
	named := domain.MemberID(in.MemberID)
	m, err := req.Member(ctx, named, req.Wait)
	if err != nil {
		return s.mergedBefore(ctx, req, named, err)
	}
	if m.Application != req.App.ID {
		return nil, domain.Bad(domain.WrongApplication, "apiKey", "the member registered with another application")
	}
	r, err := recordNamed(m, domain.Service(in.Service), uint64(in.ServiceID))
	if err != nil {
		return nil, err
	}
	address := req.Identity(domain.ByVerifiedEmail, string(in.VerifiedEmail))
	for n := 0; ; n++ {
		holder, err := verifiedBy(ctx, req, address)
		if err != nil {
			return nil, err
		}
		if from := directly(m, holder); req.Keyed && from != 0 {
			if out, err := mergedBy(ctx, req, m.ID, from); out != nil || err != nil {
				return out, err
			}
		}
		out := m
		if holder == 0 || holder == m.Holder(r.ID) {
			out, err = s.mark(ctx, req, m.Holder(r.ID), r.ID, string(in.VerifiedEmail), address)
		} else {
			out, err = s.mergeBy(ctx, req, m, holder, n)
		}
		if err == nil || domain.CodeOf(err) != domain.Conflict || domain.IsKeyMisused(err) || n == verifyAttempts-1 {
			return out, err
		}
		if err := settled(ctx, req); err != nil {
			return nil, err
		}
		if m, err = req.Survivor(ctx, named, req.Wait); err != nil {
			return nil, err
		}
		if m.Holder(r.ID) == 0 { // removed meanwhile
			return nil, domain.Bad(domain.NotFound, "service", "the member has no record of this service")
		}
	}
}

// settled returns once everything is applied that was accepted before.
func settled(ctx context.Context, req *serve.Request) error {
	at, err := req.Engine.Ends(ctx)
	if err != nil {
		return err
	}
	req.Wait = req.Wait.Reach(at)
	return serve.WaitFault(req.Engine.Await(ctx, req.Wait))
}

// verifiedBy is the member that has an address verified, be it merged into another; 0: none has.
func verifiedBy(ctx context.Context, req *serve.Request, address domain.IdentityHash) (domain.MemberID, error) {
	id, at, err := req.Engine.Resolve(ctx, req.Account(), domain.ByVerifiedEmail, address, req.Wait)
	if err != nil || id == 0 {
		return 0, serve.WaitFault(err)
	}
	req.Saw(at)
	_, err = req.MemberRecord(ctx, id, req.Wait)
	if code := domain.CodeOf(err); code == domain.Gone || code == domain.NotFound {
		return 0, nil // the address is about to be free
	}
	return id, err
}

// mark marks the address on a service record of a member.
func (s *Service) mark(
	ctx context.Context, req *serve.Request, owner domain.MemberID, record uint64, email string, address domain.IdentityHash,
) (*domain.Member, error) {
	return s.sealer.Change(ctx, req, owner,
		func(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
			p.Profile = p.Profile.With(domain.Fields{{Field: domain.VerifiedEmail, Value: email}})
			for i := range m.Services {
				r := &m.Services[i]
				if part := p.Service(r.Application, r.Identity); r.ID == record && part != nil {
					part.Fields = part.Fields.With(domain.Fields{{Field: domain.RecordVerifiedEmail, Value: email}})
				}
			}
			u := &domain.UpdateMember{
				Member: m.ID, Email: m.Email, At: req.Now.UnixMilli(),
				Records: []domain.RecordUpdate{{ID: record, Verified: address}},
			}
			return u, &u.Personal, nil
		})
}

// mergeBy merges a member with the one for whom the holder of its verified address stands. Where both
// are one by now, the command that has made them one is submitted again: it changes nothing. n is
// the attempt.
func (s *Service) mergeBy(
	ctx context.Context, req *serve.Request, m *domain.Member, holder domain.MemberID, n int,
) (*domain.Member, error) {
	other, err := req.Survivor(ctx, holder, req.Wait)
	if err != nil {
		return nil, err
	}
	into, from := m, other.ID
	switch {
	case other.ID == m.ID:
		if from = directly(m, holder); from == 0 {
			return m, nil
		}
	case cmp.Or(cmp.Compare(other.Created, m.Created), cmp.Compare(other.ID, m.ID)) < 0:
		into, from = other, m.ID
	}
	out, err := submitMerge(ctx, req, into.ID, from, n)
	if err != nil {
		return nil, err
	}
	return req.Survivor(ctx, into.ID, out.Position)
}

// directly is the member merged into m that is another one or has that merged into it; 0: none.
func directly(m *domain.Member, id domain.MemberID) domain.MemberID {
	for i := range m.Absorbed {
		if a := &m.Absorbed[i]; a.Done && (a.Member == id || directly(a.Record, id) != 0) {
			return a.Member
		}
	}
	return 0
}

func submitMerge(ctx context.Context, req *serve.Request, into, from domain.MemberID, n int) (domain.Outcome, error) {
	part := personal.PartOf(req, into)
	sub := part.Submission()
	sub.Request = personal.AttemptID(sub.Request, n)
	sub.Command = &domain.MergeMembers{Member: into, From: from}
	sub.Slot = into.Slot()
	return req.Submit(ctx, sub)
}

// mergedBefore is the answer where the member named is not there any more: where an earlier request
// with the same Idempotency-Key has merged it, that request's.
func (s *Service) mergedBefore(
	ctx context.Context, req *serve.Request, named domain.MemberID, gone error,
) (*domain.Member, error) {
	fault, ok := errors.AsType[*domain.Error](gone)
	if !req.Keyed || !ok || fault.Survivor == 0 {
		return nil, gone
	}
	m, err := req.MemberRecord(ctx, named, req.Wait)
	if err != nil || !m.IsLent() {
		return nil, gone
	}
	out, err := mergedBy(ctx, req, m.Lent.To, named)
	if out == nil {
		err = gone
	}
	return out, err
}

// mergedBy is the member that an earlier request with the same Idempotency-Key has merged another
// into; nil: none has. The merge is submitted again, which changes nothing where it was.
func mergedBy(ctx context.Context, req *serve.Request, into, from domain.MemberID) (*domain.Member, error) {
	for n := range verifyAttempts {
		out, err := submitMerge(ctx, req, into, from, n)
		if err == nil && out.Replayed {
			return req.Survivor(ctx, into, out.Position)
		}
		if !out.Replayed {
			break
		}
	}
	req.Replayed = false
	return nil, nil
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
