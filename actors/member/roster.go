package member

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Place is where a shard keeps a member.
type Place struct {
	Account domain.AccountID
	Ord     domain.Ordinal
}

// Roster finds the members of one shard by id. Sequences count by slot from 1, so
// a slot's members are an array; it only grows. One goroutine adds, any finds: a
// reader may find members that its view does not hold yet.
type Roster struct {
	slots []atomic.Pointer[[]Place]
	first domain.Slot
}

// NewRoster is the roster of a shard that owns the slots [first, end).
func NewRoster(first, end int) *Roster {
	return &Roster{slots: make([]atomic.Pointer[[]Place], end-first), first: domain.Slot(first)}
}

// Owns reports that the shard owns the slot.
func (r *Roster) Owns(slot domain.Slot) bool {
	return slot >= r.first && int(slot-r.first) < len(r.slots)
}

// Next is the id of the slot's next member.
func (r *Roster) Next(slot domain.Slot) domain.MemberID {
	return domain.MemberIDOf(uint64(len(r.of(slot))+1), slot)
}

func (r *Roster) of(slot domain.Slot) []Place {
	if p := r.slots[slot-r.first].Load(); p != nil {
		return *p
	}
	return nil
}

// Add notes where a member is kept. Members of a slot may come in any order while
// a stored roster is read.
func (r *Roster) Add(id domain.MemberID, at Place) {
	places := r.of(id.Slot())
	n := int(id.Sequence())
	for len(places) < n {
		places = append(places, Place{})
	}
	places[n-1] = at
	r.slots[id.Slot()-r.first].Store(&places)
}

// Find is where a member is kept; false when the shard has none of that id.
func (r *Roster) Find(id domain.MemberID) (Place, bool) {
	slot := id.Slot()
	if !r.Owns(slot) {
		return Place{}, false
	}
	places, n := r.of(slot), id.Sequence()
	if n == 0 || n > uint64(len(places)) {
		return Place{}, false
	}
	p := places[n-1]
	return p, p.Account != 0
}
