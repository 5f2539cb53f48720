package txtest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Merges are what a start says of members that are merged.
type Merges interface {
	// Shadow gets every shadow, before the members that lend are loaded.
	Shadow(s *tx.State, at member.Place, shadow domain.MemberID)
	// Load gets the members that lend, before the rows are loaded.
	Load(s *tx.State, lenders []member.Place) error
}

// committed is what the last commit stored beside the changes.
type committed struct {
	state   domain.ShardState
	origins []domain.Origin // of each commit
	changes int             // how many of Store.Staged
}

// note notes a state that is being committed.
func (c *committed) note(s *tx.State) {
	c.state, c.origins = s.Shard, append(c.origins, s.Origins()...)
	c.changes = len(s.Store.(*Store).Staged)
}

// Reopen throws away what was staged since the last commit, and loads the state again as a start does.
// Follow stays the caller's to set.
func (s *Shard) Reopen(kids *children.Children, m Merges) error {
	stored := s.Store.Staged[:s.committed.changes]
	id, shards := s.State.ID, s.State.Shards
	s.State.Loaded.Clear()
	s.Store, s.sent = NewStore(), nil
	s.Answered = map[domain.RequestID]waiters.Completed{}
	if err := s.Store.Stage(stored); err != nil {
		return err
	}
	s.Store.commit()
	s.open(kids, id, shards)
	for _, o := range s.committed.origins {
		s.State.Sources.Load(o)
	}
	for _, of := range s.Store.all() {
		at := member.Place{Account: of.Account, Ord: of.Ord}
		s.State.Accounts.Of(at.Account).Audience.Add(of.ID)
		if of.ID.IsShadow() {
			m.Shadow(s.State, at, of.ID)
		} else {
			s.State.Roster.Add(of.ID, at)
		}
	}
	var lenders []member.Place
	err := s.State.Accounts.LoadAttributes(s.Store, func(account domain.AccountID, ord domain.Ordinal) {
		lenders = append(lenders, member.Place{Account: account, Ord: ord})
	})
	if err != nil {
		return err
	}
	if err := m.Load(s.State, lenders); err != nil {
		return err
	}
	for _, c := range stored {
		if o, is := c.Value.(*domain.Outgoing); is {
			s.State.Resent(o)
		}
	}
	return s.State.Accounts.LoadRows(s.Store, func() error { return nil })
}

// all are the members, shadows too, by account and ordinal.
func (s *Store) all() (all []domain.Member) {
	for _, m := range s.members {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b domain.Member) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Ord, b.Ord))
	})
	return all
}

// Bits calls f with the ordinals of each attribute's value.
func (s *Store) Bits(f func(domain.AccountID, domain.Attribute, string, []domain.Ordinal)) error {
	last := map[domain.Bit]bool{} // by the bit without On
	for _, c := range s.Staged {
		if b, is := c.Value.(*domain.Bit); is {
			of := *b
			of.On = false
			last[of] = b.On
		}
	}
	for of, on := range last {
		if on {
			f(of.Account, of.Attribute, of.Value, []domain.Ordinal{of.Ord})
		}
	}
	return nil
}

// Columns calls f with each value of each column.
func (s *Store) Columns(f func(domain.AccountID, domain.Attribute, domain.Ordinal, []uint16)) error {
	for _, c := range s.Staged {
		if v, is := c.Value.(*domain.Column); is {
			f(v.Account, v.Attribute, v.Ord, []uint16{v.Value})
		}
	}
	return nil
}

// LastNotices calls f with the sequences of notices, those of an account in order.
func (s *Store) LastNotices(f func(domain.AccountID, uint64)) error {
	for _, c := range s.Staged {
		if r, is := c.Value.(*domain.Notice); is {
			f(r.Account, r.Seq)
		}
	}
	return nil
}

// FollowedLists calls f with the lists that are followed, by account and segment.
func (s *Store) FollowedLists(f func(*domain.FollowedList)) error {
	last := map[list]*domain.FollowedList{}
	for _, c := range s.Staged {
		if l, is := c.Value.(*domain.FollowedList); is {
			of := list{l.Account, l.Segment}
			if c.Kind == domain.FollowedDrop {
				delete(last, of)
			} else {
				last[of] = l
			}
		}
	}
	lists := slices.SortedFunc(maps.Values(last), func(a, b *domain.FollowedList) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Segment, b.Segment))
	})
	for _, l := range lists {
		own := *l
		f(&own)
	}
	return nil
}

// list names the list of a segment.
type list struct {
	account domain.AccountID
	segment domain.SegmentID
}

// LastMemberships calls f with the sequence of the last membership of each list that has one.
func (s *Store) LastMemberships(f func(domain.AccountID, domain.SegmentID, uint64)) error {
	last := map[list]uint64{}
	for _, c := range s.Staged {
		switch v := c.Value.(type) {
		case *domain.Membership:
			last[list{v.Account, v.Segment}] = v.Seq
		case *domain.FollowedList:
			of := list{v.Account, v.Segment}
			if c.Kind == domain.FollowedDrop || last[of] <= v.Gone {
				delete(last, of)
			}
		}
	}
	for of, sequence := range last {
		f(of.account, of.segment, sequence)
	}
	return nil
}

// VisitPlaces calls f with every place of visits, by account and number.
func (s *Store) VisitPlaces(f func(domain.NumberedPlace)) error {
	for _, c := range s.Staged {
		if p, is := c.Value.(*domain.NumberedPlace); is {
			f(*p)
		}
	}
	return nil
}

// Rows calls f with the living rows of each brand, Hash, Slot and Flags not set, in order of (time, sequence).
func (s *Store) Rows(f func(domain.AccountID, domain.BrandID, []domain.Row) error) error {
	type value struct {
		account domain.AccountID
		brand   domain.BrandID
	}
	all := map[value][]domain.Row{}
	for _, rows := range s.rows {
		for _, r := range rows {
			if r.Flags.Dead() {
				continue
			}
			r.Hash, r.Slot, r.Flags = 0, 0, 0
			all[value{r.Account, r.Brand}] = append(all[value{r.Account, r.Brand}], r)
		}
	}
	for of, rows := range all {
		slices.SortFunc(rows, func(a, b domain.Row) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq)) })
		if err := f(of.account, of.brand, rows); err != nil {
			return err
		}
	}
	return nil
}
