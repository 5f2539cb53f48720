package identity

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Register applies a registration: the identity's shard names the member, who may
// live in another one.
//
// A registration whose data key came before is a copy of one whose request is forgotten. The key is that of the
// member whom the first one made, wherever the identity is now: a copy neither takes nor deletes it.
func (g *Registrar) Register(r *domain.Record, c *domain.RegisterMember) error {
	switch used, err := g.usesKey(r, c); {
	case err != nil:
		return err
	case used:
		g.effects.Complete(r, domain.Outcome{Again: true})
		return nil
	}
	held, ok, err := g.claims.ledger.Find(r.Account, c.Identity)
	if err != nil {
		return err
	}
	if !ok {
		return g.enter(r, c, nil)
	}
	if !g.claims.roster.Owns(held.Member.Slot()) {
		g.forwardRegistration(r, c, held.Member)
		return nil
	}
	at, ok := g.claims.roster.Find(held.Member)
	if !ok {
		return fmt.Errorf("identity %v names member %d, which the shard does not have", c.Identity, held.Member)
	}
	k, err := g.loaded.Load(at)
	if err != nil {
		return err
	}
	return g.matchExisting(r, c, k)
}

// Attach applies an attachment at its member.
func (g *Registrar) Attach(r *domain.Record, a *domain.AttachService, c *domain.RegisterMember) error {
	k, err := g.Active(r, a.Member)
	if k == nil || err != nil {
		return err
	}
	if a.Met {
		return g.matchExisting(r, c, k)
	}
	return g.enter(r, c, k)
}

// forwardRegistration sends a registration to the member that has the identity, in its shard.
func (g *Registrar) forwardRegistration(r *domain.Record, c *domain.RegisterMember, id domain.MemberID) {
	to := id.Slot().Shard(g.claims.shards)
	g.claims.sendRegistration(r, c, to, id)
	g.effects.ForwardOutcome(r, to, id)
}

// sendRegistration sends a registration to a member in another shard, where it is applied or known.
func (g *claims) sendRegistration(r *domain.Record, c *domain.RegisterMember, to int, id domain.MemberID) {
	g.effects.Send(&domain.Outgoing{To: to, Forward: &domain.Record{
		Kind: domain.KindAttach, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash,
		Command: &domain.AttachService{Member: id, Register: *c, Met: true, Asked: r.AskedBy()},
	}})
}

// matchExisting applies a registration to the member that its identity names. A member who is
// only about to be, or to have the identity, or has it no more, does not match: the
// request is tried again.
func (g *Registrar) matchExisting(r *domain.Record, c *domain.RegisterMember, k *members.Actor) error {
	if !member.Holds(&k.State().Member, c.Identity) {
		g.DropKeyOf(r.Command)
		g.effects.Complete(r, domain.Outcome{Again: true})
		return nil
	}
	return g.enter(r, c, k)
}

// enter brings a registration to its member (nil: one that is to be), which applies
// it at once or when other shards have granted the identities it needs.
func (g *Registrar) enter(r *domain.Record, c *domain.RegisterMember, k *members.Actor) error {
	var known *domain.Member
	var id domain.MemberID
	if k != nil {
		known = &k.State().Member
		id = known.ID
		if !known.Personal.Takes(&c.Personal) {
			if ownKey(r.Command) {
				g.keys.deleteUnused(r.Command, k)
			} else {
				g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
					return s.Outdated(dst, &c.Personal)
				})
			}
			g.effects.Complete(r, domain.Outcome{Again: true})
			return nil
		}
	}
	if known == nil && c.Personal.Base != 0 { // made of a member who has lost the identity since, or is erased
		g.effects.Complete(r, domain.Outcome{Again: true})
		return nil
	}
	wants := member.Wants(known, c)
	taken, err := g.claims.grantLocal(r.Account, wants, id)
	if err != nil {
		return err
	}
	if taken != domain.NoIdentity {
		g.DropKeyOf(r.Command)
		g.effects.Complete(r, takenBy(taken))
		return nil
	}
	if k == nil {
		k = g.create(r, c)
		id = k.State().Member.ID
	}
	before := k.State().Member
	e := &entry{command: c, now: r.Time, record: g.effects.NewRecord(id.Slot()), isNew: known == nil}
	e.visit = g.visiting(r.Account, e.record)
	e.waits = domain.PendingRegistration{Ticket: domain.ActionID(e.record).Sequence(), Asked: r.AskedBy(), Claims: wants}
	g.effects.Apply(k, e.apply)
	return g.entered(r, e, k, &before)
}

// entry is a registration that its member applies.
type entry struct {
	command *domain.RegisterMember
	now     int64                      // the log's, ms since 1970
	record  uint64                     // id of a new service record
	waits   domain.PendingRegistration // the claims it needs; some are granted already
	isNew   bool
	visit   member.Visiting

	guess      member.Guess // not right: nothing was registered
	retryAfter uint32       // of a lock
	registered bool         // it was applied; else it waits
}

// apply registers at once, or when the claims that other shards decide are granted.
func (e *entry) apply(s *member.State, dst []domain.Change) []domain.Change {
	dst, e.guess, e.retryAfter = s.Guess(dst, e.command, e.now)
	switch {
	case e.guess != member.GuessRight:
		return dst
	case slices.ContainsFunc(e.waits.Claims, func(c domain.PendingClaim) bool { return !c.Granted }):
		e.waits.Register = *e.command
		return s.Await(dst, e.waits, e.isNew)
	}
	e.registered = true
	records := len(s.Member.Services)
	dst = s.Register(dst, e.command, e.record)
	return member.Registered(dst, &s.Member, e.command, records, &e.visit)
}

// entered follows what the member did with a registration.
func (g *Registrar) entered(r *domain.Record, e *entry, k *members.Actor, before *domain.Member) error {
	id := before.ID
	switch e.guess {
	case member.GuessStale:
		g.effects.Complete(r, domain.Outcome{Again: true})
		return nil
	case member.GuessWrong:
		g.effects.Complete(r,
			domain.Failed(domain.Bad(domain.Conflict, "password", "the email is registered with another password")))
		return nil
	case member.GuessLocked:
		out := domain.Failed(domain.Bad(domain.Locked, "email", "too many wrong passwords were given for this email"))
		out.RetryAfter = e.retryAfter
		g.effects.Complete(r, out)
		return nil
	}
	if e.registered {
		g.claims.request(r, &e.waits, id, domain.Held)
		g.registered.Add(1)
		g.effects.Complete(r, domain.Outcome{Member: id, New: e.isNew})
		return g.claims.follow(r, k, before)
	}
	state := domain.Held
	if e.isNew {
		state = domain.Pending
	}
	g.effects.Await(r, id) // the last step completes it
	g.claims.request(r, &e.waits, id, state)
	return nil
}

// create makes the actor of a member that is to be.
func (g *Registrar) create(r *domain.Record, c *domain.RegisterMember) *members.Actor {
	id := g.claims.roster.Next(c.Identity.Slot())
	at := member.Place{Account: r.Account, Ord: g.accounts.Add(r.Account, id)}
	g.claims.roster.Add(id, at)
	return g.loaded.Spawn(at, member.New(c, r.Account, id, at.Ord))
}
