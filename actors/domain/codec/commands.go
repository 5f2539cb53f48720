package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func registerToWire(r *domain.RegisterMember) *schema.RegisterMember {
	return &schema.RegisterMember{
		Application: uint32(r.Application),
		Identity:    block(r.Identity[:]),
		Service:     uint32(r.Service),
		Partner:     block(r.Partner[:]),
		PartnerCode: r.PartnerCode,
		Email:       block(r.Email[:]),
		Username:    block(r.Username[:]),
		Given:       fieldsToWire(r.Given, false),
		Record:      fieldsToWire(r.Record, false),
		Domain:      r.Domain,
		Password:    r.Password,
		Segment:     uint32(r.Segment),
		At:          r.At,
		Uuid:        block(r.UUID[:]),
		TokenHash:   block(r.TokenHash[:]),
		Personal:    putToWire(&r.Personal),
		Visit:       visitToWire(&r.Visit),
	}
}

func registerFromWire(c *checker, m *schema.RegisterMember) domain.RegisterMember {
	return domain.RegisterMember{
		Application: domain.ApplicationID(m.Application),
		Identity:    c.id(m.Identity),
		Service:     small[domain.Service](c, m.Service),
		Partner:     c.id(m.Partner),
		PartnerCode: m.PartnerCode,
		Email:       c.id(m.Email),
		Username:    c.id(m.Username),
		Given:       fieldsFromWire(c, m.Given, false),
		Record:      fieldsFromWire(c, m.Record, false),
		Domain:      m.Domain,
		Password:    m.Password,
		Segment:     domain.SegmentID(m.Segment),
		At:          m.At,
		UUID:        c.id(m.Uuid),
		TokenHash:   c.id(m.TokenHash),
		Personal:    putFromWire(c, m.Personal),
		Visit:       visitFromWire(c, m.Visit),
	}
}

func attachToWire(a *domain.AttachService) *schema.AttachService {
	m := &schema.AttachService{Member: uint64(a.Member), Met: a.Met, Asked: block(a.Asked[:])}
	if register := registerToWire(&a.Register); encoder.Size(register) > 0 {
		m.Register = register
	}
	return m
}

func attachFromWire(c *checker, m *schema.AttachService) domain.AttachService {
	a := domain.AttachService{Member: domain.MemberID(m.Member), Met: m.Met, Asked: c.id(m.Asked)}
	if m.Register != nil {
		a.Register = registerFromWire(c, m.Register)
	}
	return a
}

func optInToWire(o *domain.OptIn) *schema.OptIn {
	return &schema.OptIn{Member: uint64(o.Member), Kind: uint32(o.Opt.Kind), Id: o.Opt.ID, At: o.At}
}

func optInFromWire(c *checker, m *schema.OptIn) domain.OptIn {
	opt := domain.Opt{Kind: small[domain.OptKind](c, m.Kind), ID: m.Id}
	return domain.OptIn{Member: domain.MemberID(m.Member), Opt: opt, At: m.At}
}

func optOutToWire(o *domain.OptOut) *schema.OptOut {
	return &schema.OptOut{Member: uint64(o.Member), Kind: uint32(o.Opt.Kind), Id: o.Opt.ID, At: o.At}
}

func optOutFromWire(c *checker, m *schema.OptOut) domain.OptOut {
	opt := domain.Opt{Kind: small[domain.OptKind](c, m.Kind), ID: m.Id}
	return domain.OptOut{Member: domain.MemberID(m.Member), Opt: opt, At: m.At}
}

func deleteActionToWire(d *domain.DeleteAction) *schema.DeleteAction {
	return &schema.DeleteAction{Member: uint64(d.Member), Action: uint64(d.Action)}
}

func deleteActionFromWire(_ *checker, m *schema.DeleteAction) domain.DeleteAction {
	return domain.DeleteAction{Member: domain.MemberID(m.Member), Action: domain.ActionID(m.Action)}
}

func eraseToWire(e *domain.EraseMember) *schema.EraseMember {
	return &schema.EraseMember{Member: uint64(e.Member), At: e.At, GoneBy: e.GoneBy}
}

func eraseFromWire(_ *checker, m *schema.EraseMember) domain.EraseMember {
	return domain.EraseMember{Member: domain.MemberID(m.Member), At: m.At, GoneBy: m.GoneBy}
}

func claimToWire(cl *domain.Claim) *schema.Claim {
	return &schema.Claim{
		Step:     uint32(cl.Step),
		Identity: block(cl.Identity[:]),
		Type:     uint32(cl.Type),
		Member:   uint64(cl.Member),
		Asked:    block(cl.Asked[:]),
		Ticket:   cl.Ticket,
		Created:  cl.Created,
	}
}

func claimFromWire(c *checker, m *schema.Claim) domain.Claim {
	return domain.Claim{
		Step:     small[domain.ClaimStep](c, m.Step),
		Identity: c.id(m.Identity),
		Type:     small[domain.IdentityKind](c, m.Type),
		Member:   domain.MemberID(m.Member),
		Asked:    c.id(m.Asked),
		Ticket:   m.Ticket,
		Created:  m.Created,
	}
}

func usageToWire(u *domain.Usage) *schema.Usage {
	return &schema.Usage{
		Application: uint32(u.Application), Hour: u.Hour, Incarnation: u.Incarnation, Total: u.Total, Taken: u.Taken,
	}
}

func usageFromWire(_ *checker, m *schema.Usage) domain.Usage {
	return domain.Usage{
		Application: domain.ApplicationID(m.Application), Hour: m.Hour, Incarnation: m.Incarnation, Total: m.Total, Taken: m.Taken,
	}
}

func publishedToWire(p *domain.Published) *schema.Published {
	return &schema.Published{
		UpTo: p.UpTo, DeadUpTo: p.DeadUpTo, KeysUpTo: p.KeysUpTo, Partition: p.Partition, Node: block(p.Node[:]),
		Kinds: p.Kinds,
	}
}

func publishedFromWire(c *checker, m *schema.Published) domain.Published {
	return domain.Published{
		UpTo: m.UpTo, DeadUpTo: m.DeadUpTo, KeysUpTo: m.KeysUpTo, Partition: m.Partition, Node: c.id(m.Node),
		Kinds: m.Kinds,
	}
}

func tickToWire(t *domain.Tick) *schema.Tick {
	return &schema.Tick{Hour: t.Hour, Partition: t.Partition}
}

func tickFromWire(_ *checker, m *schema.Tick) domain.Tick {
	return domain.Tick{Hour: m.Hour, Partition: m.Partition}
}

func expireToWire(e *domain.Expire) *schema.Expire {
	return &schema.Expire{Month: uint32(e.Month), Partition: e.Partition}
}

func expireFromWire(c *checker, m *schema.Expire) domain.Expire {
	return domain.Expire{Month: small[domain.Month](c, m.Month), Partition: m.Partition}
}

func rulesToWire(r *domain.Rules) *schema.Rules {
	return &schema.Rules{Version: uint32(r.Version), Partition: r.Partition}
}

func rulesFromWire(c *checker, m *schema.Rules) domain.Rules {
	return domain.Rules{Version: small[uint16](c, m.Version), Partition: m.Partition}
}
