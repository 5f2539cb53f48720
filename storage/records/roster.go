package records

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Roster is every member's id by account and ordinal; 0: none.
type Roster map[domain.AccountID][]domain.MemberID

// ordinals bounds an account's members in a shard.
const ordinals = 1 << 28

// Put adds a member.
func (r Roster) Put(p format.Place, id domain.MemberID) error {
	if p.Ord >= ordinals {
		return fmt.Errorf("storage: member with ordinal %d", p.Ord)
	}
	ids := r[p.Account]
	for len(ids) <= int(p.Ord) {
		ids = append(ids, 0)
	}
	ids[p.Ord] = id
	r[p.Account] = ids
	return nil
}

// Get is the member at a place.
func (r Roster) Get(account domain.AccountID, ord domain.Ordinal) (domain.MemberID, bool) {
	ids := r[account]
	if int(ord) >= len(ids) || ids[ord] == 0 {
		return 0, false
	}
	return ids[ord], true
}

// Each calls f with each member's place, by account and ordinal.
func (r Roster) Each(f func(account domain.AccountID, ord domain.Ordinal, id domain.MemberID)) {
	for _, account := range slices.Sorted(maps.Keys(r)) {
		for ord, id := range r[account] {
			if id != 0 {
				f(account, domain.Ordinal(ord), id)
			}
		}
	}
}

// Roster reads the places of all members.
func (s Set) Roster() (Roster, error) {
	r := Roster{}
	err := s.all(format.FamilyPlace, func(k, v []byte) error {
		id, p, err := format.DecodePlace(k, v)
		if err != nil {
			return err
		}
		return r.Put(p, id)
	})
	return r, err
}
