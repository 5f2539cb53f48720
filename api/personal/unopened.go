package personal

import (
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

// opened notes that a member was opened: its key may have come back.
func (u *unopened) opened(id domain.MemberID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.members, id)
}

// list are the members, ascending, and how often any was shown. Those that are erased by now are not named: another
// node had erased them and deleted their keys before this one applied it.
func (u *unopened) list(erased func(domain.AccountID, domain.MemberID) bool) (ids []domain.MemberID, shown uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, account := range u.members {
		if erased(account, id) {
			delete(u.members, id)
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, u.times
}
