package identity

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Erase erases a member: its record, all that it did, its identities and, by the outbox, its data
// keys. What waits for it is completed: it is gone.
func (g *Registrar) Erase(ctx actor.Context, r *domain.Record, c *domain.EraseMember) error {
	k, err := g.Active(ctx, r, c.Member)
	if k == nil || err != nil {
		return err
	}
	before, at := k.State().Member, k.Place()
	past, err := g.loaded.Past(at)
	if err != nil {
		return err
	}
	m := &members.Erase{At: c.At, Past: past}
	g.effects.Apply(ctx, k, m)
	g.deleteKeys(m.Keys)
	if err := g.claims.follow(r, k, &before); err != nil {
		return err
	}
	for i := range before.Pending {
		if err := g.endPending(r, k, &before.Pending[i]); err != nil {
			return err
		}
	}
	g.effects.Complete(r, domain.Outcome{Member: c.Member, ErasedAt: c.At, ErasedNext: r.Offset + 1})
	return nil
}

// endPending ends what waited for claims: those that were granted are released, the others when
// they are answered.
func (g *Registrar) endPending(r *domain.Record, k *members.Actor, p *domain.PendingRegistration) error {
	id := k.State().Member.ID
	for _, claim := range p.Claims {
		if !claim.Granted {
			continue
		}
		if err := g.claims.giveUp(r, k, domain.Identity{Hash: claim.Identity, Kind: claim.Type, Member: id}); err != nil {
			return err
		}
	}
	if !p.Asked.IsZero() {
		asked := &domain.Record{Offset: r.Offset, Request: p.Asked, BodyHash: g.effects.BodyOf(p.Asked)}
		g.effects.Complete(asked, domain.Failed(domain.ErrErased))
	}
	return nil
}

// deleteKeys has data keys deleted.
func (g *Registrar) deleteKeys(keys []domain.KeyID) {
	for some := range slices.Chunk(keys, keysOfEntry) {
		g.effects.Send(&domain.Outgoing{To: -1, Keys: some})
	}
}

// keysOfEntry is how many keys an entry of the outbox has at most.
const keysOfEntry = 1000

// deleteKeyOf has the key deleted that seals what a command, which is in the log, says of a member
// who is erased, or never came to be.
func (g *Registrar) deleteKeyOf(c domain.Command) {
	if p := domain.PersonalOf(c); p != nil && !p.Key.IsZero() {
		g.deleteKeys([]domain.KeyID{p.Key})
	}
}

// gone completes a command that names a member who is erased.
func (g *Registrar) gone(r *domain.Record) {
	g.deleteKeyOf(r.Command)
	out := domain.Failed(domain.ErrErased)
	if a, ok := r.Command.(*domain.AttachService); ok && a.Met { // the identity is about to be free
		out = domain.Outcome{Again: true}
	}
	g.effects.Complete(r, out)
}
