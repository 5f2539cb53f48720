package accounts

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/lists"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Committed reads rows of the last commit. Nothing may be staged since then where it is used.
type Committed interface {
	// Reader gives what reads rows of many brands, and ends it; best in ascending order.
	Reader(
		account domain.AccountID,
	) (rows func(domain.BrandID, domain.Range, func([]domain.Row) error) error, end func() error)
}

// Follow begins a list, or gives it another rule.
func (s *Accounts) Follow(of domain.FollowedList, rows Committed, clock int64) error {
	a := s.Of(of.Account)
	if a.lists == nil {
		a.lists = lists.New(a.Audience)
	}
	s.listed[of.Account] = a
	s.touch(of.Account, a)
	return s.reading(of.Account, rows, func(source lists.Source) error { return a.lists.Follow(of, clock, source) })
}

// Told notes the sequence of a list's last membership.
func (s *Accounts) Told(account domain.AccountID, segment domain.SegmentID, sequence uint64) {
	s.Of(account).lists.Told(segment, sequence)
}

// Unfollow ends a list.
func (s *Accounts) Unfollow(of *domain.FollowedList) {
	a := s.Of(of.Account)
	a.lists.Drop(of.Segment)
	if len(a.lists.All()) == 0 {
		delete(s.listed, of.Account)
	}
}

// Followed is a followed list; nil: the list is not followed.
func (s *Accounts) Followed(account domain.AccountID, segment domain.SegmentID) *domain.FollowedList {
	if a := s.listed[account]; a != nil {
		return a.lists.Find(segment)
	}
	return nil
}

// AnyFollowed reports that any list is followed.
func (s *Accounts) AnyFollowed() bool { return len(s.listed) > 0 }

// NewHour moves the periods of all lists to the full hour of the clock, in ms, and gives the lists, by account and segment.
func (s *Accounts) NewHour(rows Committed, clock int64) (all []domain.FollowedList, err error) {
	for _, id := range slices.Sorted(maps.Keys(s.listed)) {
		a := s.listed[id]
		err := s.reading(id, rows, func(source lists.Source) error { return a.lists.NewHour(clock, source) })
		if err != nil {
			return nil, err
		}
		all = append(all, a.lists.All()...)
	}
	return all, nil
}

// TrimList notes up to where memberships of a list are no longer kept.
func (s *Accounts) TrimList(l *domain.FollowedList) { s.Of(l.Account).lists.Trim(l.Segment, l.Gone) }

// Decide gives the memberships that follow from what was applied, as lists.Lists has them.
func (s *Accounts) Decide(next func() uint64, clock int64) (all []domain.Membership) {
	if len(s.listed) == 0 {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(s.listed)) {
		all = append(all, s.listed[id].lists.Decide(next, clock)...)
	}
	return all
}

// reading calls f with what reads the rows that count, of an account.
func (s *Accounts) reading(account domain.AccountID, rows Committed, f func(lists.Source) error) error {
	counting := s.Of(account).Counting()
	read, end := rows.Reader(account)
	err := f(func(brand domain.BrandID, in domain.Range, each func(*domain.Row)) error {
		brands := []domain.BrandID{brand}
		if brand == 0 {
			brands = s.brands.BrandIDs(account)
		}
		for _, b := range brands {
			err := read(b, in, func(stored []domain.Row) error {
				for i := range stored {
					r := stored[i]
					r.Account, r.Brand = account, b
					if r.Time >= in.From && r.Time < in.To && counting.Holds(&r) {
						each(&r)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if ended := end(); err == nil {
		err = ended
	}
	return err
}

// publishedLists are the account's lists as readers need them; nil: there never were any.
func (a *Account) publishedLists() view.Lists {
	if a.lists == nil {
		return nil
	}
	return a.lists.Published()
}

// recordedHere is when an action was recorded in this shard, in ms; 0: it is a copy of another shard's.
func recordedHere(c *domain.Content) int64 {
	if c == nil || c.Action != 0 {
		return 0
	}
	return c.Recorded
}
