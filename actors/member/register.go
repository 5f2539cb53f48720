package member

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// New is the member that a registration brings into being: it has nothing yet.
func New(c *domain.RegisterMember, account domain.AccountID, id domain.MemberID, ord domain.Ordinal) *State {
	return NewState(&domain.Member{
		ID: id, Account: account, Ord: ord, Application: c.Application, State: domain.MemberActive,
		Created: c.At, UUID: c.UUID, TokenRandom: c.TokenRandom, TokenHash: c.TokenHash, TokenMade: c.At / 1000,
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
	if gives(c.Given, domain.EmailAddress) {
		m.Email = c.Email
	}
	m.Services = slices.Clone(m.Services)
	at := slices.IndexFunc(m.Services, func(r domain.ServiceRecord) bool {
		return r.Application == c.Application && r.Service == c.Service && r.UID == c.UID
	})
	if at < 0 {
		at = len(m.Services)
		m.Services = append(m.Services, domain.ServiceRecord{
			ID: record, Application: c.Application, Service: c.Service, UID: c.UID, Identity: c.Identity, Created: c.At,
		})
	}
	r := &m.Services[at]
	r.Fields = r.Fields.With(c.Record)
	if gives(c.Record, domain.RecordUsername) {
		r.Username = c.Username
	}
	r.Updated, r.LastLogin = c.At, c.At
	if !c.Partner.IsZero() {
		r.Partner, r.PartnerCode, r.PartnerID = c.Partner, c.PartnerCode, c.PartnerID
	} else if r.Partner.IsZero() { // half of a name identifies no member; it is shown
		r.PartnerCode, r.PartnerID = cmp.Or(c.PartnerCode, r.PartnerCode), cmp.Or(c.PartnerID, r.PartnerID)
	}
	if c.Domain != "" && !slices.Contains(r.Domains, c.Domain) {
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

// gives reports that a field is given, if only to be cleared.
func gives(f domain.Fields, field domain.Field) bool {
	return slices.ContainsFunc(f, func(v domain.FieldValue) bool { return v.Field == field })
}

// change lets edit change a copy of the member, of which it must not change what
// slices hold in place: changes carry the member, and what was staged does not
// change any more.
func (s *State) change(dst []domain.Change, edit func(*domain.Member)) []domain.Change {
	before := filterableOf(&s.Member)
	m := s.Member
	edit(&m)
	s.Member = m
	s.muted = mutedOf(&s.Member)
	dst = append(dst, domain.Change{Kind: domain.MemberPut, Value: &m})
	return before.to(dst, filterableOf(&m), &m)
}

// Active reports that answers show the member.
func (s *State) Active() bool { return s.Member.State == domain.MemberActive }

// Pending reports that the member waits for the claims of its registration.
func (s *State) Pending() bool { return s.Member.State == domain.MemberPending }
