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
		Personal:    partToWire(&m.Personal),
		Updated:     m.Updated,
		Removed:     list(m.Removed, removedToWire),
		Absorbed:    list(m.Absorbed, absorbedToWire),
		Lent:        loanToWire(m.Lent),
		HandedOver:  uint32(m.HandedOver),
	}
}

func memberFromWire(c *checker, m *schema.Member) domain.Member {
	return domain.Member{
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
		Personal:    partFromWire(c, m.Personal),
		Updated:     m.Updated,
		Removed:     listFrom(c, m.Removed, removedFromWire),
		Absorbed:    listFrom(c, m.Absorbed, absorbedFromWire),
		Lent:        loanFromWire(m.Lent),
		HandedOver:  domain.Second(m.HandedOver),
	}
}

func removedToWire(r *domain.RemovedRecord) *schema.RemovedRecord {
	return &schema.RemovedRecord{Id: r.ID, Service: uint32(r.Service)}
}

func removedFromWire(c *checker, m *schema.RemovedRecord) domain.RemovedRecord {
	return domain.RemovedRecord{ID: m.Id, Service: small[domain.Service](c, m.Service)}
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
		Verified:    block(s.Verified[:]),
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
		Verified:    c.id(m.Verified),
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
	m := &schema.Pending{Ticket: p.Ticket, Asked: block(p.Asked[:]), Claims: list(p.Claims, pendingClaimToWire)}
	if register := registerToWire(&p.Register); encoder.Size(register) > 0 {
		m.Register = register
	}
	if p.Update != nil {
		m.Update = updateToWire(p.Update)
	}
	return m
}

func pendingFromWire(c *checker, m *schema.Pending) domain.PendingRegistration {
	p := domain.PendingRegistration{
		Ticket: m.Ticket,
		Asked:  c.id(m.Asked),
		Claims: listFrom(c, m.Claims, pendingClaimFromWire),
	}
	if m.Register != nil {
		p.Register = registerFromWire(c, m.Register)
	}
	if m.Update != nil {
		update := updateFromWire(c, m.Update)
		p.Update = &update
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
