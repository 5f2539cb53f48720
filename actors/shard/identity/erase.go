package identity

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Erase erases an active member: its record, all that it did, its identities and, by the outbox, its data
// keys. What waits for it is completed: it is gone. It has part in no merge any more.
func (g *Registrar) Erase(t *tx.Tx, r *domain.Record, m *members.Member, c *domain.EraseMember) error {
	before, at := m.State().Member, m.Place()
	past, err := t.State.Loaded.Past(at)
	if err != nil {
		return err
	}
	var keys []domain.KeyID // that are to be deleted
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		dst, keys = member.Erase(dst, s, c.At, past)
		return dst
	})
	deleteKeys(t, keys)
	if err := g.follow(t, r, m, &before); err != nil {
		return err
	}
	for i := range before.Pending {
		if err := g.endPending(t, r, m, &before.Pending[i]); err != nil {
			return err
		}
	}
	t.Complete(r, domain.Outcome{
		Member: c.Member, ErasedAt: c.At, ErasedNext: r.Offset + 1, GoneBy: c.GoneBy,
	})
	return nil
}

// endPending ends what waited for claims: what it had is given up, those that are asked for when
// they are answered.
func (g *Registrar) endPending(t *tx.Tx, r *domain.Record, m *members.Member, p *domain.PendingRegistration) error {
	if err := g.giveUpNames(t, r, m, p); err != nil {
		return err
	}
	t.CompleteAsked(r, p.Asked, domain.Failed(domain.ErrErased))
	return nil
}

// gone completes a command that names a member who is erased.
func gone(t *tx.Tx, r *domain.Record) {
	dropKeyOf(t, r.Command)
	out := domain.Failed(domain.ErrErased)
	if a, ok := r.Command.(*domain.AttachService); ok && a.Met { // the identity is about to be free
		out = domain.Outcome{Again: true}
	}
	t.Complete(r, out)
}
