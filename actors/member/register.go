package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// New is the member that a registration brings into being.
func New(c *domain.RegisterMember, account domain.AccountID, id domain.MemberID, ord domain.Ordinal) *State {
	return NewState(&domain.Member{
		ID: id, Account: account, Ord: ord, Application: c.Application, State: domain.MemberActive,
		Created: c.At, UUID: c.UUID, TokenRandom: c.TokenRandom, TokenHash: c.TokenHash, TokenMade: c.At / 1000,
	})
}

// Register applies a registration to a member, new or met again: what is given
// overwrites. record is the id its service record gets if it is a new one; partner
// says that the partner's name is the member's already. It returns the id of the
// service record.
func (s *State) Register(dst []domain.Change, c *domain.RegisterMember, record uint64, partner bool) ([]domain.Change, uint64) {
	before := factsOf(&s.Member)
	m := s.Member // changes carry a copy: what was staged does not change any more
	m.Profile = m.Profile.With(c.Given)
	m.Services = slices.Clone(m.Services)
	at := slices.IndexFunc(m.Services, func(r domain.ServiceRecord) bool {
		return r.Application == c.Application && r.Service == c.Service && r.UID == c.UID
	})
	if at < 0 {
		at = len(m.Services)
		m.Services = append(m.Services, domain.ServiceRecord{
			ID: record, Application: c.Application, Service: c.Service, UID: c.UID, Created: c.At,
		})
	}
	r := &m.Services[at]
	r.Fields = r.Fields.With(c.Record)
	r.Updated, r.LastLogin = c.At, c.At
	if partner {
		r.PartnerCode, r.PartnerID = c.PartnerCode, c.PartnerID
	}
	if c.Domain != "" && !slices.Contains(r.Domains, c.Domain) {
		r.Domains = append(slices.Clone(r.Domains), c.Domain)
	}
	s.Member = m
	s.mute()
	dst = append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
	return before.to(dst, factsOf(&m), &m), m.Services[at].ID
}

// Refuse ends a pending member that never came to be.
func (s *State) Refuse(dst []domain.Change) []domain.Change {
	before := factsOf(&s.Member)
	m := s.Member
	m.State, m.Claims, m.Parked = domain.MemberRefused, nil, nil
	s.Member = m
	dst = append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
	return before.to(dst, factsOf(&m), &m)
}

// Claim notes a claim that another shard decides. A member that comes into being
// with it is pending: in no answer, and what it does is parked.
func (s *State) Claim(dst []domain.Change, claim domain.PendingClaim, isNew bool) []domain.Change {
	before := factsOf(&s.Member)
	m := s.Member
	m.Claims = append(slices.Clone(m.Claims), claim)
	if isNew {
		m.State = domain.MemberPending
	}
	s.Member = m
	dst = append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
	return before.to(dst, factsOf(&m), &m)
}

// Pending reports that the member waits for a claim of its registration.
func (s *State) Pending() bool { return s.Member.State == domain.MemberPending }

// Park keeps what a pending member did.
func (s *State) Park(dst []domain.Change, p domain.Parked) []domain.Change {
	m := s.Member
	m.Parked = append(slices.Clone(m.Parked), p)
	s.Member = m
	return append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
}

// Settle ends a claim that was granted: the partner's name goes into the service
// record it was claimed for, and a member that has no claim left is active.
func (s *State) Settle(dst []domain.Change, c *domain.Claim) []domain.Change {
	before := factsOf(&s.Member)
	m := s.Member
	at := slices.IndexFunc(m.Claims, func(p domain.PendingClaim) bool { return p.Identity == c.Identity })
	if at < 0 {
		return dst
	}
	p := m.Claims[at]
	m.Claims = slices.Delete(slices.Clone(m.Claims), at, at+1)
	m.Services = slices.Clone(m.Services)
	for i := range m.Services {
		if m.Services[i].ID == p.Record {
			m.Services[i].PartnerCode, m.Services[i].PartnerID = p.Code, p.ID
		}
	}
	if m.State == domain.MemberPending && len(m.Claims) == 0 {
		m.State, m.Parked = domain.MemberActive, nil
	}
	s.Member = m
	s.mute()
	dst = append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
	return before.to(dst, factsOf(&m), &m)
}

// Abandon gives up a claim of a member that is active already.
func (s *State) Abandon(dst []domain.Change, c *domain.Claim) []domain.Change {
	m := s.Member
	m.Claims = slices.DeleteFunc(slices.Clone(m.Claims), func(p domain.PendingClaim) bool { return p.Identity == c.Identity })
	s.Member = m
	return append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
}
