package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// UpdateWants are the identities that an update needs and the member has not, as claims not
// granted yet.
func UpdateWants(m *domain.Member, u *domain.UpdateMember) []domain.PendingClaim {
	return slices.DeleteFunc(updateNames(u), func(i domain.PendingClaim) bool { return Holds(m, i.Identity) })
}

// updateNames are the identities that an update gives its member, each once.
func updateNames(u *domain.UpdateMember) (names []domain.PendingClaim) {
	for i := range u.Records {
		for _, c := range []domain.PendingClaim{
			{Identity: u.Records[i].Login, Type: domain.ByLogin},
			{Identity: u.Records[i].Verified, Type: domain.ByVerifiedEmail},
		} {
			if !c.Identity.IsZero() && !slices.Contains(names, c) {
				names = append(names, c)
			}
		}
	}
	return names
}

// UpdateEnd is what became of an update.
type UpdateEnd uint8

// An update, a removal or a reset changes the member only if it is Updated.
const (
	Updated        UpdateEnd = iota
	UpdateOutdated           // its personal part was not made of the one that the member has
	UpdateUnknown            // the member has no such service record, or no such address
	UpdateLast               // the service record is the only one
	UpdateWaits              // for claims that other shards decide
)

// Update applies an update, every claim of which is granted; one that still waits for some is
// noted as p.
func Update(
	dst []domain.Change, s *State, u *domain.UpdateMember, p *domain.PendingRegistration,
) ([]domain.Change, UpdateEnd) {
	switch {
	case !s.Member.Personal.Takes(&u.Personal):
		return s.Outdated(dst, &u.Personal), UpdateOutdated
	case !hasRecords(&s.Member, u):
		return dst, UpdateUnknown
	}
	if !slices.ContainsFunc(p.Claims, func(c domain.PendingClaim) bool { return !c.Granted }) {
		return s.change(dst, func(m *domain.Member) { update(m, u) }), Updated
	}
	p.Update = u
	return s.Await(dst, *p, false), UpdateWaits
}

// update writes the update into m, whose slices are not shared after.
func update(m *domain.Member, u *domain.UpdateMember) {
	m.Profile = m.Profile.With(u.Given)
	m.Email = u.Email
	m.Updated = max(m.Updated, u.At)
	putPersonal(m, &u.Personal)
	m.Services = slices.Clone(m.Services)
	for i := range u.Records {
		r := &m.Services[serviceAt(m, u.Records[i].ID)]
		updateRecord(m, r, &u.Records[i])
		r.Updated = max(r.Updated, u.At)
	}
	dropPasswords(m)
}

// hasRecords reports that the member has all service records that an update names.
func hasRecords(m *domain.Member, u *domain.UpdateMember) bool {
	return !slices.ContainsFunc(u.Records, func(r domain.RecordUpdate) bool { return serviceAt(m, r.ID) < 0 })
}

// serviceAt is the place of a member's service record; -1: it has none of that id.
func serviceAt(m *domain.Member, id uint64) int {
	return slices.IndexFunc(m.Services, func(r domain.ServiceRecord) bool { return r.ID == id })
}

func updateRecord(m *domain.Member, r *domain.ServiceRecord, u *domain.RecordUpdate) {
	r.Fields = r.Fields.With(u.Given)
	if u.NoClaim || !u.Verified.IsZero() {
		r.Verified = u.Verified
	}
	if u.Validity != domain.ValidityStays {
		r.Invalid = u.Validity == domain.TokenRefused
	}
	if u.Login.IsZero() || u.Login == r.Identity {
		return
	}
	hash := m.Password(r.Identity)
	if hash != "" && m.Password(u.Login) == "" {
		m.Passwords = append(slices.Clone(m.Passwords), domain.Password{Address: u.Login, Hash: hash})
	}
	r.Identity = u.Login
}

// dropPasswords drops the passwords of addresses that no service record has.
func dropPasswords(m *domain.Member) {
	m.Passwords = slices.DeleteFunc(slices.Clone(m.Passwords), func(p domain.Password) bool {
		return !Holds(m, p.Address)
	})
	if len(m.Passwords) == 0 {
		m.Passwords = nil
	}
}

// RemoveService takes a service record from the member.
func RemoveService(dst []domain.Change, s *State, c *domain.RemoveService) ([]domain.Change, UpdateEnd) {
	at := serviceAt(&s.Member, c.Record)
	switch {
	case !s.Member.Personal.Takes(&c.Personal):
		return s.Outdated(dst, &c.Personal), UpdateOutdated
	case at < 0:
		return dst, UpdateUnknown
	case len(s.Member.Services) == 1:
		return dst, UpdateLast
	}
	return s.change(dst, func(m *domain.Member) {
		gone := domain.RemovedRecord{ID: c.Record, Service: m.Services[at].Service}
		m.Removed = append(slices.Clone(m.Removed), gone)
		m.Services = slices.Delete(slices.Clone(m.Services), at, at+1)
		m.Updated = max(m.Updated, c.At)
		putPersonal(m, &c.Personal)
		dropPasswords(m)
	}), Updated
}

// ResetPassword replaces the password of an address that the member logs in with, if one is given, and
// its access token.
func ResetPassword(dst []domain.Change, s *State, c *domain.ResetPassword) ([]domain.Change, UpdateEnd) {
	switch {
	case !s.Member.Personal.Takes(&c.Personal):
		return s.Outdated(dst, &c.Personal), UpdateOutdated
	case !c.Address.IsZero() && !Holds(&s.Member, c.Address):
		return dst, UpdateUnknown
	}
	return s.change(dst, func(m *domain.Member) {
		if !c.Address.IsZero() {
			replacePassword(m, c.Address, c.Password)
		}
		m.TokenHash = c.TokenHash
		m.TokenMade = max(c.At/1000, m.TokenMade+1) // it rises: a jwt made under the one before is older
		m.Updated = max(m.Updated, c.At)
		putPersonal(m, &c.Personal)
	}), Updated
}
