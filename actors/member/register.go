package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// New is the member that a registration brings into being: it has nothing yet.
func New(c *domain.RegisterMember, account domain.AccountID, id domain.MemberID, ord domain.Ordinal) *State {
	return NewState(&domain.Member{
		ID: id, Account: account, Ord: ord, Application: c.Application, State: domain.MemberActive,
		Created: c.At, UUID: c.UUID, TokenHash: c.TokenHash, TokenMade: c.At / 1000,
	})
}

// Register applies a registration, every claim of which is granted: what is given
// overwrites. record is the id its service record gets if it is a new one.
func (s *State) Register(dst []domain.Change, c *domain.RegisterMember, record uint64) []domain.Change {
	return s.change(dst, func(m *domain.Member) { register(m, c, record) })
}

// register writes the registration into m, whose slices are not shared after.
func register(m *domain.Member, c *domain.RegisterMember, record uint64) {
	m.Profile = m.Profile.With(c.Given)
	m.Email = c.Email
	putPersonal(m, &c.Personal)
	m.Services = slices.Clone(m.Services)
	at := slices.IndexFunc(m.Services, func(r domain.ServiceRecord) bool {
		return r.Application == c.Application && r.Identity == c.Identity
	})
	if at < 0 {
		at = len(m.Services)
		m.Services = append(m.Services, domain.ServiceRecord{
			ID: record, Application: c.Application, Service: c.Service, Identity: c.Identity, Created: c.At,
		})
	}
	r := &m.Services[at]
	r.Fields = r.Fields.With(c.Record)
	r.Username = c.Username
	r.Updated, r.LastLogin = c.At, c.At
	r.Partner = c.Partner
	r.PartnerCode = c.PartnerCode
	if c.Domain != "" && !slices.Contains(r.Domains, c.Domain) && len(r.Domains) < domain.MaxRecordDomains {
		r.Domains = append(slices.Clone(r.Domains), c.Domain)
		r.Visited = slices.DeleteFunc(slices.Clone(r.Visited), func(d string) bool { return d == c.Domain })
	}
	if c.Password != "" && m.Password(c.Identity) == "" {
		m.Passwords = append(slices.Clone(m.Passwords), domain.Password{Address: c.Identity, Hash: c.Password})
	}
	if c.Segment != 0 {
		opt(m, domain.Opt{Kind: domain.OptSegment, ID: uint32(c.Segment)}, c.At, func(o *domain.OptState) {
			o.Listed, o.Out = true, false
		})
	}
}

// Outdated notes the key of a personal part that was not made of the one that the member has: what
// it seals is in the log. Only a key that was made for the command is noted: one that was made of a member
// has the key of that member, who may be another one and lives on when this one is erased.
func (s *State) Outdated(dst []domain.Change, p *domain.PersonalPut) []domain.Change {
	has := &s.Member.Personal
	if !p.OwnKey() || p.Key == has.Key || slices.Contains(has.Keys, p.Key) {
		return dst
	}
	return s.change(dst, func(m *domain.Member) {
		m.Personal.Keys = append(slices.Clone(has.Keys), p.Key)
	})
}

// putPersonal replaces the member's personal part, if the command has one.
func putPersonal(m *domain.Member, p *domain.PersonalPut) {
	if p.Keeps() {
		return
	}
	was := &m.Personal
	keys := was.Keys
	if !was.Key.IsZero() && was.Key != p.Key {
		keys = append(slices.Clone(keys), was.Key)
	}
	m.Personal = domain.PersonalPart{Sealed: p.Sealed, Version: was.Version + 1, Has: p.Has, Born: p.Born, Keys: keys}
}

// change lets edit change a copy of the member, of which it must not change what
// slices hold in place: changes carry the member, and what was staged does not
// change any more.
func (s *State) change(dst []domain.Change, edit func(*domain.Member)) []domain.Change {
	before, handed := filterableOf(&s.Member), s.Member.HandedOver
	m := s.Member
	if s.was == nil && m.IsLent() {
		was := m
		s.was = &was
	}
	edit(&m)
	s.Member = m
	s.muted = mutedOf(&s.Member)
	dst = append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
	dst = before.to(dst, filterableOf(&m), &m)
	return putTime(dst, &m, handedOver, uint32(handed), uint32(m.HandedOver))
}

// Active reports that answers show the member.
func (s *State) Active() bool { return s.Member.State == domain.MemberActive }
