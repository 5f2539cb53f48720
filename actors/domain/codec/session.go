package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func linkToWire(l *domain.Link) *schema.Link {
	return &schema.Link{
		Hash: block(l.Hash[:]), Role: uint32(l.Role), Account: uint32(l.Account), Application: uint32(l.Application), Name: l.Name,
		Created: l.Created, Expires: l.Expires, Taken: l.Taken,
	}
}

func linkFromWire(c *checker, m *schema.Link) domain.Link {
	l := domain.Link{
		Role: small[domain.Role](c, m.Role), Account: domain.AccountID(m.Account), Application: domain.ApplicationID(m.Application), Name: m.Name,
		Created: m.Created, Expires: m.Expires, Taken: m.Taken,
	}
	c.fixed(l.Hash[:], m.Hash)
	return l
}

func sessionToWire(s *domain.Session) *schema.Session {
	return &schema.Session{
		Id: block(s.ID[:]), Role: uint32(s.Role), Account: uint32(s.Account), Application: uint32(s.Application), Key: s.Key, Name: s.Name,
		Begun: s.Begun, Renewed: s.Renewed, Ended: s.Ended,
	}
}

func sessionFromWire(c *checker, m *schema.Session) domain.Session {
	return domain.Session{
		ID: c.id(m.Id), Role: small[domain.Role](c, m.Role), Account: domain.AccountID(m.Account), Application: domain.ApplicationID(m.Application),
		Key: m.Key, Name: m.Name, Begun: m.Begun, Renewed: m.Renewed, Ended: m.Ended,
	}
}

func createLinkToWire(l *domain.CreateLink) *schema.CreateLink {
	return &schema.CreateLink{
		Hash: block(l.Hash[:]), Role: uint32(l.Role), Account: uint32(l.Account), Application: uint32(l.Application), Name: l.Name,
		Expires: l.Expires, At: l.At,
	}
}

func createLinkFromWire(c *checker, m *schema.CreateLink) domain.CreateLink {
	l := domain.CreateLink{
		Role: small[domain.Role](c, m.Role), Account: domain.AccountID(m.Account), Application: domain.ApplicationID(m.Application), Name: m.Name,
		Expires: m.Expires, At: m.At,
	}
	c.fixed(l.Hash[:], m.Hash)
	return l
}

func beginSessionToWire(b *domain.BeginSession) *schema.BeginSession {
	return &schema.BeginSession{Id: block(b.ID[:]), Link: block(b.Link[:]), Key: b.Key, At: b.At}
}

func beginSessionFromWire(c *checker, m *schema.BeginSession) domain.BeginSession {
	b := domain.BeginSession{ID: c.id(m.Id), Key: m.Key, At: m.At}
	c.fixed(b.Link[:], m.Link)
	return b
}

func renewSessionToWire(r *domain.RenewSession) *schema.RenewSession {
	return &schema.RenewSession{Id: block(r.ID[:]), At: r.At}
}

func renewSessionFromWire(c *checker, m *schema.RenewSession) domain.RenewSession {
	return domain.RenewSession{ID: c.id(m.Id), At: m.At}
}

func endSessionToWire(e *domain.EndSession) *schema.EndSession {
	return &schema.EndSession{Id: block(e.ID[:]), At: e.At}
}

func endSessionFromWire(c *checker, m *schema.EndSession) domain.EndSession {
	return domain.EndSession{ID: c.id(m.Id), At: m.At}
}

func deedToWire(d *domain.Deed) *schema.Deed {
	return &schema.Deed{
		Offset: d.Offset, At: d.At, Session: block(d.Session[:]), Role: uint32(d.Role), Account: uint32(d.Account),
		Application: uint32(d.Application), Name: d.Name, Did: d.Did,
	}
}

func deedFromWire(c *checker, m *schema.Deed) domain.Deed {
	return domain.Deed{
		Offset: m.Offset, At: m.At, Session: c.id(m.Session), Role: small[domain.Role](c, m.Role), Account: domain.AccountID(m.Account),
		Application: domain.ApplicationID(m.Application), Name: m.Name, Did: m.Did,
	}
}

func noteDeedToWire(n *domain.NoteDeed) *schema.NoteDeed {
	return &schema.NoteDeed{Session: block(n.Session[:]), Did: n.Did}
}

func noteDeedFromWire(c *checker, m *schema.NoteDeed) domain.NoteDeed {
	return domain.NoteDeed{Session: c.id(m.Session), Did: m.Did}
}
