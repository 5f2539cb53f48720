package api

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/page"
)

// listModel is lists that change while their pages are asked for, as an engine has them: a
// row's key by its id.
type listModel struct {
	feed    map[domain.ActionID]int64 // second of completion, or ms of recording
	leaders map[domain.MemberID]uint64
	brands  map[domain.BrandID]uint64
	groups  map[uint32]uint64
}

func newListModel() *listModel {
	return &listModel{map[domain.ActionID]int64{}, map[domain.MemberID]uint64{}, map[domain.BrandID]uint64{}, map[uint32]uint64{}}
}

// put gives one row of each list a random key; where it is one of those that stay, it has
// had its key.
func (s *listModel) put(r *rand.Rand, n uint64, most uint64) {
	s.feed[domain.ActionIDOf(n, domain.Slot(n%7))] = int64(1_773_000_000 + r.Uint64N(most))
	s.leaders[domain.MemberIDOf(n, 3)] = r.Uint64N(most)
	s.brands[domain.BrandID(n)] = 1 + r.Uint64N(most)
	s.groups[uint32(99+n)] = 1 + r.Uint64N(most)
}

// drop takes a row out of each list.
func (s *listModel) drop(n uint64) {
	delete(s.feed, domain.ActionIDOf(n, domain.Slot(n%7)))
	delete(s.leaders, domain.MemberIDOf(n, 3))
	delete(s.brands, domain.BrandID(n))
	delete(s.groups, uint32(99+n))
}

// listed is the rows after one, of those with a key, by key down or up; ties by id.
func listed[I ~uint32 | ~uint64, K ~int64 | ~uint64](of map[I]K, up bool, after *page.Row, offset, limit int) []I {
	ids := slices.Collect(maps.Keys(of))
	order := func(a, b I, x, y K) int {
		if !up {
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	}
	slices.SortFunc(ids, func(a, b I) int { return order(a, b, of[a], of[b]) })
	if after != nil {
		ids = slices.DeleteFunc(ids, func(a I) bool { return order(a, I(after.ID), of[a], K(after.Rank)) <= 0 })
	}
	return ids[min(offset, len(ids)):min(offset+limit, len(ids))]
}

// answer answers as an engine does.
func (s *listModel) answer(q *domain.Question) (*domain.Answer, error) {
	a := &domain.Answer{}
	switch q.Shape {
	case domain.ShapeFeed:
		var after *page.Row
		if q.Listing.After != nil {
			after = &page.Row{Rank: uint64(q.Listing.After.At), ID: uint64(q.Listing.After.ID)}
		}
		a.Feed = &domain.Feed{Total: uint64(len(s.feed))}
		for _, id := range listed(s.feed, q.Listing.Up, after, q.Listing.Offset, q.Listing.Limit) {
			item := domain.FeedItem{Row: domain.Row{Seq: id.Sequence(), Slot: id.Slot(), Time: domain.Second(s.feed[id]), Definition: 100}, Member: 4097}
			if q.Listing.Recorded {
				item.Recorded, item.Row.Time = s.feed[id], 5
			}
			a.Feed.Items = append(a.Feed.Items, item)
		}
	case domain.ShapeMemberList:
		a.MemberList = &domain.MemberList{Total: uint64(len(s.leaders))}
		all := slices.Sorted(maps.Keys(s.leaders))
		if !q.MemberListing.Up {
			slices.Reverse(all)
		}
		if after := q.MemberListing.After; after != 0 {
			all = slices.DeleteFunc(all, func(m domain.MemberID) bool { return m == after || m < after == q.MemberListing.Up })
		}
		a.MemberList.Members = all[min(q.MemberListing.Offset, len(all)):min(q.MemberListing.End(), len(all))]
	case domain.ShapeLeaders:
		a.Leaders = &domain.Leaders{Total: domain.Count{Members: uint64(len(s.leaders))}}
		for _, id := range listed(s.leaders, q.Top.Up, topAfter(q), q.Top.Offset, q.Top.Limit) {
			l := domain.Leader{Member: id, Score: s.leaders[id]}
			switch {
			case q.Top.Order.Timed():
				l.Score, l.At = 7, domain.Second(s.leaders[id])
			case q.Top.Order == domain.ByActions:
				l.Score, l.Actions = 7, s.leaders[id]
			}
			a.Leaders.Members, a.Leaders.Latest = append(a.Leaders.Members, l), append(a.Leaders.Latest, domain.Row{})
		}
	case domain.ShapeCrossover:
		a.Crossover = &domain.Crossover{Total: uint64(len(s.brands)), Members: 100}
		for _, id := range listed(s.brands, false, topAfter(q), q.Top.Offset, q.Top.Limit) {
			a.Crossover.Brands = append(a.Crossover.Brands, domain.BrandMembers{Brand: id, Members: s.brands[id]})
		}
	default:
		a.Tally = &domain.Tally{}
		for _, g := range q.Groups {
			if n := s.groups[uint32(g.Definition)]; n > 0 {
				a.Tally.Groups = append(a.Tally.Groups, domain.GroupCount{Group: g.Group, Count: domain.Count{Actions: n, Members: 1}})
			}
		}
	}
	return a, nil
}

func topAfter(q *domain.Question) *page.Row {
	if q.Top.After == nil {
		return nil
	}
	return &page.Row{Rank: q.Top.After.Rank, ID: uint64(q.Top.After.Member)}
}
