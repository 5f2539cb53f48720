package machine

import (
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// An activity of a pending member is parked: stored under a key of its own, until the last
// claim of the member's registration is answered. Then all of them are applied in their
// order, or refused as those of an unknown member. A claim on an identity of a shard that
// is stopped is answered late, so what is parked has bounds. They are checked against what
// the store holds, and every replica decides alike (I6).
const (
	ParkedMost   = 10_000   // activities of one member
	parkedWeight = 64 << 20 // bytes of all members of a shard, as weight estimates them
)

// BeyondParked is the detail of a dead letter that was not parked: a replay of it counts
// once the member is active.
const BeyondParked = "the registration of the member is pending and too many of its activities wait"

// parked counts the activities parked in a shard. It is owned by the shard.
type parked struct {
	of     map[member.Place]*parkedOf
	staged []*parkedOf // those with activities of the open commit
	all    parkedSize
}

// parkedOf is what one member has parked.
type parkedOf struct {
	size   parkedSize
	last   uint32          // number of the last one
	staged []domain.Parked // since the last commit: the store does not give them yet
}

type parkedSize struct {
	activities int
	weight     int
}

func newParked() parked { return parked{of: map[member.Place]*parkedOf{}} }

// fits reports that one more activity of the member is within the bounds.
func (p *parked) fits(at member.Place, weight int) bool {
	if of := p.of[at]; of != nil && of.size.activities >= ParkedMost {
		return false
	}
	return p.all.weight+weight <= parkedWeight
}

// note counts an activity that is stored or staged.
func (p *parked) note(a *domain.Parked) *parkedOf {
	at := member.Place{Account: a.Account, Ord: a.Ord}
	of := p.of[at]
	if of == nil {
		of = &parkedOf{}
		p.of[at] = of
	}
	w := weightOfParked(a)
	of.last = a.Number
	of.size.activities++
	of.size.weight += w
	p.all.activities++
	p.all.weight += w
	return of
}

// park counts an activity that is being staged, and keeps it until the commit.
func (p *parked) park(a *domain.Parked) {
	of := p.note(a)
	if len(of.staged) == 0 {
		p.staged = append(p.staged, of)
	}
	of.staged = append(of.staged, *a)
}

// next is the number of the member's next activity.
func (p *parked) next(at member.Place) uint32 {
	if of := p.of[at]; of != nil {
		return of.last + 1
	}
	return 1
}

// drop forgets a member.
func (p *parked) drop(at member.Place) {
	of := p.of[at]
	p.all.activities -= of.size.activities
	p.all.weight -= of.size.weight
	of.staged = nil
	delete(p.of, at)
}

// committed notes that the store gives all of them now.
func (p *parked) committed() {
	for i, of := range p.staged {
		of.staged, p.staged[i] = nil, nil
	}
	p.staged = p.staged[:0]
}

// weightOfParked depends on the activity alone, whether it came from the journal or from
// the store.
func weightOfParked(a *domain.Parked) int {
	return journal.RecordBytes(&domain.Record{Activity: a.Activity})
}

// notActive parks what a pending member did; a refused one is unknown, an erased one gone.
func (m *Machine) notActive(k *members.Actor, r *domain.Record) {
	at := k.Place()
	switch state := k.State().Member.State; {
	case state == domain.MemberErased:
		m.effects.refuse(r, &r.Activity, domain.GoneMember, "")
		return
	case state != domain.MemberPending:
		m.effects.refuse(r, &r.Activity, domain.UnknownMember, "")
		return
	case !m.parked.fits(at, journal.RecordBytes(r)):
		m.effects.refuse(r, &r.Activity, domain.UnknownMember, BeyondParked)
		return
	}
	a := r.Activity
	a.Member, a.Content, a.Raw = k.State().Member.ID, ownContent(a.Content), strings.Clone(a.Raw)
	a.Detail = strings.Clone(a.Detail)
	m.effects.waiting.Begin(waiters.Request{ID: r.AskedBy(), Body: r.BodyHash}, r.Offset)
	p := &domain.Parked{
		Account: at.Account, Ord: at.Ord, Number: m.parked.next(at),
		Activity: a, Origin: r.Origin, Request: r.Request, BodyHash: r.BodyHash, Time: r.Time,
	}
	m.parked.park(p)
	m.effects.Change(domain.Change{Kind: domain.ParkedPut, Value: p})
}

// ApplyParked applies all that a member did while it was pending, in micro-batches.
func (m *Machine) ApplyParked(r *domain.Record, at member.Place) error {
	of := m.parked.of[at]
	if of == nil {
		return nil
	}
	applied := 0
	apply := func(p *domain.Parked) error {
		k, err := m.loaded.Load(at)
		switch one := again(r, p); {
		case err == nil && k.State().Active():
			err = m.enqueue(one, at)
		case err == nil:
			m.effects.refuse(one, &one.Activity, domain.UnknownMember, "")
		}
		if err != nil {
			return err
		}
		if applied++; applied%MicroBatch != 0 {
			return nil
		}
		return m.flush()
	}
	if err := m.store.ParkedOf(at.Account, at.Ord, apply); err != nil {
		return err
	}
	for i := range of.staged {
		if err := apply(&of.staged[i]); err != nil {
			return err
		}
	}
	m.effects.Change(domain.Change{
		Kind: domain.ParkedDrop, Value: &domain.Parked{Account: at.Account, Ord: at.Ord},
	})
	m.parked.drop(at)
	return m.flush()
}

// again is the record of a parked activity, as of when it was parked. r is the record that ends the wait.
func again(r *domain.Record, p *domain.Parked) *domain.Record {
	return &domain.Record{
		Offset: r.Offset, Time: p.Time, Kind: domain.KindActivity, Account: r.Account,
		Origin: p.Origin, Request: p.Request, BodyHash: p.BodyHash, Activity: p.Activity,
	}
}

// ownContent is a copy that shares no memory with a page.
func ownContent(c domain.Content) domain.Content {
	c.Marker, c.Content = strings.Clone(c.Marker), strings.Clone(c.Content)
	c.Link, c.Media = strings.Clone(c.Link), strings.Clone(c.Media)
	g := &c.Geo
	g.Country, g.Region, g.City = strings.Clone(g.Country), strings.Clone(g.Region), strings.Clone(g.City)
	g.Lat, g.Lon = strings.Clone(g.Lat), strings.Clone(g.Lon)
	return c
}
