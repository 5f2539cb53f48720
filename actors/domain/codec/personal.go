package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func partToWire(p *domain.PersonalPart) *schema.PersonalPart {
	m := &schema.PersonalPart{
		Key: block(p.Key[:]), Data: []byte(p.Data), Version: p.Version, Has: p.Has, Born: uint32(p.Born),
	}
	m.Keys = keysToWire(p.Keys)
	if encoder.Size(m) == 0 {
		return nil
	}
	return m
}

func partFromWire(c *checker, m *schema.PersonalPart) (p domain.PersonalPart) {
	if m == nil {
		return p
	}
	p = domain.PersonalPart{
		Sealed:  domain.Sealed{Key: c.id(m.Key), Data: string(m.Data)},
		Version: m.Version, Has: m.Has, Born: small[uint16](c, m.Born),
	}
	p.Keys = keysFromWire(c, m.Keys)
	return p
}

func keysToWire(keys []domain.KeyID) (out [][]byte) {
	for i := range keys {
		out = append(out, keys[i][:])
	}
	return out
}

func keysFromWire(c *checker, keys [][]byte) (out []domain.KeyID) {
	for _, key := range keys {
		var id domain.KeyID
		c.fixed(id[:], key)
		out = append(out, id)
	}
	return out
}

func putToWire(p *domain.PersonalPut) *schema.PersonalPut {
	m := &schema.PersonalPut{
		Base: p.Base, Key: block(p.Key[:]), Data: []byte(p.Data), Has: p.Has, Born: uint32(p.Born),
	}
	if encoder.Size(m) == 0 {
		return nil
	}
	return m
}

func putFromWire(c *checker, m *schema.PersonalPut) domain.PersonalPut {
	if m == nil {
		return domain.PersonalPut{}
	}
	return domain.PersonalPut{
		Base: m.Base, Sealed: domain.Sealed{Key: c.id(m.Key), Data: string(m.Data)},
		Has: m.Has, Born: small[uint16](c, m.Born),
	}
}

func personalToWire(p *domain.Personal) *schema.Personal {
	return &schema.Personal{
		TokenRandom: block(p.TokenRandom[:]),
		Profile:     fieldsToWire(p.Profile, true),
		Services: list(p.Services, func(s *domain.PersonalService) *schema.PersonalService {
			return &schema.PersonalService{
				Application: uint32(s.Application), Identity: block(s.Identity[:]),
				Uid: s.UID, PartnerId: s.PartnerID, Fields: fieldsToWire(s.Fields, true),
			}
		}),
	}
}

func personalFromWire(c *checker, m *schema.Personal) domain.Personal {
	p := domain.Personal{
		Profile: fieldsFromWire(c, m.Profile, true),
		Services: listFrom(c, m.Services, func(c *checker, s *schema.PersonalService) domain.PersonalService {
			return domain.PersonalService{
				Application: domain.ApplicationID(s.Application), Identity: c.id(s.Identity),
				UID: s.Uid, PartnerID: s.PartnerId, Fields: fieldsFromWire(c, s.Fields, true),
			}
		}),
	}
	c.fixed(p.TokenRandom[:], m.TokenRandom)
	return p
}
