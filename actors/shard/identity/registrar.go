package identity

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Registrar registers members and judges claims.
type Registrar struct {
	ledger     *Ledger
	registered *atomic.Int64
}

// New is the registrar of a shard. It counts registrations.
func New(l *Ledger, registered *atomic.Int64) *Registrar { return &Registrar{l, registered} }

// Active is the active member that a command names; nil: the command is completed, there is no such
// member.
func (g *Registrar) Active(t *tx.Tx, r *domain.Record, id domain.MemberID) (*members.Member, error) {
	m, err := t.Find(r.Account, id)
	switch {
	case err != nil || m != nil && m.State().Active():
		return m, err
	case m != nil && m.State().Member.State == domain.MemberErased:
		gone(t, r)
		return nil, nil
	}
	dropKeyOf(t, r.Command)
	t.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "memberid", "no such member")))
	return nil, nil
}
