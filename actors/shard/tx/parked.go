package tx

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/member"
)

// The bounds of what is parked are checked against what the store holds: every replica decides alike (I6).
const (
	MaxParked      = 10_000   // activities of one member
	maxParkedBytes = 64 << 20 // of all members of a shard, as Parked.Fits estimates them
)

// Parked counts the activities of pending members, which the store keeps until the last claim of their
// registration is answered. A claim on an identity of a shard that is stopped is answered late, so they are
// bounded.
type Parked struct {
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
	bytes      int
}

func newParked() Parked { return Parked{of: map[member.Place]*parkedOf{}} }

// Activities is how many are parked.
func (p *Parked) Activities() int { return p.all.activities }

// Fits reports that an activity of the member is within the bounds.
func (p *Parked) Fits(at member.Place, a *domain.Activity) bool {
	if of := p.of[at]; of != nil && of.size.activities >= MaxParked {
		return false
	}
	return p.all.bytes+bytesOf(a) <= maxParkedBytes
}

// bytesOf depends on the activity alone, whether it came from the journal or from the store.
func bytesOf(a *domain.Activity) int { return journal.RecordBytes(&domain.Record{Activity: *a}) }

// Load counts an activity that is stored.
func (p *Parked) Load(a *domain.Parked) { p.count(a) }

func (p *Parked) count(a *domain.Parked) *parkedOf {
	at := member.Place{Account: a.Account, Ord: a.Ord}
	of := p.of[at]
	if of == nil {
		of = &parkedOf{}
		p.of[at] = of
	}
	bytes := bytesOf(&a.Activity)
	of.last = a.Number
	of.size.activities++
	of.size.bytes += bytes
	p.all.activities++
	p.all.bytes += bytes
	return of
}

// Park stages an activity, with its member's next number.
func (p *Parked) Park(a *domain.Parked) domain.Change {
	a.Number = 1
	if of := p.of[member.Place{Account: a.Account, Ord: a.Ord}]; of != nil {
		a.Number = of.last + 1
	}
	of := p.count(a)
	if len(of.staged) == 0 {
		p.staged = append(p.staged, of)
	}
	of.staged = append(of.staged, *a)
	return domain.Change{Kind: domain.ParkedPut, Value: a}
}

// Staged are the activities of a member that were parked since the last commit; has is false where none is
// parked at all.
func (p *Parked) Staged(at member.Place) (staged []domain.Parked, has bool) {
	of := p.of[at]
	if of == nil {
		return nil, false
	}
	return of.staged, true
}

// Drop stages that nothing of a member is parked any more.
func (p *Parked) Drop(at member.Place) domain.Change {
	if of := p.of[at]; of != nil {
		p.all.activities -= of.size.activities
		p.all.bytes -= of.size.bytes
		of.staged = nil
		delete(p.of, at)
	}
	return domain.Change{Kind: domain.ParkedDrop, Value: &domain.Parked{Account: at.Account, Ord: at.Ord}}
}

// committed notes that the store gives all of them now.
func (p *Parked) committed() {
	for i, of := range p.staged {
		of.staged, p.staged[i] = nil, nil
	}
	p.staged = p.staged[:0]
}
