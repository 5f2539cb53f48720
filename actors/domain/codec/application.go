package codec

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func applicationToWire(a *domain.Application) *schema.Application {
	return &schema.Application{
		Id:        uint32(a.ID),
		Account:   uint32(a.Account),
		Name:      a.Name,
		Plan:      uint32(a.Plan),
		Created:   a.Created,
		Domains:   a.Domains,
		Addresses: addressesToWire(a.Addresses),
	}
}

func applicationFromWire(c *checker, m *schema.Application) domain.Application {
	return domain.Application{
		ID:        domain.ApplicationID(m.Id),
		Account:   domain.AccountID(m.Account),
		Name:      m.Name,
		Plan:      small[domain.Plan](c, m.Plan),
		Created:   m.Created,
		Domains:   m.Domains,
		Addresses: addressesFromWire(c, m.Addresses),
	}
}

// addressesToWire is the addresses in the order of their names.
func addressesToWire(all domain.Addresses) []*schema.Address {
	var out []*schema.Address
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, &schema.Address{Name: name, Value: all[name]})
	}
	return out
}

// addressesFromWire reads addresses whose names ascend.
func addressesFromWire(c *checker, all []*schema.Address) domain.Addresses {
	if len(all) == 0 {
		return nil
	}
	out := make(domain.Addresses, len(all))
	for i, a := range all {
		if i > 0 && a.Name <= all[i-1].Name {
			c.bad = true
		}
		out[a.Name] = a.Value
	}
	return out
}

func allowDomainToWire(a *domain.AllowDomain) *schema.AllowDomain {
	return &schema.AllowDomain{Application: uint32(a.Application), Domain: a.Domain, At: a.At}
}

func allowDomainFromWire(_ *checker, m *schema.AllowDomain) domain.AllowDomain {
	return domain.AllowDomain{Application: domain.ApplicationID(m.Application), Domain: m.Domain, At: m.At}
}

func unallowDomainToWire(u *domain.UnallowDomain) *schema.UnallowDomain {
	return &schema.UnallowDomain{Application: uint32(u.Application), Domain: u.Domain, At: u.At}
}

func unallowDomainFromWire(_ *checker, m *schema.UnallowDomain) domain.UnallowDomain {
	return domain.UnallowDomain{Application: domain.ApplicationID(m.Application), Domain: m.Domain, At: m.At}
}

func editApplicationToWire(e *domain.EditApplication) *schema.EditApplication {
	return &schema.EditApplication{Id: uint32(e.ID), Given: addressesToWire(e.Given), At: e.At}
}

func editApplicationFromWire(c *checker, m *schema.EditApplication) domain.EditApplication {
	return domain.EditApplication{ID: domain.ApplicationID(m.Id), Given: addressesFromWire(c, m.Given), At: m.At}
}

func addSigningKeyToWire(a *domain.AddSigningKey) *schema.AddSigningKey {
	return &schema.AddSigningKey{Kid: a.KID, Public: block(a.Public[:]), From: a.From, End: a.End, At: a.At}
}

func addSigningKeyFromWire(c *checker, m *schema.AddSigningKey) domain.AddSigningKey {
	a := domain.AddSigningKey{KID: m.Kid, From: m.From, End: m.End, At: m.At}
	c.fixed(a.Public[:], m.Public)
	return a
}

func signingKeyToWire(k *domain.SigningKey) *schema.SigningKey {
	return &schema.SigningKey{
		Kid: k.KID, Public: block(k.Public[:]), From: k.From, Created: k.Created, Ended: k.Ended,
	}
}

func signingKeyFromWire(c *checker, m *schema.SigningKey) domain.SigningKey {
	k := domain.SigningKey{KID: m.Kid, From: m.From, Created: m.Created, Ended: m.Ended}
	c.fixed(k.Public[:], m.Public)
	return k
}
