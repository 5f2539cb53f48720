package registration

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
)

// matchAll makes the command of each record of a round for the member that has its identity. One
// question shows that no identity has a member, which is the rule in an import.
func (s *Service) matchAll(ctx context.Context, req *serve.Request, round []*manyItem) error {
	names := make([]domain.Name, 0, len(round))
	fresh := true
	for _, m := range round {
		names = append(names, domain.Name{Kind: m.r.claims(), Hash: m.r.identity})
		fresh = fresh && m.to == 0
	}
	found, _, err := req.Engine.ResolveAll(ctx, req.Account(), names, req.Wait)
	if err != nil {
		return serve.WaitFault(err)
	}
	fresh = fresh && len(found) == 0
	parallel(round, func(m *manyItem) {
		m.req.Wait = req.Wait
		m.err = s.match(ctx, m, fresh)
	})
	return nil
}

// match makes the command of one record. Where fresh is set, no member has its identity.
func (s *Service) match(ctx context.Context, m *manyItem, fresh bool) error {
	var holder *domain.Member
	var err error
	if !fresh {
		if holder, err = selection.HolderOf(ctx, m.req, m.r.claims(), m.r.identity); err != nil {
			return err
		}
	}
	m.known = holder
	if m.to != 0 {
		if m.known, err = s.attachedTo(ctx, m.req, m.r, m.to); err != nil {
			return serve.WithParameter(err, "id")
		}
	}
	if err := personal.Knows(m.known, m.r.identity); err != nil {
		return err
	}
	c, p := s.command(m.req, m.r, m.known)
	if m.r.service == domain.Email {
		if c.Password, err = s.password(ctx, m.r, holder, p); err != nil {
			return err
		}
	}
	m.part = *p
	m.sub = m.req.Submission()
	m.sub.Request = personal.AttemptID(m.req.ID, m.rounds)
	if m.hash != 0 {
		m.sub.BodyHash = m.hash
	}
	m.sub.Command, m.sub.Slot = c, c.Identity.Slot()
	return nil
}

// sealAll seals the personal parts of the records of a round that have no error. The new data keys
// are made durable at once.
func (s *Service) sealAll(ctx context.Context, req *serve.Request, round []*manyItem) ([]*manyItem, error) {
	ready := make([]*manyItem, 0, len(round))
	parts := make([]personal.Part, 0, len(round))
	for _, m := range round {
		if m.err == nil {
			ready = append(ready, m)
			parts = append(parts, personal.Part{Member: m.known, Personal: &m.part})
		}
	}
	puts, err := s.sealer.PutAll(ctx, req.Account(), parts)
	if err != nil {
		return nil, err
	}
	for i, m := range ready {
		c := m.sub.Command.(*domain.RegisterMember)
		c.Personal = puts[i]
		if c.Visit.Details, err = s.sealer.PutVisit(ctx, req.Account(), m.known, &c.Personal, m.r.in.details()); err != nil {
			return nil, err
		}
		if m.to != 0 {
			m.sub.Command, m.sub.Slot = &domain.AttachService{Member: m.known.ID, Register: *c}, m.known.ID.Slot()
		}
	}
	return ready, nil
}
