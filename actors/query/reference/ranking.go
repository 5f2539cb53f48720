package reference

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Rank is what the order ranks a member by.
func Rank(o domain.Order, l *domain.Leader) uint64 {
	switch o {
	case domain.ByScore:
		return l.Score
	case domain.ByActions:
		return l.Actions
	}
	return uint64(l.At)
}

// leaders is the members with an action that counts, by rank; of the actions of
// one second that with the least id is the latest, as in a feed.
func (m *Model) leaders(q *domain.Question) *domain.Leaders {
	out, top := &domain.Leaders{}, &q.Top
	leaders, latest := m.ranked(q)
	all := make([]domain.Leader, 0, len(leaders))
	for _, l := range leaders {
		all = append(all, *l)
		out.Total.Members++
		out.Total.Actions += l.Actions
		if top.Above != nil && l.Score > *top.Above {
			out.Above++
		}
	}
	order := func(a, b uint64) int {
		if top.Up {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	}
	slices.SortFunc(all, func(a, b domain.Leader) int {
		return cmp.Or(order(Rank(top.Order, &a), Rank(top.Order, &b)), cmp.Compare(a.Member, b.Member))
	})
	if after := top.After; after != nil {
		listed := len(all)
		all = slices.DeleteFunc(all, func(l domain.Leader) bool {
			return cmp.Or(order(Rank(top.Order, &l), after.Rank), cmp.Compare(l.Member, after.Member)) <= 0
		})
		out.Ahead = uint64(listed - len(all))
	}
	out.Members = page(all, top.Offset, top.Limit)
	for _, l := range out.Members {
		if row := latest[l.Member].Row; top.Latest {
			row.Slot = l.Member.Slot()
			out.Latest = append(out.Latest, row)
		}
	}
	if top.Audience {
		whole := *q
		whole.Filter.AnyOf, whole.Filter.AllOf, whole.Filter.Acted = nil, nil, false
		out.Audience = uint64(len(m.Passing(&whole)))
	}
	return out
}

// ranked is what each member with an action that counts is ranked by, and its latest action.
func (m *Model) ranked(
	q *domain.Question,
) (leaders map[domain.MemberID]*domain.Leader, latest map[domain.MemberID]*Action) {
	leaders, latest = map[domain.MemberID]*domain.Leader{}, map[domain.MemberID]*Action{}
	members, top := m.byID(), &q.Top
	for a := range m.Counted(q) {
		l := leaders[a.Member]
		if l == nil {
			l = &domain.Leader{Member: a.Member, At: at(top.Order, members[a.Member])}
			if q.Visits != nil {
				l.At = members[a.Member].LastLogin
			}
			if top.Order == domain.ByVisit {
				l.At = 0
			}
			leaders[a.Member] = l
			latest[a.Member] = a
		}
		if top.Order == domain.ByVisit {
			l.At = max(l.At, a.Row.Time)
		}
		l.Actions++
		l.Score += uint64(a.Row.Points)
		if was := latest[a.Member].Row; a.Row.Time > was.Time || a.Row.Time == was.Time && a.Row.ID() < was.ID() {
			latest[a.Member] = a
		}
	}
	return leaders, latest
}

// at is the time that an order ranks a member by; of other orders 0.
func at(o domain.Order, x *Member) domain.Second {
	switch o {
	case domain.ByCreated:
		return x.Created
	case domain.ByLastLogin:
		return x.LastLogin
	}
	return 0
}

// Ranks is how many rows of the list that the question's histogram is of have each rank.
func (m *Model) Ranks(q *domain.Question) map[uint64]uint32 {
	whole, h, out := *q, &q.Histogram, map[uint64]uint32{}
	whole.Listing = domain.Listing{Every: q.Listing.Every, Limit: len(m.Actions)}
	whole.Top = domain.Top{Order: q.Top.Order, Limit: len(m.Members)}
	count := func(rank uint64) {
		if rank >= h.From && rank <= h.To {
			out[rank]++
		}
	}
	if h.Of == domain.ShapeFeed {
		for _, i := range m.feed(&whole).Items {
			count(uint64(i.Row.Time))
		}
		return out
	}
	for _, l := range m.leaders(&whole).Members {
		switch rank := Rank(q.Top.Order, &l); {
		case h.Among == nil:
			count(rank)
		case *h.Among == rank:
			count(uint64(l.Member))
		}
	}
	return out
}

// crossover is the other brands of the members with an action that counts, by their members.
func (m *Model) crossover(q *domain.Question) *domain.Crossover {
	among, every := membersOf(m.Counted(q)), *q
	every.Brand, every.Filter = 0, domain.Filter{Services: q.Filter.Services}
	members := map[domain.BrandID]map[domain.MemberID]bool{}
	for a := range m.Counted(&every) {
		b := a.Row.Brand
		if !among[a.Member] || b == q.Brand || slices.Contains(q.Without, b) {
			continue
		}
		if members[b] == nil {
			members[b] = map[domain.MemberID]bool{}
		}
		members[b][a.Member] = true
	}
	out := &domain.Crossover{Members: uint64(len(among)), Total: uint64(len(members))}
	var all []domain.BrandMembers
	for b, of := range members {
		all = append(all, domain.BrandMembers{Brand: b, Members: uint64(len(of))})
	}
	order := func(a, b domain.BrandMembers) int {
		return cmp.Or(cmp.Compare(b.Members, a.Members), cmp.Compare(a.Brand, b.Brand))
	}
	slices.SortFunc(all, order)
	if after := q.Top.After; after != nil {
		last := domain.BrandMembers{Brand: domain.BrandID(after.Member), Members: after.Rank}
		all = slices.DeleteFunc(all, func(b domain.BrandMembers) bool { return order(b, last) <= 0 })
	}
	out.Brands = page(all, q.Top.Offset, q.Top.Limit)
	return out
}

// standings is the brands of the actions that count, by score.
func (m *Model) standings(q *domain.Question) *domain.Standings {
	brands := map[domain.BrandID]*domain.Standing{}
	for a := range m.Counted(q) {
		b := a.Row.Brand
		if b == m.Visits || slices.Contains(q.Without, b) {
			continue
		}
		if brands[b] == nil {
			brands[b] = &domain.Standing{Brand: b}
		}
		brands[b].Actions++
		brands[b].Score += uint64(a.Row.Points)
	}
	maps.DeleteFunc(brands, func(_ domain.BrandID, s *domain.Standing) bool { return s.Actions < q.Top.Least })
	var all []domain.Standing
	for _, s := range brands {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b domain.Standing) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Brand, b.Brand))
	})
	return &domain.Standings{Brands: page(all, q.Top.Offset, q.Top.Limit), Total: uint64(len(all))}
}
