package actors

import (
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// command applies a record that is no activity. Nothing of a group is pending.
func (s *shard) command(ctx actor.Context, r *domain.Record) error {
	if !r.Request.IsZero() {
		if known, err := s.replayed(r.Request, r); known || err != nil {
			return err
		}
	}
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		return s.register(ctx, r, c)
	case *domain.Claim:
		return s.claim(ctx, r, c)
	case *domain.Usage:
		s.slice.changes = append(s.slice.changes, domain.Change{
			Kind: domain.UsagePut, Value: &domain.UsageCount{Account: r.Account, Usage: *c},
		})
	case *domain.Published:
		s.trim(c)
	case *domain.Tick:
		s.state.Clock = max(s.state.Clock, int64(c.Hour)*3600*1000)
	case *domain.Rules:
		if c.Version > domain.RulesVersion {
			return fmt.Errorf("the journal asks for rules %d, this binary knows %d: run a newer one", c.Version, domain.RulesVersion)
		}
		s.state.Rules = c.Version
	default:
		return fmt.Errorf("record %d is of kind %d, which this binary does not apply: run a newer one", r.Offset, r.Kind)
	}
	return nil
}

// trim takes published entries out of the outbox, at the same place in every
// replica.
func (s *shard) trim(c *domain.Published) {
	s.state.Published = max(s.state.Published, c.UpTo)
	s.state.DeadUpTo = max(s.state.DeadUpTo, c.DeadUpTo)
	s.slice.changes = append(s.slice.changes, domain.Change{
		Kind: domain.OutboxTrim, Value: &domain.Published{UpTo: s.state.Published, DeadUpTo: s.state.DeadUpTo},
	})
}

// register applies a registration: the identity's shard names the member.
func (s *shard) register(ctx actor.Context, r *domain.Record, c *domain.RegisterMember) error {
	own(c)
	held, ok, err := s.identity(r.Account, c.Identity)
	if err != nil {
		return err
	}
	taken, remote, err := s.partner(r.Account, c, held.Member)
	if err != nil {
		return err
	}
	if taken {
		s.concludeRequest(r.Request, r, failure(domain.Bad(domain.Conflict, "sourceuid", "another member has this partner identity")))
		return nil
	}
	k, err := s.registered(ctx, r, c, held.Member)
	if err != nil {
		return err
	}
	m := &register{command: c, record: s.newRecord(c.Identity.Slot()), partner: c.PartnerID != "" && !remote, isNew: !ok, changes: s.slice.changes}
	if remote {
		m.claim = &domain.PendingClaim{
			Identity: c.Partner, Type: domain.ByPartner, Asked: r.Request, Of: c.Identity, Code: c.PartnerCode, ID: c.PartnerID,
		}
	}
	if ctx.Send(k.pid, m); !m.done {
		panic("a member actor failed")
	}
	s.slice.changes = m.changes
	id := k.state().Member.ID
	if !ok {
		state := domain.Held
		if remote {
			state = domain.Pending
		}
		s.hold(domain.Identity{Hash: c.Identity, Kind: domain.ByService, State: state, Member: id})
	}
	if remote {
		s.askFor(r, c.Partner, id)
		return nil
	}
	if c.PartnerID != "" {
		s.hold(domain.Identity{Hash: c.Partner, Kind: domain.ByPartner, State: domain.Held, Member: id})
	}
	s.env.shared.stats.registered.Add(1)
	s.concludeRequest(r.Request, r, domain.Outcome{Member: id, New: !ok})
	return nil
}

// own copies what shares memory with the page: a member lives longer.
func own(c *domain.RegisterMember) {
	c.UID, c.Domain = strings.Clone(c.UID), strings.Clone(c.Domain)
	c.PartnerCode, c.PartnerID = strings.Clone(c.PartnerCode), strings.Clone(c.PartnerID)
	for i := range c.Given {
		c.Given[i].Value = strings.Clone(c.Given[i].Value)
	}
	for i := range c.Record {
		c.Record[i].Value = strings.Clone(c.Record[i].Value)
	}
}

// partner says whether the partner's name is another member's, or lives in another
// shard, which must be asked.
func (s *shard) partner(account domain.AccountID, c *domain.RegisterMember, holder domain.MemberID) (taken, remote bool, err error) {
	if c.PartnerID == "" {
		return false, false, nil
	}
	if !s.roster.Owns(c.Partner.Slot()) {
		return false, true, nil
	}
	i, ok, err := s.identity(account, c.Partner)
	return ok && (holder == 0 || i.Member != holder), false, err
}

// registered is the actor of the member that the registration is about: the one
// known, or a new one.
func (s *shard) registered(ctx actor.Context, r *domain.Record, c *domain.RegisterMember, known domain.MemberID) (*child, error) {
	if known != 0 {
		at, ok := s.roster.Find(known)
		if !ok {
			return nil, fmt.Errorf("identity %v names member %d, whom the shard does not have", c.Identity, known)
		}
		return s.wake(ctx, at)
	}
	acc := s.account(r.Account)
	id := s.roster.Next(c.Identity.Slot())
	at := member.Place{Account: r.Account, Ord: acc.audience.Members()}
	s.roster.Add(id, at)
	acc.audience.Add(id)
	s.views.touch(r.Account, acc)
	return s.awake.spawn(ctx, at, member.New(c, r.Account, id, at.Ord)), nil
}

// newRecord is an id for a service record.
func (s *shard) newRecord(slot domain.Slot) uint64 {
	s.state.Sequence++
	return uint64(domain.ActionIDOf(s.state.Sequence, slot))
}

// hold stages a claim.
func (s *shard) hold(i domain.Identity) {
	s.staged[i.Hash] = &i
	s.slice.changes = append(s.slice.changes, domain.Change{Kind: domain.IdentityPut, Value: &i})
}

// release stages that nobody has the identity any more.
func (s *shard) release(hash domain.IdentityHash) {
	s.staged[hash] = nil
	s.identities.drop(hash)
	s.slice.changes = append(s.slice.changes, domain.Change{Kind: domain.IdentityDrop, Value: &domain.Identity{Hash: hash}})
}
