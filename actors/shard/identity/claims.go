package identity

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Which member has an identity is judged by the shard of its slot alone. What another shard
// judges is asked by the outbox; what this shard judges is known at once.

// claims are the claims of members on identities: those of the shard are judged here, others asked
// for. It is owned by the Registrar.
type claims struct {
	effects Effects
	ledger  *Ledger
	roster  *member.Roster
	shards  int
}

// grantLocal judges those of the claims that are on identities of this shard, for a
// member (0: one that is to be): granted, or taken says the kind of one that another
// member has. Nothing is held by it.
func (g *claims) grantLocal(
	account domain.AccountID, wants []domain.PendingClaim, id domain.MemberID,
) (taken domain.IdentityKind, err error) {
	for i := range wants {
		c := &wants[i]
		if !g.roster.Owns(c.Identity.Slot()) {
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
func (g *claims) request(
	r *domain.Record, w *domain.PendingRegistration, id domain.MemberID, state domain.ClaimState,
) {
	for i := range w.Claims {
		c := &w.Claims[i]
		if c.Granted {
			g.effects.Change(g.ledger.hold(domain.Identity{Hash: c.Identity, Kind: c.Type, State: state, Member: id}))
			continue
		}
		g.send(r, c.Identity.Slot(), domain.Claim{
			Step: domain.ClaimAsk, Identity: c.Identity, Type: c.Type, Member: id, Asked: w.Asked, Ticket: w.Ticket,
		})
	}
}

func (g *claims) send(r *domain.Record, to domain.Slot, c domain.Claim) {
	g.effects.Send(&domain.Outgoing{To: to.Shard(g.shards), Forward: &domain.Record{
		Kind: domain.KindClaim, Account: r.Account, Application: r.Application, Command: &c,
	}})
}

// Claim applies a step of a claim: at the identity's shard, which is the one judge
// of "taken", or back at the member's.
func (g *Registrar) Claim(r *domain.Record, c *domain.Claim) error {
	switch c.Step {
	case domain.ClaimAsk:
		return g.claims.judge(r, c)
	case domain.ClaimGranted, domain.ClaimTaken:
		return g.settle(r, c)
	case domain.ClaimPoint, domain.ClaimUnpoint:
		g.claims.applyPointer(c)
		return nil
	case domain.ClaimRelease:
		return g.claims.release(r, c)
	}
	return fmt.Errorf("identity: no step %d of a claim", c.Step)
}

func (g *claims) judge(r *domain.Record, c *domain.Claim) error {
	i, ok, err := g.ledger.Find(r.Account, c.Identity)
	if err != nil {
		return err
	}
	answer := *c
	answer.Step = domain.ClaimGranted
	if ok && i.Member != c.Member {
		answer.Step = domain.ClaimTaken
	} else {
		g.effects.Change(g.ledger.hold(domain.Identity{Hash: c.Identity, Kind: c.Type, State: domain.Held, Member: c.Member}))
	}
	g.send(r, c.Member.Slot(), answer)
	return nil
}

func (g *claims) release(r *domain.Record, c *domain.Claim) error {
	i, ok, err := g.ledger.Find(r.Account, c.Identity)
	if ok && i.Member == c.Member {
		g.effects.Change(g.ledger.release(c.Identity))
	}
	return err
}

func (g *claims) applyPointer(c *domain.Claim) {
	kind := domain.PointerPut
	if c.Step == domain.ClaimUnpoint {
		kind = domain.PointerDrop
	}
	g.effects.Change(domain.Change{
		Kind: kind, Value: &domain.Pointer{Hash: c.Identity, Member: c.Member, Created: c.Created},
	})
}

// releaseUnlessNeeded releases an identity, in whatever shard it is, unless the member needs it.
func (g *claims) releaseUnlessNeeded(r *domain.Record, k *members.Actor, i domain.Identity) error {
	if member.Needs(&k.State().Member, i.Hash) {
		return nil
	}
	c := domain.Claim{Step: domain.ClaimRelease, Identity: i.Hash, Type: i.Kind, Member: i.Member}
	if g.roster.Owns(i.Hash.Slot()) {
		return g.release(r, &c)
	}
	g.send(r, i.Hash.Slot(), c)
	return nil
}

// giveUpNames gives up what a registration or an update that is not to be would have given its member.
func (g *claims) giveUpNames(r *domain.Record, k *members.Actor, p *domain.PendingRegistration) error {
	id := k.State().Member.ID
	for _, i := range member.PendingNames(p) {
		asked := slices.ContainsFunc(p.Claims, func(c domain.PendingClaim) bool {
			return c.Identity == i.Identity && !c.Granted
		})
		if asked { // its answer gives it up, if it is a grant
			continue
		}
		if err := g.releaseUnlessNeeded(r, k, domain.Identity{Hash: i.Identity, Kind: i.Type, Member: id}); err != nil {
			return err
		}
	}
	return nil
}

// follow follows a change of the member's identities: claims that it holds no more
// are released, pointers at it put and taken away.
func (g *claims) follow(r *domain.Record, k *members.Actor, before *domain.Member) error {
	after := &k.State().Member
	for _, i := range member.Identities(before) {
		if err := g.releaseUnlessNeeded(r, k, i); err != nil {
			return err
		}
	}
	was, is := member.Pointers(before), member.Pointers(after)
	tell := func(step domain.ClaimStep, p member.Pointed, created int64) {
		c := domain.Claim{Step: step, Identity: p.Hash, Type: p.Kind, Member: after.ID, Created: created}
		if g.roster.Owns(p.Hash.Slot()) {
			g.applyPointer(&c)
		} else {
			g.send(r, p.Hash.Slot(), c)
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

// settle takes the answer to a claim at the member. What waited for the
// registration that it ends counts now, or is refused.
func (g *Registrar) settle(r *domain.Record, c *domain.Claim) error {
	at, ok := g.claims.roster.Find(c.Member)
	if !ok {
		return fmt.Errorf("a claim was answered for member %d, which the shard does not have", c.Member)
	}
	k, err := g.loaded.Load(at)
	if err != nil {
		return err
	}
	before := k.State().Member
	record := g.effects.NewRecord(c.Member.Slot())
	visit := g.visiting(r.Account, record)
	var end member.Settled
	g.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
		records := len(s.Member.Services)
		if dst, end = s.Settle(dst, c, record); end.Granted && end.Ended.Update == nil {
			dst = member.Registered(dst, &s.Member, &end.Ended.Register, records, &visit)
		}
		return dst
	})
	if end.Ended == nil {
		return g.releaseLateGrant(r, k, c)
	}
	if err := g.ended(r, k, end); err != nil {
		return err
	}
	if err := g.claims.follow(r, k, &before); err != nil {
		return err
	}
	if err := g.shard.Stage(); err != nil {
		return err
	}
	g.settled(r, c, end)
	if !end.IsNew {
		return nil
	}
	return g.shard.ApplyParked(r, at)
}

// ended follows the end of a registration or an update: its claims are held, or what it had is given up. It
// had the claims granted to it, and what the member held when it began to wait and may have
// lost since.
func (g *Registrar) ended(r *domain.Record, k *members.Actor, end member.Settled) error {
	p, id := end.Ended, k.State().Member.ID
	if end.Granted {
		for _, claim := range p.Claims {
			if g.claims.roster.Owns(claim.Identity.Slot()) {
				g.effects.Change(g.claims.ledger.hold(domain.Identity{
					Hash: claim.Identity, Kind: claim.Type, State: domain.Held, Member: id,
				}))
			}
		}
		return nil
	}
	if end.IsNew { // a member who is not to be
		g.keys.delete(member.DataKeys(&k.State().Member))
		g.DropKeyOf(&p.Register)
	}
	return g.claims.giveUpNames(r, k, p)
}

// releaseLateGrant gives back what was granted to a registration that another claim had ended.
func (g *Registrar) releaseLateGrant(r *domain.Record, k *members.Actor, c *domain.Claim) error {
	if c.Step != domain.ClaimGranted {
		return nil
	}
	return g.claims.releaseUnlessNeeded(r, k, domain.Identity{Hash: c.Identity, Kind: c.Type, Member: c.Member})
}

// settled completes the request that waits for the registration.
func (g *Registrar) settled(r *domain.Record, c *domain.Claim, end member.Settled) {
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
	if c.Asked.IsZero() {
		return
	}
	g.effects.Complete(&domain.Record{Offset: r.Offset, Request: c.Asked, BodyHash: g.effects.BodyOf(c.Asked)}, out)
}
