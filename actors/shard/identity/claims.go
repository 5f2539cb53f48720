package identity

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Which member has an identity is judged by the shard of its slot alone. What another shard
// judges is asked by the outbox; what this shard judges is known at once.

// grantLocal judges those of the claims that are on identities of this shard, for a
// member (0: one that is to be): granted, or taken says the kind of one that another
// member has. Nothing is held by it.
func (g *Registrar) grantLocal(
	t *tx.Tx, account domain.AccountID, wants []domain.PendingClaim, id domain.MemberID,
) (taken domain.IdentityKind, err error) {
	for i := range wants {
		c := &wants[i]
		if !t.State.Roster.Owns(c.Identity.Slot()) {
			continue
		}
		held, ok, err := g.ledger.Find(account, c.Identity)
		if err != nil {
			return 0, err
		}
		if ok && held.Member != id {
			return c.Type, nil
		}
		c.Granted = true
	}
	return domain.NoIdentity, nil
}

// takenBy is the outcome where another member has an identity.
func takenBy(kind domain.IdentityKind) domain.Outcome {
	switch kind {
	case domain.ByPartner:
		return domain.Failed(domain.Bad(domain.Conflict, "sourceuid", "another member has this partner identity"))
	case domain.ByLogin:
		return domain.Failed(domain.Bad(domain.Conflict, "email", "another member has this email"))
	case domain.ByVerifiedEmail:
		return domain.Failed(domain.Bad(domain.Conflict, "verified_email", "another member has this email verified"))
	}
	return domain.Failed(domain.Bad(domain.Conflict, "uid", "another member has this service identity"))
}

// request holds the identities that were granted and asks for the others.
func (g *Registrar) request(
	t *tx.Tx, r *domain.Record, w *domain.PendingRegistration, id domain.MemberID, state domain.ClaimState,
) {
	for i := range w.Claims {
		c := &w.Claims[i]
		if c.Granted {
			t.Change(g.ledger.hold(domain.Identity{Hash: c.Identity, Kind: c.Type, State: state, Member: id}))
			continue
		}
		send(t, r, c.Identity.Slot(), domain.Claim{
			Step: domain.ClaimAsk, Identity: c.Identity, Type: c.Type, Member: id, Asked: w.Asked, Ticket: w.Ticket,
		})
	}
}

func send(t *tx.Tx, r *domain.Record, to domain.Slot, c domain.Claim) {
	t.Send(&domain.Outgoing{To: to.Shard(t.State.Shards), Forward: &domain.Record{
		Kind: domain.KindClaim, Account: r.Account, Application: r.Application, Command: &c,
	}})
}

// Claim applies a step of a claim: at the identity's shard, which is the one judge
// of "taken", or back at the member's. With the last step of the registration of a new member its place is
// given: what it did meanwhile is applied next, or refused.
func (g *Registrar) Claim(t *tx.Tx, r *domain.Record, c *domain.Claim) (entered *member.Place, err error) {
	switch c.Step {
	case domain.ClaimAsk:
		return nil, g.judge(t, r, c)
	case domain.ClaimGranted, domain.ClaimTaken:
		return g.settle(t, r, c)
	case domain.ClaimPoint, domain.ClaimUnpoint:
		applyPointer(t, c)
		return nil, nil
	case domain.ClaimRelease:
		return nil, g.release(t, r, c)
	}
	return nil, fmt.Errorf("identity: no step %d of a claim", c.Step)
}

func (g *Registrar) judge(t *tx.Tx, r *domain.Record, c *domain.Claim) error {
	i, ok, err := g.ledger.Find(r.Account, c.Identity)
	if err != nil {
		return err
	}
	answer := *c
	answer.Step = domain.ClaimGranted
	if ok && i.Member != c.Member {
		answer.Step = domain.ClaimTaken
	} else {
		t.Change(g.ledger.hold(domain.Identity{Hash: c.Identity, Kind: c.Type, State: domain.Held, Member: c.Member}))
	}
	send(t, r, c.Member.Slot(), answer)
	return nil
}

func (g *Registrar) release(t *tx.Tx, r *domain.Record, c *domain.Claim) error {
	i, ok, err := g.ledger.Find(r.Account, c.Identity)
	if ok && i.Member == c.Member {
		t.Change(g.ledger.release(c.Identity))
	}
	return err
}

func applyPointer(t *tx.Tx, c *domain.Claim) {
	kind := domain.PointerPut
	if c.Step == domain.ClaimUnpoint {
		kind = domain.PointerDrop
	}
	t.Change(domain.Change{
		Kind: kind, Value: &domain.Pointer{Hash: c.Identity, Member: c.Member, Created: c.Created},
	})
}

// releaseUnlessNeeded releases an identity, in whatever shard it is, unless the member needs it.
func (g *Registrar) releaseUnlessNeeded(t *tx.Tx, r *domain.Record, m *members.Member, i domain.Identity) error {
	if member.Needs(&m.State().Member, i.Hash) {
		return nil
	}
	c := domain.Claim{Step: domain.ClaimRelease, Identity: i.Hash, Type: i.Kind, Member: i.Member}
	if t.State.Roster.Owns(i.Hash.Slot()) {
		return g.release(t, r, &c)
	}
	send(t, r, i.Hash.Slot(), c)
	return nil
}

// giveUpNames gives up what a registration or an update that is not to be would have given its member.
func (g *Registrar) giveUpNames(t *tx.Tx, r *domain.Record, m *members.Member, p *domain.PendingRegistration) error {
	id := m.State().Member.ID
	for _, i := range member.PendingNames(p) {
		asked := slices.ContainsFunc(p.Claims, func(c domain.PendingClaim) bool {
			return c.Identity == i.Identity && !c.Granted
		})
		if asked { // its answer gives it up, if it is a grant
			continue
		}
		if err := g.releaseUnlessNeeded(t, r, m, domain.Identity{Hash: i.Identity, Kind: i.Type, Member: id}); err != nil {
			return err
		}
	}
	return nil
}

// follow follows a change of the member's identities: claims that it holds no more
// are released, pointers at it put and taken away.
func (g *Registrar) follow(t *tx.Tx, r *domain.Record, m *members.Member, before *domain.Member) error {
	after := &m.State().Member
	for _, i := range member.Identities(before) {
		if err := g.releaseUnlessNeeded(t, r, m, i); err != nil {
			return err
		}
	}
	was, is := member.Pointers(before), member.Pointers(after)
	tell := func(step domain.ClaimStep, p member.Pointed, created int64) {
		c := domain.Claim{Step: step, Identity: p.Hash, Type: p.Kind, Member: after.ID, Created: created}
		if t.State.Roster.Owns(p.Hash.Slot()) {
			applyPointer(t, &c)
		} else {
			send(t, r, p.Hash.Slot(), c)
		}
	}
	for _, p := range was {
		if !slices.Contains(is, p) {
			tell(domain.ClaimUnpoint, p, before.Created) // of one who is erased nothing is left
		}
	}
	for _, p := range is {
		if !slices.Contains(was, p) {
			tell(domain.ClaimPoint, p, after.Created)
		}
	}
	return nil
}

// settle takes the answer to a claim at the member. The place of a new one is given where its registration
// ends.
func (g *Registrar) settle(t *tx.Tx, r *domain.Record, c *domain.Claim) (entered *member.Place, err error) {
	at, ok := t.State.Roster.Find(c.Member)
	if !ok {
		return nil, fmt.Errorf("a claim was answered for member %d, which the shard does not have", c.Member)
	}
	m, err := t.State.Loaded.Load(at)
	if err != nil {
		return nil, err
	}
	before := m.State().Member
	record := t.NewRecord(c.Member.Slot())
	visit := visiting(t, r.Account, record)
	var end member.Settled
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		records := len(s.Member.Services)
		if dst, end = s.Settle(dst, c, record); end.Granted && end.Ended.Update == nil {
			dst = member.Registered(dst, &s.Member, &end.Ended.Register, records, &visit)
		}
		return dst
	})
	if end.Ended == nil {
		return nil, g.releaseLateGrant(t, r, m, c)
	}
	if err := g.ended(t, r, m, end); err != nil {
		return nil, err
	}
	if err := g.follow(t, r, m, &before); err != nil {
		return nil, err
	}
	if err := t.Flush(); err != nil {
		return nil, err
	}
	g.settled(t, r, c, end)
	if !end.IsNew {
		return nil, nil
	}
	return &at, nil
}

// ended follows the end of a registration or an update: its claims are held, or what it had is given up. It
// had the claims granted to it, and what the member held when it began to wait and may have
// lost since.
func (g *Registrar) ended(t *tx.Tx, r *domain.Record, m *members.Member, end member.Settled) error {
	p, id := end.Ended, m.State().Member.ID
	if end.Granted {
		for _, claim := range p.Claims {
			if t.State.Roster.Owns(claim.Identity.Slot()) {
				t.Change(g.ledger.hold(domain.Identity{
					Hash: claim.Identity, Kind: claim.Type, State: domain.Held, Member: id,
				}))
			}
		}
		return nil
	}
	if end.IsNew { // a member who is not to be
		deleteKeys(t, member.DataKeys(&m.State().Member))
		dropKeyOf(t, &p.Register)
	}
	return g.giveUpNames(t, r, m, p)
}

// releaseLateGrant gives back what was granted to a registration that another claim had ended.
func (g *Registrar) releaseLateGrant(t *tx.Tx, r *domain.Record, m *members.Member, c *domain.Claim) error {
	if c.Step != domain.ClaimGranted {
		return nil
	}
	return g.releaseUnlessNeeded(t, r, m, domain.Identity{Hash: c.Identity, Kind: c.Type, Member: c.Member})
}

// settled completes the request that waits for the registration.
func (g *Registrar) settled(t *tx.Tx, r *domain.Record, c *domain.Claim, end member.Settled) {
	out := domain.Outcome{Member: c.Member, New: end.IsNew}
	switch {
	case end.Granted && end.Ended.Update == nil:
		g.registered.Add(1)
	case end.Granted:
	case end.Again:
		out = domain.Outcome{Again: true}
	default:
		out = takenBy(c.Type)
	}
	t.CompleteAsked(r, c.Asked, out)
}
