package shard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// register applies a registration: the identity's shard names the member, who may
// live in another one.
func (s *shard) register(ctx actor.Context, r *domain.Record, c *domain.RegisterMember) error {
	held, ok, err := s.identities.find(r.Account, c.Identity)
	if err != nil {
		return err
	}
	if !ok {
		return s.enter(ctx, r, c, nil)
	}
	if !s.roster.Owns(held.Member.Slot()) {
		s.forwardRegistration(r, c, held.Member)
		return nil
	}
	at, ok := s.roster.Find(held.Member)
	if !ok {
		return fmt.Errorf("identity %v names member %d, whom the shard does not have", c.Identity, held.Member)
	}
	k, err := s.awake.Wake(ctx, at)
	if err != nil {
		return err
	}
	return s.matchExisting(ctx, r, c, k)
}

// attach applies an attachment at its member.
func (s *shard) attach(ctx actor.Context, r *domain.Record, a *domain.AttachService, c *domain.RegisterMember) error {
	k, err := s.active(ctx, r, a.Member)
	if k == nil || err != nil {
		return err
	}
	if a.Met {
		return s.matchExisting(ctx, r, c, k)
	}
	return s.enter(ctx, r, c, k)
}

// opt opts a member in or out.
func (s *shard) opt(ctx actor.Context, r *domain.Record, id domain.MemberID, m *members.Opt) error {
	k, err := s.active(ctx, r, id)
	if k == nil || err != nil {
		return err
	}
	s.batch.changes = k.Send(ctx, m, s.batch.changes)
	s.concludeRequest(askedBy(r), r, domain.Outcome{Member: id})
	return nil
}

// active is the actor of a member that a command names; nil: the command is
// concluded, there is no such member.
func (s *shard) active(ctx actor.Context, r *domain.Record, id domain.MemberID) (*members.Actor, error) {
	if at, ok := s.roster.Find(id); ok && at.Account == r.Account {
		if k, err := s.awake.Wake(ctx, at); err != nil || k.State().Active() {
			return k, err
		}
	}
	s.concludeRequest(askedBy(r), r, domain.Failed(domain.Bad(domain.NotFound, "memberid", "no such member")))
	return nil, nil
}

// forwardRegistration sends a registration to the member that has the identity, in its shard.
func (s *shard) forwardRegistration(r *domain.Record, c *domain.RegisterMember, id domain.MemberID) {
	to, asked := id.Slot().Shard(s.env.Shards), askedBy(r)
	s.send(&domain.Outgoing{To: to, Forward: &domain.Record{
		Kind: domain.KindAttach, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash,
		Command: &domain.AttachService{Member: id, Register: *c, Met: true, Asked: asked},
	}})
	s.movedOn(asked, r, to)
}

// matchExisting applies a registration to the member that its identity names. A member who is
// only about to be, or to have the identity, or has it no more, does not match: the
// request is tried again.
func (s *shard) matchExisting(ctx actor.Context, r *domain.Record, c *domain.RegisterMember, k *members.Actor) error {
	if !k.State().Holds(c.Identity) {
		s.concludeRequest(askedBy(r), r, domain.Outcome{Again: true})
		return nil
	}
	return s.enter(ctx, r, c, k)
}

// enter brings a registration to its member (nil: one that is to be), which applies
// it at once or when other shards have granted the identities it needs.
func (s *shard) enter(ctx actor.Context, r *domain.Record, c *domain.RegisterMember, k *members.Actor) error {
	var known *member.State
	var id domain.MemberID
	if k != nil {
		known = k.State()
		id = known.Member.ID
	}
	wants := known.Wants(c)
	taken, err := s.claims(r.Account, wants, id)
	if err != nil {
		return err
	}
	if taken != domain.NoIdentity {
		s.concludeRequest(askedBy(r), r, takenBy(taken))
		return nil
	}
	if k == nil {
		k = s.create(ctx, r, c)
		id = k.State().Member.ID
	}
	before := k.State().Member
	m := &members.Register{Command: c, Now: r.Time, Record: s.newRecord(id.Slot()), IsNew: known == nil}
	m.Waits = domain.PendingRegistration{Ticket: s.state.Sequence, Asked: askedBy(r), Claims: wants}
	s.batch.changes = k.Send(ctx, m, s.batch.changes)
	return s.entered(r, m, k, &before)
}

// entered follows what the member did with a registration.
func (s *shard) entered(r *domain.Record, m *members.Register, k *members.Actor, before *domain.Member) error {
	id, asked := before.ID, askedBy(r)
	switch m.Guess {
	case member.GuessStale:
		s.concludeRequest(asked, r, domain.Outcome{Again: true})
		return nil
	case member.GuessWrong:
		s.concludeRequest(asked, r, domain.Failed(domain.Bad(domain.Conflict, "password", "the email is registered with another password")))
		return nil
	case member.GuessLocked:
		out := domain.Failed(domain.Bad(domain.Locked, "email", "too many wrong passwords were given for this email"))
		out.RetryAfter = m.RetryAfter
		s.concludeRequest(asked, r, out)
		return nil
	}
	if m.Registered {
		s.requestClaims(r, &m.Waits, id, domain.Held)
		s.env.Handle.Stats.registered.Add(1)
		s.concludeRequest(asked, r, domain.Outcome{Member: id, New: m.IsNew})
		return s.changed(r, k, before)
	}
	state := domain.Held
	if m.IsNew {
		state = domain.Pending
	}
	if !asked.IsZero() { // the last step concludes it
		s.remember(&domain.Request{ID: asked, BodyHash: r.BodyHash, Pending: true})
		s.waiting.Begin(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset)
	}
	s.requestClaims(r, &m.Waits, id, state)
	return nil
}

// create makes the actor of a member that is to be.
func (s *shard) create(ctx actor.Context, r *domain.Record, c *domain.RegisterMember) *members.Actor {
	id := s.roster.Next(c.Identity.Slot())
	at := member.Place{Account: r.Account, Ord: s.accounts.Add(r.Account, id)}
	s.roster.Add(id, at)
	return s.awake.Spawn(ctx, at, member.New(c, r.Account, id, at.Ord))
}

// own is a copy that shares no memory with a page: a member lives longer.
func own(in *domain.RegisterMember) *domain.RegisterMember {
	c := *in
	c.UID, c.Domain, c.Password = strings.Clone(c.UID), strings.Clone(c.Domain), strings.Clone(c.Password)
	c.PartnerCode, c.PartnerID = strings.Clone(c.PartnerCode), strings.Clone(c.PartnerID)
	c.Given, c.Record = ownFields(c.Given), ownFields(c.Record)
	return &c
}

func ownFields(in domain.Fields) domain.Fields {
	f := slices.Clone(in)
	for i := range f {
		f[i].Value = strings.Clone(f[i].Value)
	}
	return f
}
