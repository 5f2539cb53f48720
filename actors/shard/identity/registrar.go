package identity

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Effects is what applying a record does in the shard, beside the ledger.
type Effects interface {
	// Change adds a change to those of the micro-batch; Apply has a member add its own.
	Change(domain.Change)
	Apply(k *members.Actor, w members.Work)
	// Send puts an entry into the outbox.
	Send(*domain.Outgoing)
	// NewRecord is the id of a new service record, or of a visit.
	NewRecord(domain.Slot) uint64
	// Clock is the shard's, ms since 1970.
	Clock() int64
	// Complete is the outcome of the request that waits for the record, Await that a later
	// record of the member has it, ForwardOutcome that another shard has, where the member is.
	Complete(r *domain.Record, out domain.Outcome)
	Await(r *domain.Record, id domain.MemberID)
	ForwardOutcome(r *domain.Record, to int, id domain.MemberID)
	// BodyOf is the hash of a request's body, 0 where the request is not known.
	BodyOf(domain.RequestID) uint64
}

// Shard applies what a registration needs of it.
type Shard interface {
	// Stage stages the changes made so far.
	Stage() error
	// ApplyParked applies what a member did while it was pending.
	ApplyParked(r *domain.Record, at member.Place) error
}

// Merges follows members that are erased.
type Merges interface {
	// Release ends what a member that is about to be erased has part in, Erased that it has no rows.
	Release(r *domain.Record, k *members.Actor, at int64) error
	Erased(k *members.Actor)
}

// Registrar registers members and judges claims.
type Registrar struct {
	effects    Effects
	shard      Shard
	claims     claims
	keys       dataKeys
	loaded     *members.Loaded
	accounts   *accounts.Accounts
	registered *atomic.Int64
	merges     Merges
}

// Config is what a Registrar is given.
type Config struct {
	Effects    Effects
	Shard      Shard
	Ledger     *Ledger
	Roster     *member.Roster
	Loaded     *members.Loaded
	Accounts   *accounts.Accounts
	Shards     int
	Registered *atomic.Int64 // counts registrations
	Merges     Merges
}

// New is the registrar of a shard.
func New(c Config) *Registrar {
	return &Registrar{
		c.Effects, c.Shard, claims{c.Effects, c.Ledger, c.Roster, c.Shards}, dataKeys{c.Effects}, c.Loaded, c.Accounts, c.Registered, c.Merges,
	}
}

// Active is the actor of an active member that a command names; nil: the command is completed,
// there is no such member.
func (g *Registrar) Active(r *domain.Record, id domain.MemberID) (*members.Actor, error) {
	if at, ok := g.claims.roster.Find(id); ok && at.Account == r.Account {
		k, err := g.loaded.Load(at)
		if err != nil || k.State().Active() {
			return k, err
		}
		if k.State().Member.State == domain.MemberErased {
			g.gone(r)
			return nil, nil
		}
	}
	g.DropKeyOf(r.Command)
	g.effects.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "memberid", "no such member")))
	return nil, nil
}
