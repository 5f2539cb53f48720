package identity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Update applies an update at its member, at once or when other shards have granted the
// identities it needs.
func (g *Registrar) Update(t *tx.Tx, r *domain.Record, u *domain.UpdateMember) error {
	u = cloneUpdate(u)
	m, err := g.Active(t, r, u.Member)
	if m == nil || err != nil {
		return err
	}
	before := m.State().Member
	wants := member.UpdateWants(&before, u)
	taken, err := g.grantLocal(t, r.Account, wants, u.Member)
	if err != nil {
		return err
	}
	if taken != domain.NoIdentity && before.Personal.Takes(&u.Personal) {
		t.Complete(r, takenBy(taken))
		return nil
	}
	waits := domain.PendingRegistration{
		Ticket: domain.ActionID(t.NewRecord(u.Member.Slot())).Sequence(), Asked: r.AskedBy(), Claims: wants,
	}
	var end member.UpdateEnd
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end = member.Update(dst, s, u, &waits)
		return dst
	})
	switch end {
	case member.Updated:
		g.request(t, r, &waits, u.Member, domain.Held)
	case member.UpdateWaits:
		t.Defer(r, u.Member) // the last step completes it
		g.request(t, r, &waits, u.Member, domain.Held)
		return nil
	}
	return g.updated(t, r, end, m, &before)
}

// RemoveService takes a service record from its member.
func (g *Registrar) RemoveService(t *tx.Tx, r *domain.Record, c *domain.RemoveService) error {
	c = cloneRemoval(c)
	m, err := g.Active(t, r, c.Member)
	if m == nil || err != nil {
		return err
	}
	before := m.State().Member
	var end member.UpdateEnd
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end = member.RemoveService(dst, s, c)
		return dst
	})
	return g.updated(t, r, end, m, &before)
}

// ResetPassword replaces a password of its member.
func (g *Registrar) ResetPassword(t *tx.Tx, r *domain.Record, c *domain.ResetPassword) error {
	c = cloneReset(c)
	m, err := g.Active(t, r, c.Member)
	if m == nil || err != nil {
		return err
	}
	before := m.State().Member
	var end member.UpdateEnd
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end = member.ResetPassword(dst, s, c)
		return dst
	})
	return g.updated(t, r, end, m, &before)
}

// updated completes the request with what the member did, and follows what it changed.
func (g *Registrar) updated(t *tx.Tx, r *domain.Record, end member.UpdateEnd, m *members.Member, before *domain.Member) error {
	out := domain.Outcome{Member: before.ID}
	switch end {
	case member.UpdateOutdated:
		out = domain.Outcome{Again: true}
	case member.UpdateUnknown:
		out = domain.Failed(domain.Bad(domain.NotFound, "serviceid", "the member has no service record with this id"))
	case member.UpdateLast:
		out = domain.Failed(domain.Bad(domain.Conflict, "serviceid", "it is the last service record of the member"))
	}
	t.Complete(r, out)
	return g.follow(t, r, m, before)
}
