package core

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// A record that reads rows as they are stored begins a micro-batch, and all before it are committed by then: a FollowList,
// and the first of a full hour while any list is followed.

// cutAtRows cuts records before the first that reads stored rows. Where they begin with it, committed says that nothing
// is staged: else the shard commits first.
func (m *Machine) cutAtRows(records []domain.Record) (cut []domain.Record, committed bool) {
	clock, any := m.State.Shard.Clock, m.State.Accounts.AnyFollowed()
	for i := range records {
		r := &records[i]
		_, follow := r.Command.(*domain.FollowList)
		if !follow && !(any && domain.HourOf(r.Time) > domain.HourOf(clock)) {
			clock = max(clock, r.Time)
			continue
		}
		switch {
		case r.Offset < m.State.Shard.Next: // it is applied
			continue
		case i > 0:
			return records[:i], true
		case m.staged:
			return nil, false
		}
		return records[:1], true
	}
	return records, true
}

// newHour moves the periods of lists where the clock came into another full hour. Memberships that are old are dropped.
func (m *Machine) newHour(t *tx.Tx, before int64) error {
	clock := t.At.Clock
	if domain.HourOf(before) == domain.HourOf(clock) || !m.State.Accounts.AnyFollowed() {
		return nil
	}
	err := m.storedRows(func(stored stored) error {
		all, err := m.State.Accounts.NewHour(stored, clock)
		for i := 0; i < len(all) && err == nil; i++ {
			err = trimList(t, stored, &all[i], clock)
		}
		return err
	})
	if err != nil {
		return err
	}
	return t.Flush()
}

// trimList drops the memberships of a list that are old.
func trimList(t *tx.Tx, rows stored, l *domain.FollowedList, clock int64) error {
	gone, err := rows.MembershipsUntil(l.Account, l.Segment, clock-domain.MembershipLife)
	if err != nil || gone <= l.Gone {
		return err
	}
	l.Gone = gone
	t.State.Accounts.TrimList(l)
	t.Change(domain.Change{Kind: domain.FollowedPut, Value: l})
	return nil
}

// followList begins a list, changes its rule, or ends it.
func (m *Machine) followList(t *tx.Tx, r *domain.Record, f *domain.FollowList) error {
	all := t.State.Accounts
	of := all.Followed(r.Account, f.Segment)
	switch {
	case f.Ends && of != nil && of.Catalog <= f.Catalog:
		all.Unfollow(of)
		t.Change(domain.Change{Kind: domain.FollowedDrop, Value: of})
		return nil
	case f.Ends || of != nil && of.Version >= f.Version:
		return nil
	case of == nil:
		of = &domain.FollowedList{Account: r.Account, Segment: f.Segment, Since: t.NextSequence()}
	}
	of.Version, of.Rule, of.Catalog = f.Version, f.Rule, max(of.Catalog, f.Catalog)
	t.Change(domain.Change{Kind: domain.FollowedPut, Value: of})
	return m.storedRows(func(rows stored) error { return all.Follow(*of, rows, t.At.Clock) })
}

// stored reads what the last commit stored.
type stored interface {
	accounts.Committed
	// MembershipsUntil is the sequence of the last membership of a list before a time, in ms; 0: there is none.
	MembershipsUntil(account domain.AccountID, segment domain.SegmentID, ms int64) (uint64, error)
}

// storedRows calls f with what the last commit stored.
func (m *Machine) storedRows(f func(stored) error) error {
	rows := m.store.Snapshot()
	return errors.Join(f(rows), rows.Close())
}

// loadLists loads the followed lists, and counts the rows for them, after all else is loaded.
func (m *Machine) loadLists() error {
	var all []*domain.FollowedList
	if err := m.store.FollowedLists(func(l *domain.FollowedList) { all = append(all, l) }); err != nil || len(all) == 0 {
		return err
	}
	as := m.State.Accounts
	err := m.storedRows(func(rows stored) error {
		for _, l := range all {
			if err := as.Follow(*l, rows, m.State.Shard.Clock); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.store.LastMemberships(as.Told)
}
