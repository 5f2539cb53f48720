package api

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// putMerged puts two members there, 4102 merged into 4101.
func (s *fakeEngine) putMerged() {
	for i, id := range []domain.MemberID{4101, 4102} {
		s.members[id] = &domain.Member{
			ID: id, Account: 1, Application: 3, State: domain.MemberActive, Created: 1e12, TokenMade: 1e9,
			Profile: domain.Fields{{Field: domain.Username, Value: [...]string{"eve", "eva"}[i]}},
			Services: []domain.ServiceRecord{{
				ID: uint64(id), Application: 3, Service: domain.Deezer, Identity: domain.IdentityHash{byte(id)}, Created: 1e12,
			}},
		}
	}
	s.mergeMembers(1, &domain.MergeMembers{Member: 4101, From: 4102})
}

// mergeMembers has the two know of each other as the engine does.
func (s *fakeEngine) mergeMembers(account domain.AccountID, c *domain.MergeMembers) domain.Outcome {
	into, from := s.members[c.Member], s.members[c.From]
	switch {
	case into == nil || into.Account != account:
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "no such member"}
	case from == nil || from.Account != account:
		return domain.Outcome{Code: domain.NotFound, Parameter: "from", Message: "no such member"}
	case into.IsLent():
		return domain.Failed(domain.Merged(into.Lent.To))
	case c.Denied:
		return domain.Failed(domain.ErrMergeDenied)
	case from.IsLent() && from.Lent.To == c.Member:
		return domain.Outcome{Member: c.Member}
	case from.Lent != nil || into.Lent != nil:
		return domain.Outcome{Code: domain.Conflict, Message: "one of the members is being merged"}
	}
	a, b := *into, *from
	record := b
	a.Absorbed = append(slices.Clone(a.Absorbed), domain.Absorbed{Member: c.From, Done: true, Record: &record})
	b.Lent = &domain.Loan{To: c.Member, Done: true}
	s.members[c.Member], s.members[c.From] = &a, &b
	return domain.Outcome{Member: c.Member}
}

// unmergeMember takes that back.
func (s *fakeEngine) unmergeMember(account domain.AccountID, c *domain.UnmergeMember) domain.Outcome {
	into, from := s.members[c.Member], s.members[c.From]
	switch {
	case into == nil || into.Account != account:
		return domain.Outcome{Code: domain.NotFound, Parameter: "memberid", Message: "no such member"}
	case into.IsLent():
		return domain.Failed(domain.Merged(into.Lent.To))
	case from == nil || !from.IsLent() || from.Lent.To != c.Member:
		return domain.Outcome{Code: domain.NotFound, Parameter: "from", Message: "the member is not merged into this one"}
	}
	a, b := *into, *from
	a.Absorbed = slices.DeleteFunc(slices.Clone(a.Absorbed), func(o domain.Absorbed) bool { return o.Member == c.From })
	b.Lent = nil
	s.members[c.Member], s.members[c.From] = &a, &b
	return domain.Outcome{Member: c.From}
}
