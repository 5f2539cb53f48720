package api

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// update is taken on the personal part that it was made of, where no other member has what it claims.
func (s *fakeEngine) update(c *domain.UpdateMember) domain.Outcome {
	m := s.members[c.Member]
	switch {
	case m == nil:
		return domain.Outcome{Code: domain.NotFound, Message: "there is none"}
	case c.Personal != (domain.PersonalPut{}) && c.Personal.Base != m.Personal.Version:
		return domain.Outcome{Again: true}
	}
	taken := func(hash domain.IdentityHash) bool { return s.names[hash] != 0 && s.names[hash] != m.ID }
	u := *m
	u.Services = slices.Clone(m.Services)
	for _, change := range c.Records {
		at := slices.IndexFunc(u.Services, func(r domain.ServiceRecord) bool { return r.ID == change.ID })
		switch {
		case at < 0:
			return domain.Outcome{Code: domain.NotFound, Parameter: "serviceid", Message: "there is none"}
		case taken(change.Login):
			return domain.Outcome{Code: domain.Conflict, Parameter: "email", Message: "another member has it"}
		case taken(change.Verified):
			return domain.Outcome{Code: domain.Conflict, Parameter: "verified_email", Message: "another member has it"}
		}
	}
	for _, change := range c.Records {
		at := slices.IndexFunc(u.Services, func(r domain.ServiceRecord) bool { return r.ID == change.ID })
		s.updateRecord(&u.Services[at], &change, c)
	}
	u.Profile, _ = u.Profile.With(c.Given).Split()
	for i := range u.Services {
		u.Services[i].Fields, _ = u.Services[i].Fields.Split()
	}
	if u.Email = c.Email; !c.Personal.Key.IsZero() {
		u.Personal = partOf(&c.Personal)
	}
	s.put(&u)
	return domain.Outcome{Member: c.Member}
}

func (s *fakeEngine) updateRecord(r *domain.ServiceRecord, change *domain.RecordUpdate, c *domain.UpdateMember) {
	r.Fields, r.Updated = r.Fields.With(change.Given), c.At
	if change.Validity != domain.ValidityStays {
		r.Invalid = change.Validity == domain.TokenRefused
	}
	move := func(held *domain.IdentityHash, to domain.IdentityHash) {
		delete(s.names, *held)
		if *held = to; !to.IsZero() {
			s.names[to] = c.Member
		}
	}
	if change.NoClaim || !change.Verified.IsZero() {
		move(&r.Verified, change.Verified)
	}
	if !change.Login.IsZero() {
		move(&r.Identity, change.Login)
	}
}

// put stores a member; the one that it is merged into knows it as it is then.
func (s *fakeEngine) put(m *domain.Member) {
	s.members[m.ID] = m
	if !m.IsLent() {
		return
	}
	record, into := *m, *s.members[m.Lent.To]
	record.Lent = nil
	into.Absorbed = slices.Clone(into.Absorbed)
	for i := range into.Absorbed {
		if into.Absorbed[i].Member == m.ID {
			into.Absorbed[i].Record = &record
		}
	}
	s.put(&into)
}
