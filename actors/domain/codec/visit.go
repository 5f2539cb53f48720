package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func loginToWire(l *domain.LogIn) *schema.Login {
	return &schema.Login{
		Member:      uint64(l.Member),
		Application: uint32(l.Application),
		Identity:    block(l.Identity[:]),
		Service:     uint32(l.Service),
		Password:    l.Password,
		Rehash:      l.Rehash,
		Domain:      l.Domain,
		Strict:      l.Strict,
		At:          l.At,
		Visit:       visitToWire(&l.Visit),
		Personal:    putToWire(&l.Personal),
	}
}

func loginFromWire(c *checker, m *schema.Login) domain.LogIn {
	return domain.LogIn{
		Member:      domain.MemberID(m.Member),
		Application: domain.ApplicationID(m.Application),
		Identity:    c.id(m.Identity),
		Service:     small[domain.Service](c, m.Service),
		Password:    m.Password,
		Rehash:      m.Rehash,
		Domain:      m.Domain,
		Strict:      m.Strict,
		At:          m.At,
		Visit:       visitFromWire(c, m.Visit),
		Personal:    putFromWire(c, m.Personal),
	}
}

// visitToWire is nil for a visit that says nothing.
func visitToWire(v *domain.Visit) *schema.Visit {
	if *v == (domain.Visit{}) {
		return nil
	}
	return &schema.Visit{
		Key:          v.Key,
		Page:         v.Page,
		WebPath:      v.WebPath,
		ReferringUrl: v.ReferringURL,
		Visitor:      v.Visitor,
		Country:      v.Country,
		Device:       uint32(v.Device),
	}
}

func visitFromWire(c *checker, m *schema.Visit) domain.Visit {
	if m == nil {
		return domain.Visit{}
	}
	return domain.Visit{
		Key:          m.Key,
		Page:         m.Page,
		WebPath:      m.WebPath,
		ReferringURL: m.ReferringUrl,
		Visitor:      m.Visitor,
		Country:      m.Country,
		Device:       small[domain.Device](c, m.Device),
	}
}
