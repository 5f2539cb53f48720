package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func memberToWire(m *domain.Member) *schema.Member {
	return &schema.Member{
		Id:          uint64(m.ID),
		Account:     uint32(m.Account),
		Ordinal:     uint32(m.Ord),
		Application: uint32(m.Application),
		State:       uint32(m.State),
		Created:     m.Created,
		Uuid:        block(m.UUID[:]),
		TokenHash:   block(m.TokenHash[:]),
		TokenMade:   m.TokenMade,
		Profile:     fieldsToWire(m.Profile, false),
		Services:    list(m.Services, serviceToWire),
		Email:       block(m.Email[:]),
		Passwords:   list(m.Passwords, passwordToWire),
		Opts:        list(m.Opts, optToWire),
		Pending:     list(m.Pending, pendingToWire),
		Personal:    personalToWire(m),
	}
}

func memberFromWire(c *checker, m *schema.Member) domain.Member {
	out := domain.Member{
		ID:          domain.MemberID(m.Id),
		Account:     domain.AccountID(m.Account),
		Ord:         domain.Ordinal(m.Ordinal),
		Application: domain.ApplicationID(m.Application),
		State:       small[domain.MemberState](c, m.State),
		Created:     m.Created,
		UUID:        c.id(m.Uuid),
		TokenHash:   c.id(m.TokenHash),
		TokenMade:   m.TokenMade,
		Profile:     fieldsFromWire(c, m.Profile, false),
		Services:    listFrom(c, m.Services, serviceFromWire),
		Email:       c.id(m.Email),
		Passwords:   listFrom(c, m.Passwords, passwordFromWire),
		Opts:        listFrom(c, m.Opts, optFromWire),
		Pending:     listFrom(c, m.Pending, pendingFromWire),
	}
	addPersonalMember(c, &out, m.Personal)
	return out
}

// personalToWire is the personal part of a member; nil: there is none.
func personalToWire(m *domain.Member) *schema.Personal {
	p := &schema.Personal{
		TokenRandom: block(m.TokenRandom[:]),
		Profile:     fieldsToWire(m.Profile, true),
		Services: list(m.Services, func(s *domain.ServiceRecord) *schema.PersonalService {
			return &schema.PersonalService{Uid: s.UID, PartnerId: s.PartnerID, Fields: fieldsToWire(s.Fields, true)}
		}),
		Pending: list(m.Pending, func(p *domain.PendingRegistration) *schema.PersonalRegistration {
			if r := personalRegistrationToWire(&p.Register); r != nil {
				return r
			}
			return new(schema.PersonalRegistration)
		}),
	}
	if encoder.Size(p) == 0 {
		return nil
	}
	return p
}

// addPersonalMember adds what belongs to the services and registrations decoded before.
func addPersonalMember(c *checker, m *domain.Member, p *schema.Personal) {
	if len(p.GetServices()) != len(m.Services) || len(p.GetPending()) != len(m.Pending) {
		c.bad = true
		return
	}
	c.fixed(m.TokenRandom[:], p.GetTokenRandom())
	m.Profile = addPersonal(c, m.Profile, p.GetProfile())
	for i, one := range p.GetServices() {
		s := &m.Services[i]
		s.UID = one.Uid
		s.PartnerID = one.PartnerId
		s.Fields = addPersonal(c, s.Fields, one.Fields)
	}
	for i, one := range p.GetPending() {
		addPersonalRegistration(c, &m.Pending[i].Register, one)
	}
}

func serviceToWire(s *domain.ServiceRecord) *schema.Service {
	return &schema.Service{
		Id:          s.ID,
		Application: uint32(s.Application),
		Service:     uint32(s.Service),
		Identity:    block(s.Identity[:]),
		Partner:     block(s.Partner[:]),
		Username:    block(s.Username[:]),
		Fields:      fieldsToWire(s.Fields, false),
		PartnerCode: s.PartnerCode,
		Domains:     s.Domains,
		Created:     s.Created,
		Updated:     s.Updated,
		LastLogin:   s.LastLogin,
		Invalid:     s.Invalid,
		Visited:     s.Visited,
	}
}

func serviceFromWire(c *checker, m *schema.Service) domain.ServiceRecord {
	return domain.ServiceRecord{
		ID:          m.Id,
		Application: domain.ApplicationID(m.Application),
		Service:     small[domain.Service](c, m.Service),
		Identity:    c.id(m.Identity),
		Partner:     c.id(m.Partner),
		Username:    c.id(m.Username),
		Fields:      fieldsFromWire(c, m.Fields, false),
		PartnerCode: m.PartnerCode,
		Domains:     m.Domains,
		Created:     m.Created,
		Updated:     m.Updated,
		LastLogin:   m.LastLogin,
		Invalid:     m.Invalid,
		Visited:     m.Visited,
	}
}

func passwordToWire(p *domain.Password) *schema.Password {
	return &schema.Password{Address: block(p.Address[:]), Hash: p.Hash, Wrong: p.Wrong, Locked: p.Locked}
}

func passwordFromWire(c *checker, m *schema.Password) domain.Password {
	return domain.Password{Address: c.id(m.Address), Hash: m.Hash, Wrong: m.Wrong, Locked: m.Locked}
}

func optToWire(o *domain.OptState) *schema.Opt {
	return &schema.Opt{Kind: uint32(o.Kind), Id: o.ID, In: o.In, Out: o.Out, Listed: o.Listed, At: o.At}
}

func optFromWire(c *checker, m *schema.Opt) domain.OptState {
	opt := domain.Opt{Kind: small[domain.OptKind](c, m.Kind), ID: m.Id}
	return domain.OptState{Opt: opt, In: m.In, Out: m.Out, Listed: m.Listed, At: m.At}
}

func pendingToWire(p *domain.PendingRegistration) *schema.Pending {
	return &schema.Pending{
		Ticket:   p.Ticket,
		Asked:    block(p.Asked[:]),
		Register: registrationToWire(&p.Register),
		Claims:   list(p.Claims, pendingClaimToWire),
	}
}

func pendingFromWire(c *checker, m *schema.Pending) domain.PendingRegistration {
	p := domain.PendingRegistration{
		Ticket: m.Ticket,
		Asked:  c.id(m.Asked),
		Claims: listFrom(c, m.Claims, pendingClaimFromWire),
	}
	if m.Register.GetPersonal() != nil {
		c.bad = true
	}
	if m.Register != nil {
		p.Register = registrationFromWire(c, m.Register)
	}
	return p
}

func pendingClaimToWire(p *domain.PendingClaim) *schema.PendingClaim {
	return &schema.PendingClaim{Identity: block(p.Identity[:]), Type: uint32(p.Type), Granted: p.Granted}
}

func pendingClaimFromWire(c *checker, m *schema.PendingClaim) domain.PendingClaim {
	return domain.PendingClaim{
		Identity: c.id(m.Identity), Type: small[domain.IdentityKind](c, m.Type), Granted: m.Granted,
	}
}
