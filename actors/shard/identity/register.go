package identity

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Register applies a registration: the identity's shard names the member, who may
// live in another one.
//
// A registration whose data key came before is a copy of one whose request is forgotten. The key is that of the
// member whom the first one made, wherever the identity is now: a copy neither takes nor deletes it.
func (g *Registrar) Register(t *tx.Tx, r *domain.Record, c *domain.RegisterMember) error {
	c = cloneRegistration(c)
	switch used, err := g.usesKey(t, r, c); {
	case err != nil:
		return err
	case used:
		t.Complete(r, domain.Outcome{Again: true})
		return nil
	}
	held, ok, err := g.ledger.Find(r.Account, c.Identity)
	if err != nil {
		return err
	}
	if !ok {
		return g.enter(t, r, c, nil)
	}
	if !t.State.Roster.Owns(held.Member.Slot()) {
		forwardRegistration(t, r, c, held.Member)
		return nil
	}
	at, ok := t.State.Roster.Find(held.Member)
	if !ok {
		return fmt.Errorf("identity %v names member %d, which the shard does not have", c.Identity, held.Member)
	}
	m, err := t.State.Loaded.Load(at)
	if err != nil {
		return err
	}
	return g.matchExisting(t, r, c, m)
}

// Attach applies an attachment at its member.
func (g *Registrar) Attach(t *tx.Tx, r *domain.Record, a *domain.AttachService) error {
	c := cloneRegistration(&a.Register)
	m, err := g.Active(t, r, a.Member)
	if m == nil || err != nil {
		return err
	}
	if a.Met {
		return g.matchExisting(t, r, c, m)
	}
	return g.enter(t, r, c, m)
}

// forwardRegistration sends a registration to the member that has the identity, in its shard.
func forwardRegistration(t *tx.Tx, r *domain.Record, c *domain.RegisterMember, id domain.MemberID) {
	to := id.Slot().Shard(t.State.Shards)
	sendRegistration(t, r, c, to, id)
	t.Redirect(r, to, id)
}

// sendRegistration sends a registration to a member in another shard, where it is applied or known.
func sendRegistration(t *tx.Tx, r *domain.Record, c *domain.RegisterMember, to int, id domain.MemberID) {
	t.Send(&domain.Outgoing{To: to, Forward: &domain.Record{
		Kind: domain.KindAttach, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash, Nonce: r.Nonce,
		Command: &domain.AttachService{Member: id, Register: *c, Met: true, Asked: r.AskedBy()},
	}})
}

// matchExisting applies a registration to the member that its identity names. A member who is
// only about to be, or to have the identity, or has it no more, does not match: the
// request is tried again.
func (g *Registrar) matchExisting(t *tx.Tx, r *domain.Record, c *domain.RegisterMember, m *members.Member) error {
	if !member.Holds(&m.State().Member, c.Identity) {
		dropKeyOf(t, r.Command)
		t.Complete(r, domain.Outcome{Again: true})
		return nil
	}
	return g.enter(t, r, c, m)
}

// enter brings a registration to its member (nil: one that is to be), which applies
// it at once or when other shards have granted the identities it needs.
func (g *Registrar) enter(t *tx.Tx, r *domain.Record, c *domain.RegisterMember, m *members.Member) error {
	var known *domain.Member
	var id domain.MemberID
	if m != nil {
		known = &m.State().Member
		id = known.ID
		if !known.Personal.Takes(&c.Personal) {
			deleteUnused(t, r.Command, m)
			t.Complete(r, domain.Outcome{Again: true})
			return nil
		}
	}
	if known == nil && c.Personal.Base != 0 { // made of a member who has lost the identity since, or is erased
		t.Complete(r, domain.Outcome{Again: true})
		return nil
	}
	wants := member.Wants(known, c)
	taken, err := g.grantLocal(t, r.Account, wants, id)
	if err != nil {
		return err
	}
	if taken != domain.NoIdentity {
		dropKeyOf(t, r.Command)
		t.Complete(r, takenBy(taken))
		return nil
	}
	if m == nil {
		m = g.create(t, r, c)
		id = m.State().Member.ID
	}
	before := m.State().Member
	e := &entry{command: c, now: r.Time, record: t.NewRecord(id.Slot()), isNew: known == nil}
	e.visit = visiting(t, r.Account, e.record)
	e.waits = domain.PendingRegistration{Ticket: domain.ActionID(e.record).Sequence(), Asked: r.AskedBy(), Claims: wants}
	t.Apply(m, e.apply)
	return g.entered(t, r, e, m, &before)
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
func (g *Registrar) entered(t *tx.Tx, r *domain.Record, e *entry, m *members.Member, before *domain.Member) error {
	id := before.ID
	switch e.guess {
	case member.GuessStale:
		t.Complete(r, domain.Outcome{Again: true})
		return nil
	case member.GuessWrong:
		t.Complete(r,
			domain.Failed(domain.Bad(domain.Conflict, "password", "the email is registered with another password")))
		return nil
	case member.GuessLocked:
		out := domain.Failed(domain.Bad(domain.Locked, "email", "too many wrong passwords were given for this email"))
		out.RetryAfter = e.retryAfter
		t.Complete(r, out)
		return nil
	}
	if e.registered {
		g.request(t, r, &e.waits, id, domain.Held)
		g.registered.Add(1)
		t.Complete(r, domain.Outcome{Member: id, New: e.isNew})
		return g.follow(t, r, m, before)
	}
	state := domain.Held
	if e.isNew {
		state = domain.Pending
	}
	t.Defer(r, id) // the last step completes it
	g.request(t, r, &e.waits, id, state)
	return nil
}

// create makes the actor of a member that is to be.
func (g *Registrar) create(t *tx.Tx, r *domain.Record, c *domain.RegisterMember) *members.Member {
	id := t.State.Roster.Next(c.Identity.Slot())
	at := member.Place{Account: r.Account, Ord: t.State.Accounts.Add(r.Account, id)}
	t.State.Roster.Add(id, at)
	return t.State.Loaded.Spawn(at, member.New(c, r.Account, id, at.Ord))
}
