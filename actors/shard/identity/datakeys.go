package identity

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// A command of a member that is to be has a data key of its own, which seals what it says in the
// log. If it makes no member, the key is deleted: the member whose registration it repeats, or
// another one, can be erased later, and knows nothing of it. That a registration came with a key is kept for ever
// (Ledger.Used), also after its member is erased: no later record gives the key to another member.

// deleteKeys has data keys deleted, by the outbox.
func deleteKeys(t *tx.Tx, keys []domain.KeyID) {
	for some := range slices.Chunk(keys, keysOfEntry) {
		t.Send(&domain.Outgoing{To: -1, Keys: some})
	}
}

// keysOfEntry is how many keys an entry of the outbox has at most.
const keysOfEntry = 1000

// dropKeyOf has the key deleted that a command came with and that no member takes. A command that was made
// of a member has the key of that member, which stays: it may be another one than the command came to.
func dropKeyOf(t *tx.Tx, c domain.Command) {
	if ownKey(c) {
		deleteKeys(t, []domain.KeyID{domain.PersonalOf(c).Key})
	}
}

// ownKey reports that a command has a data key that was made for it.
func ownKey(c domain.Command) bool {
	p := domain.PersonalOf(c)
	return p != nil && p.OwnKey()
}

// usesKey reports that a registration in the partition of its identity came with a data key that one before it
// had, and notes the key.
func (g *Registrar) usesKey(t *tx.Tx, r *domain.Record, c *domain.RegisterMember) (used bool, err error) {
	if !ownKey(c) {
		return false, nil
	}
	used, err = g.ledger.Used(r.Account, c.Identity, c.Personal.Key)
	if !used && err == nil {
		t.Change(g.ledger.use(c.Identity, c.Personal.Key))
	}
	return used, err
}

// Repeated follows a record whose request q is known: nothing that it says is used. A copy of the
// record that was applied has the key of its member, which stays.
func (g *Registrar) Repeated(t *tx.Tx, r *domain.Record, q *domain.Request) error {
	if !ownKey(r.Command) {
		return nil
	}
	out := &q.Outcome
	if c, ok := r.Command.(*domain.RegisterMember); ok {
		if used, err := g.usesKey(t, r, c); used || err != nil {
			return err
		}
	}
	if c, ok := r.Command.(*domain.RegisterMember); ok && out.MovedTo > 0 {
		sendRegistration(t, r, c, out.MovedTo-1, out.Member) // which judges
		return nil
	}
	m, err := t.Find(r.Account, out.Member)
	if err != nil {
		return err
	}
	if m == nil {
		dropKeyOf(t, r.Command)
		return nil
	}
	deleteUnused(t, r.Command, m)
	return nil
}

// deleteUnused is dropKeyOf unless the member has the key.
func deleteUnused(t *tx.Tx, c domain.Command, m *members.Member) {
	if !slices.Contains(member.DataKeys(&m.State().Member), domain.PersonalOf(c).Key) {
		dropKeyOf(t, c)
	}
}
