package profile

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// verifyIn are the parameters of member/verify.
type verifyIn struct {
	MemberID      bind.ID      `name:"memberid" doc:"id of a member that registered with the application of the key" eg:"8195"`
	Service       bind.Service `name:"service" required:"" not:"custom" doc:"the service of the record to verify on; not custom" eg:"spotify"`
	VerifiedEmail bind.Email   `name:"verified_email" required:"" doc:"the address, which the caller has verified" eg:"ada@example.com"`
	ServiceID     bind.ID      `name:"serviceid" doc:"id of the service record; default: the latest of service" eg:"8193"`
}

// Verify marks an address as verified: on a service record, and of the member. Where another member
// has the address verified, the two are merged: the one who registered first survives.
func (s *Service) Verify(ctx context.Context, req *serve.Request, in *verifyIn) (*wire.Envelope, error) {
	m, err := s.verified(ctx, req, in)
	if err == nil {
		err = s.claimFreed(ctx, req, m)
	}
	if err != nil {
		return nil, err
	}
	return s.envelopes.Of(req, m, envelope.SignedIn(m))
}

func (s *Service) verified(ctx context.Context, req *serve.Request, in *verifyIn) (*domain.Member, error) {
	m, err := req.MemberWith(ctx, domain.MemberID(in.MemberID), func(m *domain.Member) error {
		if m.Application != req.Caller.App.ID {
			return domain.Bad(domain.WrongApplication, "apiKey", "the member registered with another application")
		}
		_, err := recordNamed(m, domain.Service(in.Service), uint64(in.ServiceID))
		return err
	})
	if err != nil {
		return s.mergedBefore(ctx, req, in, err)
	}
	among, err := s.begunWith(ctx, req, in, m)
	if err != nil {
		return nil, err
	}
	r, err := recordNamed(among, domain.Service(in.Service), uint64(in.ServiceID))
	if err != nil {
		return nil, err
	}
	v := &verification{
		sealer: s.sealer, owner: m.Holder(r.ID), record: r.ID, email: string(in.VerifiedEmail),
		address: req.Identity(domain.ByVerifiedEmail, string(in.VerifiedEmail)),
	}
	return v.run(ctx, req)
}

// verification marks an address on a service record, and merges the record's member with another one
// that has the address verified.
//
// One member alone has the claim on an address. The record's owner asks for it with the mark: granted,
// all is done. Where another member has it, the mark is made without the claim, and then the two are
// merged: the mark is the record's, and stays with it when the merge is taken back. The mark is first,
// so that the request can be repeated, with a key or without, wherever it was interrupted.
//
// Each of these commands has an id of its own, the same for each repeat of the request: a repeat finds
// those that were applied, and does the rest.
type verification struct {
	sealer  *personal.Sealer
	owner   domain.MemberID // of the record
	record  uint64
	email   string
	address domain.IdentityHash
}

// verifyAttempts is how often an address is asked for that another request verifies, or by which
// another one merges, at the same time.
const verifyAttempts = 3

func (v *verification) run(ctx context.Context, req *serve.Request) (m *domain.Member, err error) {
	for n := range verifyAttempts {
		if m, err = v.mark(ctx, req, claimPart(req, v.owner, n), true); !conflicts(err) {
			return m, err
		}
		holder, fault := holderOf(ctx, req, v.address)
		switch {
		case fault != nil:
			return nil, fault
		case holder == 0: // the address is free by now
			continue
		}
		if m, err = v.mark(ctx, req, shownPart(req, v.owner), false); err == nil {
			m, err = v.merge(ctx, req, m, holder, n)
		}
		if !conflicts(err) && domain.CodeOf(err) != domain.Gone { // gone: merged or erased meanwhile
			return m, err
		}
	}
	return nil, err
}

// conflicts reports that another request about the address or one of the members is under way.
func conflicts(err error) bool {
	return domain.CodeOf(err) == domain.Conflict && !domain.IsKeyMisused(err)
}

// claimPart is the n-th request of a mark with the claim, shownPart that of one without it.
func claimPart(req *serve.Request, owner domain.MemberID, n int) *serve.Request {
	return personal.StepOf(req, fmt.Sprintf("claim %d of member %d", n, owner))
}

func shownPart(req *serve.Request, owner domain.MemberID) *serve.Request {
	return personal.StepOf(req, fmt.Sprintf("mark of member %d", owner))
}

// mark marks the address on the record, with the claim on it or without; the answer is the member, or
// the one that it is merged into.
func (v *verification) mark(
	ctx context.Context, req, part *serve.Request, claims bool,
) (*domain.Member, error) {
	at := req.Clock.Now.UnixMilli()
	m, err := v.sealer.Change(ctx, part, v.owner,
		func(m *domain.Member, p *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
			p.Profile = p.Profile.With(domain.Fields{{Field: domain.VerifiedEmail, Value: v.email}})
			for i := range m.Services {
				r := &m.Services[i]
				if part := p.Service(r.Application, r.Identity); r.ID == v.record && part != nil {
					part.Fields = part.Fields.With(domain.Fields{
						{Field: domain.RecordVerifiedEmail, Value: v.email},
						{Field: domain.RecordVerifiedAt, Value: strconv.FormatInt(at, 10)},
					})
				}
			}
			change := domain.RecordUpdate{ID: v.record, NoClaim: !claims}
			if claims {
				change.Verified = v.address
			}
			u := &domain.UpdateMember{Member: m.ID, Email: m.Email, At: at, Records: []domain.RecordUpdate{change}}
			return u, &u.Personal, nil
		})
	personal.Join(req, part)
	req.Response.Replayed = part.Response.Replayed
	return m, err
}

// claimFreed has records of a member on which an address is verified without a claim have the claim, where
// no member has it any more: the record that had it is gone, or another address is verified on it by then.
func (s *Service) claimFreed(ctx context.Context, req *serve.Request, m *domain.Member) error {
	for i := range m.Services {
		r := &m.Services[i]
		email := r.Fields.Get(domain.RecordVerifiedEmail)
		if email == "" || !r.Verified.IsZero() {
			continue
		}
		address := req.Identity(domain.ByVerifiedEmail, email)
		holder, err := holderOf(ctx, req, address)
		if err != nil {
			return err
		}
		if holder != 0 {
			continue
		}
		part := personal.StepOf(req, fmt.Sprintf("claim again of record %d", r.ID))
		_, err = s.sealer.Change(ctx, part, m.Holder(r.ID),
			func(m *domain.Member, _ *domain.Personal) (domain.Command, *domain.PersonalPut, error) {
				return &domain.UpdateMember{
					Member: m.ID, Email: m.Email, At: req.Clock.Now.UnixMilli(),
					Records: []domain.RecordUpdate{{ID: r.ID, Verified: address}},
				}, nil, nil
			})
		if err != nil && !conflicts(err) && domain.CodeOf(err) != domain.NotFound { // taken, or removed meanwhile
			return err
		}
		personal.Join(req, part)
	}
	return nil
}

// holderOf is the member that has the claim on an address, be it merged into another, once everything is
// applied that was accepted before; 0: none has.
func holderOf(ctx context.Context, req *serve.Request, address domain.IdentityHash) (domain.MemberID, error) {
	at, err := req.Engine.AcceptedPosition(ctx)
	if err != nil {
		return 0, err
	}
	req.Wait = req.Wait.Reach(at)
	m, err := selection.HolderOf(ctx, req, domain.ByVerifiedEmail, address)
	if err != nil || m == nil {
		return 0, err
	}
	return m.ID, nil
}

// merge merges a member with the one for whom the holder of the address stands, unless they are one. n
// is the attempt.
func (v *verification) merge(
	ctx context.Context, req *serve.Request, m *domain.Member, holder domain.MemberID, n int,
) (*domain.Member, error) {
	other, err := req.Survivor(ctx, holder, req.Wait)
	if err != nil || other.ID == m.ID {
		return other, err
	}
	into, from := m.ID, other.ID
	if cmp.Or(cmp.Compare(other.Created, m.Created), cmp.Compare(other.ID, m.ID)) < 0 {
		into, from = from, into
	}
	sub := req.Submission()
	sub.Request = personal.AttemptID(sub.Request, n)
	sub.Command = &domain.MergeMembers{Member: into, From: from}
	sub.Slot = into.Slot()
	out, err := req.Submit(ctx, sub)
	switch {
	case domain.CodeOf(err) == domain.PlanLimit: // of no parameter of this request
		return nil, domain.Fail(domain.PlanLimit, "the members with the address are not merged: "+out.Message)
	case err != nil:
		return nil, err
	}
	return req.Survivor(ctx, into, out.Position)
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
