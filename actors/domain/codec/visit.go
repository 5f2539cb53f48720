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
		Renewed:     l.Renewed,
		Given:       fieldsToWire(l.Given, false),
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
		Renewed:     m.Renewed,
		Given:       fieldsFromWire(c, m.Given, false),
	}
}

// visitToWire is nil for a visit that says nothing.
func visitToWire(v *domain.Visit) *schema.Visit {
	if *v == (domain.Visit{}) {
		return nil
	}
	return &schema.Visit{
		Key:     v.Key,
		Page:    v.Page,
		Country: v.Country,
		Device:  uint32(v.Device),
		DataKey: block(v.Details.Key[:]),
		Details: []byte(v.Details.Data),

		OfSegment: v.OfSegment,
	}
}

func visitFromWire(c *checker, m *schema.Visit) domain.Visit {
	if m == nil {
		return domain.Visit{}
	}
	return domain.Visit{
		Key:     m.Key,
		Page:    m.Page,
		Country: m.Country,
		Device:  small[domain.Device](c, m.Device),
		Details: domain.Sealed{Key: c.id(m.DataKey), Data: string(m.Details)},

		OfSegment: m.OfSegment,
	}
}

func detailsToWire(d *domain.VisitDetails) *schema.VisitDetails {
	return &schema.VisitDetails{
		Ip: d.IP, UserAgent: d.UserAgent, WebPath: d.WebPath, ReferringUrl: d.ReferringURL, Visitor: d.Visitor,
	}
}

func detailsFromWire(_ *checker, m *schema.VisitDetails) domain.VisitDetails {
	return domain.VisitDetails{
		IP: m.Ip, UserAgent: m.UserAgent, WebPath: m.WebPath, ReferringURL: m.ReferringUrl, Visitor: m.Visitor,
	}
}
