package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Wants are the identities that a registration needs and the member has not; nil
// is a member that is to be.
func Wants(m *domain.Member, c *domain.RegisterMember) []domain.PendingClaim {
	return slices.DeleteFunc(Names(c), func(i domain.PendingClaim) bool { return m != nil && Holds(m, i.Identity) })
}

// Names are the identities that a registration gives its member, as claims not granted yet.
func Names(c *domain.RegisterMember) []domain.PendingClaim {
	names := []domain.PendingClaim{{Identity: c.Identity, Type: c.Claims()}, {Identity: c.Partner, Type: domain.ByPartner}}
	return slices.DeleteFunc(names, func(i domain.PendingClaim) bool { return i.Identity.IsZero() })
}

// PendingNames are the identities that a registration or an update that waits gives its member,
// as claims not granted yet.
func PendingNames(p *domain.PendingRegistration) []domain.PendingClaim {
	if p.Update != nil {
		return updateNames(p.Update)
	}
	return Names(&p.Register)
}

// Holds reports that a service record of the member has the identity.
func Holds(m *domain.Member, identity domain.IdentityHash) bool {
	return slices.ContainsFunc(m.Services, func(r domain.ServiceRecord) bool {
		return r.Identity == identity || r.Partner == identity || r.Verified == identity
	})
}

// Needs reports that the identity is the member's to keep: a service record has it, or a
// registration or update that waits does, whether it claims the identity or the member held it
// already.
func Needs(m *domain.Member, identity domain.IdentityHash) bool {
	return Holds(m, identity) || slices.ContainsFunc(m.Pending, func(p domain.PendingRegistration) bool {
		return slices.ContainsFunc(PendingNames(&p), func(c domain.PendingClaim) bool { return c.Identity == identity })
	})
}

// Identities are the claims that the member's service records hold, each once.
func Identities(m *domain.Member) []domain.Identity {
	var out []domain.Identity
	put := func(hash domain.IdentityHash, kind domain.IdentityKind) {
		i := domain.Identity{Hash: hash, Kind: kind, State: domain.Held, Member: m.ID}
		if !hash.IsZero() && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for i := range m.Services {
		r := &m.Services[i]
		if r.Service == domain.Email {
			put(r.Identity, domain.ByLogin)
		} else {
			put(r.Identity, domain.ByService)
		}
		put(r.Partner, domain.ByPartner)
		put(r.Verified, domain.ByVerifiedEmail)
	}
	return out
}

// Pointed is an identity that points to the member.
type Pointed struct {
	Kind domain.IdentityKind
	Hash domain.IdentityHash
}

// Pointers are the identities that point to the member, each once. None points to a
// member that is not active.
func Pointers(m *domain.Member) []Pointed {
	if m.State != domain.MemberActive {
		return nil
	}
	var out []Pointed
	put := func(p Pointed) {
		if !p.Hash.IsZero() && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	put(Pointed{domain.ByEmail, m.Email})
	for i := range m.Services {
		put(Pointed{domain.ByUsername, m.Services[i].Username})
	}
	return out
}

// Await notes a registration some of whose claims other shards decide. A member that
// is to come into being by it is pending: in no answer, and what it does is parked.
func (s *State) Await(dst []domain.Change, p domain.PendingRegistration, isNew bool) []domain.Change {
	return s.change(dst, func(m *domain.Member) {
		m.Pending = append(slices.Clone(m.Pending), p)
		if isNew {
			m.State = domain.MemberPending
		}
	})
}

// Settled is what an answer to a claim ended.
type Settled struct {
	Ended   *domain.PendingRegistration // nil: nothing yet
	Granted bool                        // it was applied; else it left nothing
	Again   bool                        // not: its address got a password, or the member another personal part, meanwhile
	IsNew   bool                        // the member came into being by it, or did not: what is parked for it is due
}

// Settle takes the answer to a claim. The registration or update it is for is applied once all
// its claims are granted, and released when one is taken; answers that come after
// that end nothing. record is the id of a new service record.
func (s *State) Settle(dst []domain.Change, c *domain.Claim, record uint64) ([]domain.Change, Settled) {
	at := slices.IndexFunc(s.Member.Pending, func(p domain.PendingRegistration) bool { return p.Ticket == c.Ticket })
	if at < 0 {
		return dst, Settled{}
	}
	p := s.Member.Pending[at]
	p.Claims = slices.Clone(p.Claims)
	granted := c.Step == domain.ClaimGranted
	for i := range p.Claims {
		if p.Claims[i].Identity == c.Identity {
			p.Claims[i].Granted = granted
		}
	}
	if granted && slices.ContainsFunc(p.Claims, func(c domain.PendingClaim) bool { return !c.Granted }) {
		return s.change(dst, func(m *domain.Member) {
			m.Pending = slices.Clone(m.Pending)
			m.Pending[at] = p
		}), Settled{}
	}
	end := Settled{Ended: &p, Granted: granted, IsNew: s.Member.State == domain.MemberPending}
	if granted && (changedMeanwhile(&s.Member, &p) || !s.Member.Personal.Takes(p.Personal())) {
		end.Granted = false
		end.Again = true
		dst = s.Outdated(dst, p.Personal())
	}
	dst = s.change(dst, func(m *domain.Member) {
		m.Pending = slices.Delete(slices.Clone(m.Pending), at, at+1)
		if end.IsNew {
			m.State = domain.MemberRefused
		}
		switch {
		case !end.Granted:
		case p.Update != nil:
			update(m, p.Update)
		default:
			m.State = domain.MemberActive
			register(m, &p.Register, record)
		}
	})
	return dst, end
}

// changedMeanwhile reports that the address of a registration that waited got another password, or
// that a service record of an update that waited is gone.
func changedMeanwhile(m *domain.Member, p *domain.PendingRegistration) bool {
	if p.Update != nil {
		return !hasRecords(m, p.Update)
	}
	there := m.Password(p.Register.Identity)
	return there != "" && there != p.Register.Password
}
