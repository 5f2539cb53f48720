package identity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Erase erases a member: its record, all that it did, its identities and, by the outbox, its data
// keys. What waits for it is completed: it is gone.
func (g *Registrar) Erase(r *domain.Record, c *domain.EraseMember) error {
	k, err := g.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	if err := g.merges.Release(r, k, c.At); err != nil {
		return err
	}
	before, at := k.State().Member, k.Place()
	past, err := g.loaded.Past(at)
	if err != nil {
		return err
	}
	var keys []domain.KeyID // that are to be deleted
	g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, keys = member.Erase(dst, s, c.At, past)
		return dst
	})
	g.merges.Erased(k)
	g.keys.delete(keys)
	if err := g.claims.follow(r, k, &before); err != nil {
		return err
	}
	for i := range before.Pending {
		if err := g.endPending(r, k, &before.Pending[i]); err != nil {
			return err
		}
	}
	g.effects.Complete(r, domain.Outcome{
		Member: c.Member, ErasedAt: c.At, ErasedNext: r.Offset + 1, GoneBy: c.GoneBy,
	})
	return nil
}

// endPending ends what waited for claims: what it had is given up, those that are asked for when
// they are answered.
func (g *Registrar) endPending(r *domain.Record, k *members.Actor, p *domain.PendingRegistration) error {
	if err := g.claims.giveUpNames(r, k, p); err != nil {
		return err
	}
	if !p.Asked.IsZero() {
		asked := &domain.Record{Offset: r.Offset, Request: p.Asked, BodyHash: g.effects.BodyOf(p.Asked)}
		g.effects.Complete(asked, domain.Failed(domain.ErrErased))
	}
	return nil
}

// gone completes a command that names a member who is erased.
func (g *Registrar) gone(r *domain.Record) {
	g.keys.deleteOf(r.Command)
	out := domain.Failed(domain.ErrErased)
	if a, ok := r.Command.(*domain.AttachService); ok && a.Met { // the identity is about to be free
		out = domain.Outcome{Again: true}
	}
	g.effects.Complete(r, out)
}
