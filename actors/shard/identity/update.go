package identity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Update applies an update at its member, at once or when other shards have granted the
// identities it needs.
func (g *Registrar) Update(r *domain.Record, u *domain.UpdateMember) error {
	k, err := g.Active(r, u.Member)
	if k == nil || err != nil {
		return err
	}
	before := k.State().Member
	wants := member.UpdateWants(&before, u)
	taken, err := g.claims.grantLocal(r.Account, wants, u.Member)
	if err != nil {
		return err
	}
	if taken != domain.NoIdentity && before.Personal.Takes(&u.Personal) {
		g.effects.Complete(r, takenBy(taken))
		return nil
	}
	waits := domain.PendingRegistration{
		Ticket: domain.ActionID(g.effects.NewRecord(u.Member.Slot())).Sequence(), Asked: r.AskedBy(), Claims: wants,
	}
	var end member.UpdateEnd
	g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end = member.Update(dst, s, u, &waits)
		return dst
	})
	switch end {
	case member.Updated:
		g.claims.request(r, &waits, u.Member, domain.Held)
	case member.UpdateWaits:
		g.effects.Await(r, u.Member) // the last step completes it
		g.claims.request(r, &waits, u.Member, domain.Held)
		return nil
	}
	return g.updated(r, end, k, &before)
}

// RemoveService takes a service record from its member.
func (g *Registrar) RemoveService(r *domain.Record, c *domain.RemoveService) error {
	k, err := g.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	before := k.State().Member
	var end member.UpdateEnd
	g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end = member.RemoveService(dst, s, c)
		return dst
	})
	return g.updated(r, end, k, &before)
}

// ResetPassword replaces a password of its member.
func (g *Registrar) ResetPassword(r *domain.Record, c *domain.ResetPassword) error {
	k, err := g.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	before := k.State().Member
	var end member.UpdateEnd
	g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, end = member.ResetPassword(dst, s, c)
		return dst
	})
	return g.updated(r, end, k, &before)
}

// updated completes the request with what the member did, and follows what it changed.
func (g *Registrar) updated(r *domain.Record, end member.UpdateEnd, k *members.Actor, before *domain.Member) error {
	out := domain.Outcome{Member: before.ID}
	switch end {
	case member.UpdateOutdated:
		out = domain.Outcome{Again: true}
	case member.UpdateUnknown:
		out = domain.Failed(domain.Bad(domain.NotFound, "serviceid", "the member has no service record with this id"))
	case member.UpdateLast:
		out = domain.Failed(domain.Bad(domain.Conflict, "serviceid", "it is the last service record of the member"))
	}
	g.effects.Complete(r, out)
	return g.claims.follow(r, k, before)
}
