package personal

import (
	"maps"
	"slices"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// unopened are members whose personal part could not be opened lately: its data key is missing or damaged,
// or it is damaged itself. Any goroutine.
type unopened struct {
	mu      sync.Mutex // guards what follows
	members map[domain.MemberID]domain.AccountID
	times   uint64
}

// maxUnopened is how many members are named; all are counted.
const maxUnopened = 100

// shown notes that a member was shown without its personal part; true: it was not known to be.
func (u *unopened) shown(m *domain.Member) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.times++
	_, known := u.members[m.ID]
	if known || len(u.members) >= maxUnopened {
		return false
	}
	if u.members == nil {
		u.members = map[domain.MemberID]domain.AccountID{}
	}
	u.members[m.ID] = m.Account
	return true
}

// forget takes a member out: it was opened, since its key came back, or is erased.
func (u *unopened) forget(id domain.MemberID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.members, id)
}

// list are the members, ascending, and how often any was shown. Those that are erased by now are not named: another
// node had erased them and deleted their keys before this one applied it.
func (u *unopened) list(erased func(domain.AccountID, domain.MemberID) bool) (ids []domain.MemberID, shown uint64) {
	u.mu.Lock()
	noted, shown := maps.Clone(u.members), u.times
	u.mu.Unlock()
	for id, account := range noted { // the engine may read its store
		if erased(account, id) {
			u.forget(id)
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, shown
}
