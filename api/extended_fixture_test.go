package api

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// summarized answers what a few members did.
func summarized(q *domain.Question) (*domain.Answer, error) {
	a := &domain.Answer{Position: domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: 4}}}}
	for _, id := range q.Filter.Members {
		s := domain.MemberSummary{Member: id, Latest: 1_773_000_000}
		if q.Visits != nil {
			s.Domains = []domain.DomainVisits{
				{Domain: "a.example", First: 1_600_000_000, Last: 1_700_000_000}, {Domain: "moons.example", First: 1_650_000_000, Last: 1_650_000_000},
			}
		} else if q.Account == 1 {
			s.Brands = []domain.Standing{{Brand: 2, Score: 9, Actions: 4}, {Brand: 1, Score: 7, Actions: 5}}
		}
		a.Summaries = append(a.Summaries, s)
	}
	return a, nil
}

// membership answers questions about the members of a fixture as an engine does, as far as the list of
// members with their Extended nodes asks them.
type membership struct{ h *fixture }

func (c membership) answer(q *domain.Question) (*domain.Answer, error) {
	switch q.Shape {
	case domain.ShapeSummaries:
		return summarized(q)
	case domain.ShapeLeaders:
		return &domain.Answer{Leaders: &domain.Leaders{}}, nil
	}
	var all []domain.MemberID
	for _, m := range c.h.engine.members {
		if m.Account == q.Account && c.passes(m, q) {
			all = append(all, m.ID)
		}
	}
	l := q.MemberListing
	slices.SortFunc(all, func(a, b domain.MemberID) int {
		if l.Up {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	})
	out := &domain.MemberList{Total: uint64(len(all))}
	if l.After != 0 {
		at := slices.Index(all, l.After)
		all = all[at+1:]
	}
	out.Members = all[min(l.Offset, len(all)):min(l.End(), len(all))]
	return &domain.Answer{MemberList: out}, nil
}

func (c membership) passes(m *domain.Member, q *domain.Question) bool {
	f := &q.Filter
	switch {
	case len(f.Members) > 0 && !slices.Contains(f.Members, m.ID), slices.Contains(f.Exclude, m.ID),
		q.MemberListing.Changed > 0 && m.Changed()/1000 < int64(q.MemberListing.Changed),
		len(f.Holds) > 0 && !slices.ContainsFunc(m.Services, func(r domain.ServiceRecord) bool { return slices.Contains(f.Holds, r.Service) }):
		return false
	}
	for _, field := range f.Has {
		if m.Profile.Get(field) == "" {
			return false
		}
	}
	return true
}

// populated is a fixture of members, the n-th of whom is made by draw, and of another account's.
func populated(h *fixture, n int, draw func(i int, m *domain.Member)) {
	h.engine.answer = membership{h}.answer
	clear(h.engine.members)
	for i := range n {
		m := &domain.Member{
			ID: domain.MemberIDOf(uint64(i+1), domain.Slot(i%7)), Account: 1, Application: 2, State: domain.MemberActive,
			Created: 1e12 + int64(i)*1000, TokenMade: 1e9,
		}
		draw(i, m)
		h.engine.members[m.ID] = m
	}
	h.engine.members[77] = &domain.Member{
		ID: 77, Account: 2, State: domain.MemberActive, Created: 1e12, Profile: domain.Fields{{Field: domain.Extended, Value: `{"tier":"gold"}`}},
	}
}

// drawn gives a member random fields.
func drawn(r *rand.Rand, m *domain.Member, merged string) {
	put := func(f domain.Field, values ...string) {
		if v := values[r.IntN(len(values))]; v != "" {
			m.Profile = m.Profile.With(domain.Fields{{Field: f, Value: v}})
		}
	}
	put(domain.FirstName, "", "Ada", "Bob", "ada")
	put(domain.City, "", "Köln", "gold")
	put(domain.Country, "", "DE", "NO")
	put(domain.VerifiedEmail, "", "x@y.example")
	put(domain.Extended, merged, "")
	for i := range r.IntN(3) {
		m.Services = append(m.Services, domain.ServiceRecord{
			ID: uint64(i + 1), Application: 2, Service: []domain.Service{domain.Spotify, domain.Email}[r.IntN(2)], UID: fmt.Sprint("u-", r.IntN(5)),
			LastLogin: 1e12 + r.Int64N(5)*1e6,
		})
	}
}
