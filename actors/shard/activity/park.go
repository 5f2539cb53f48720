package activity

import (
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// An activity of a pending member is parked: stored under a key of its own, until the last claim of the member's
// registration is answered. Then all of them are applied in their order, or refused as those of an unknown member.

// BeyondParked is the detail of a dead letter that was not parked: a replay of it counts
// once the member is active.
const BeyondParked = "the registration of the member is pending and too many of its activities wait"

// notActive parks what a pending member did; a refused one is unknown, an erased one gone.
func notActive(t *tx.Tx, r *domain.Record, m *members.Member) {
	at := m.Place()
	switch state := m.State().Member.State; {
	case state == domain.MemberErased:
		Refuse(t, r, domain.GoneMember, "")
		return
	case state != domain.MemberPending:
		Refuse(t, r, domain.UnknownMember, "")
		return
	case !t.State.Parked.Fits(at, &r.Activity):
		Refuse(t, r, domain.UnknownMember, BeyondParked)
		return
	}
	a := r.Activity
	a.Member, a.Content, a.Raw = m.State().Member.ID, cloneContent(a.Content), strings.Clone(a.Raw)
	a.Detail = strings.Clone(a.Detail)
	t.Change(t.State.Parked.Park(&domain.Parked{
		Account: at.Account, Ord: at.Ord,
		Activity: a, Origin: r.Origin, Request: r.Request, BodyHash: r.BodyHash, Nonce: r.Nonce, Time: r.Time,
	}))
}

// Unpark applies, in micro-batches, all that a member did while it was pending. r is the record that ends the
// wait.
func (a *Activities) Unpark(t *tx.Tx, r *domain.Record, at member.Place) error {
	staged, has := t.State.Parked.Staged(at)
	if !has {
		return nil
	}
	applied := 0
	apply := func(p *domain.Parked) error {
		if err := a.again(t, recordOf(r, p), at); err != nil {
			return err
		}
		if applied++; applied%tx.MicroBatch != 0 {
			return nil
		}
		return a.Flush(t)
	}
	if err := a.Store.ParkedOf(at.Account, at.Ord, apply); err != nil {
		return err
	}
	for i := range staged {
		if err := apply(&staged[i]); err != nil {
			return err
		}
	}
	t.Change(t.State.Parked.Drop(at))
	return a.Flush(t)
}

// again applies an activity that was parked.
func (a *Activities) again(t *tx.Tx, r *domain.Record, at member.Place) error {
	if known, err := a.Repeated(t, r); known || err != nil {
		return err
	}
	m, err := t.State.Loaded.Load(at)
	switch {
	case err != nil:
		return err
	case m.State().Active():
		return a.Add(t, r, at)
	}
	Refuse(t, r, domain.UnknownMember, "")
	return nil
}

// recordOf is the record of a parked activity, as of when it was parked. r is the record that ends the wait.
func recordOf(r *domain.Record, p *domain.Parked) *domain.Record {
	return &domain.Record{
		Offset: r.Offset, Time: p.Time, Kind: domain.KindActivity, Account: r.Account,
		Origin: p.Origin, Request: p.Request, BodyHash: p.BodyHash, Nonce: p.Nonce, Activity: p.Activity,
	}
}

// cloneContent is a copy that shares no memory with a page.
func cloneContent(c domain.Content) domain.Content {
	c.Marker, c.Content = strings.Clone(c.Marker), strings.Clone(c.Content)
	c.Link, c.Media = strings.Clone(c.Link), strings.Clone(c.Media)
	g := &c.Geo
	g.Country, g.Region, g.City = strings.Clone(g.Country), strings.Clone(g.Region), strings.Clone(g.City)
	g.Lat, g.Lon = strings.Clone(g.Lat), strings.Clone(g.Lon)
	return c
}
