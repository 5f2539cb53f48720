package actors

import (
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// askFor sends the claim on an identity to its shard. The request that waits is
// remembered as pending: the last step concludes it.
func (s *shard) askFor(r *domain.Record, identity domain.IdentityHash, id domain.MemberID) {
	if !r.Request.IsZero() {
		s.remember(&domain.Request{ID: r.Request, BodyHash: r.BodyHash, Pending: true})
	}
	s.sendClaim(r, identity.Slot(), domain.Claim{
		Step: domain.ClaimAsk, Identity: identity, Type: domain.ByPartner, Member: id, Asked: r.Request,
	})
}

func (s *shard) sendClaim(r *domain.Record, to domain.Slot, c domain.Claim) {
	s.send(&domain.Outgoing{To: to.Shard(s.env.shards), Forward: &domain.Record{
		Kind: domain.KindClaim, Account: r.Account, Application: r.Application, Command: &c,
	}})
}

// claim applies a step of a claim: at the identity's shard, which is the one judge
// of "taken", or back at the member's.
func (s *shard) claim(ctx actor.Context, r *domain.Record, c *domain.Claim) error {
	switch c.Step {
	case domain.ClaimAsk:
		return s.judge(r, c)
	case domain.ClaimGranted, domain.ClaimTaken:
		return s.settle(ctx, r, c)
	}
	return s.released(r, c)
}

func (s *shard) judge(r *domain.Record, c *domain.Claim) error {
	i, ok, err := s.identity(r.Account, c.Identity)
	if err != nil {
		return err
	}
	answer := *c
	answer.Step = domain.ClaimGranted
	if ok && i.Member != c.Member {
		answer.Step = domain.ClaimTaken
	} else {
		s.hold(domain.Identity{Hash: c.Identity, Kind: c.Type, State: domain.Held, Member: c.Member})
	}
	s.sendClaim(r, c.Member.Slot(), answer)
	return nil
}

func (s *shard) released(r *domain.Record, c *domain.Claim) error {
	i, ok, err := s.identity(r.Account, c.Identity)
	if ok && i.Member == c.Member {
		s.release(c.Identity)
	}
	return err
}

// settle ends a claim at the member: what a pending member did counts now, or is a
// dead letter of an unknown member.
func (s *shard) settle(ctx actor.Context, r *domain.Record, c *domain.Claim) error {
	at, ok := s.roster.Find(c.Member)
	if !ok {
		return fmt.Errorf("a claim was answered for member %d, whom the shard does not have", c.Member)
	}
	k, err := s.wake(ctx, at)
	if err != nil {
		return err
	}
	pending, claims := k.state().Pending(), k.state().Member.Claims
	m := &settle{claim: c, granted: c.Step == domain.ClaimGranted, changes: s.slice.changes}
	if ctx.Send(k.pid, m); !m.done {
		panic("a member actor failed")
	}
	s.slice.changes = m.changes
	for _, claim := range claims {
		if held, ok := s.staged[claim.Of]; m.refused && (!ok || held != nil) {
			s.release(claim.Of)
		} else if pending && !m.refused {
			s.hold(domain.Identity{Hash: claim.Of, Kind: domain.ByService, State: domain.Held, Member: c.Member})
		}
	}
	if err := s.stage(ctx); err != nil {
		return err
	}
	for i := range m.parked {
		if err := s.unpark(ctx, r, &m.parked[i]); err != nil {
			return err
		}
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.settled(r, c, m.granted, pending)
	return nil
}

// settled tells the request that waits for the claim.
func (s *shard) settled(r *domain.Record, c *domain.Claim, granted, isNew bool) {
	if granted {
		s.env.shared.stats.registered.Add(1)
	}
	if c.Asked.IsZero() {
		return
	}
	q, err := s.request(c.Asked)
	body := uint64(0)
	if err == nil && q != nil {
		body = q.BodyHash
	}
	out := domain.Outcome{Member: c.Member, New: isNew}
	if !granted {
		out = failure(domain.Bad(domain.Conflict, "sourceuid", "another member has this partner identity"))
	}
	s.concludeRequest(c.Asked, &domain.Record{Offset: r.Offset, BodyHash: body}, out)
}

// unpark applies what a pending member did, as of then.
func (s *shard) unpark(ctx actor.Context, r *domain.Record, p *domain.Parked) error {
	again := &domain.Record{
		Offset: r.Offset, Time: p.Time, Kind: domain.KindActivity, Account: r.Account,
		Origin: p.Origin, Request: p.Request, BodyHash: p.BodyHash, Activity: p.Activity,
	}
	at, _ := s.roster.Find(again.Activity.Member)
	k, err := s.wake(ctx, at)
	if err != nil {
		return err
	}
	if k.state().Member.State == domain.MemberRefused {
		s.refuse(again, &again.Activity, domain.UnknownMember, "")
		return nil
	}
	return s.group(ctx, again, at)
}

// notActive parks what a pending member did; a refused one is unknown.
func (s *shard) notActive(ctx actor.Context, k *child, r *domain.Record) error {
	if !k.state().Pending() {
		s.refuse(r, &r.Activity, domain.UnknownMember, "")
		return nil
	}
	a := r.Activity
	a.Member, a.Content, a.Raw = k.state().Member.ID, ownContent(a.Content), strings.Clone(a.Raw)
	a.Detail = strings.Clone(a.Detail)
	m := &park{what: domain.Parked{Activity: a, Origin: r.Origin, Request: r.Request, BodyHash: r.BodyHash, Time: r.Time}, changes: s.slice.changes}
	if ctx.Send(k.pid, m); !m.done {
		panic("a member actor failed")
	}
	s.slice.changes = m.changes
	return nil
}

// ownContent is a copy that shares no memory with a page.
func ownContent(c domain.Content) domain.Content {
	c.Marker, c.Content, c.Link, c.Media = strings.Clone(c.Marker), strings.Clone(c.Content), strings.Clone(c.Link), strings.Clone(c.Media)
	g := &c.Geo
	g.Country, g.Region, g.City = strings.Clone(g.Country), strings.Clone(g.Region), strings.Clone(g.City)
	g.Lat, g.Lon = strings.Clone(g.Lat), strings.Clone(g.Lon)
	return c
}
