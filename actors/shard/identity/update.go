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
	m := &members.Update{Command: u}
	m.Waits = domain.PendingRegistration{
		Ticket: domain.ActionID(g.effects.NewRecord(u.Member.Slot())).Sequence(), Asked: r.AskedBy(), Claims: wants,
	}
	g.effects.Apply(k, m)
	switch m.End {
	case member.Updated:
		g.claims.request(r, &m.Waits, u.Member, domain.Held)
	case member.UpdateWaits:
		g.effects.Await(r, u.Member) // the last step completes it
		g.claims.request(r, &m.Waits, u.Member, domain.Held)
		return nil
	}
	return g.updated(r, m.End, k, &before)
}

// RemoveService takes a service record from its member.
func (g *Registrar) RemoveService(r *domain.Record, c *domain.RemoveService) error {
	k, err := g.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	before := k.State().Member
	m := &members.RemoveService{Command: c}
	g.effects.Apply(k, m)
	return g.updated(r, m.End, k, &before)
}

// ResetPassword replaces a password of its member.
func (g *Registrar) ResetPassword(r *domain.Record, c *domain.ResetPassword) error {
	k, err := g.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	before := k.State().Member
	m := &members.ResetPassword{Command: c}
	g.effects.Apply(k, m)
	return g.updated(r, m.End, k, &before)
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
