package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func updateToWire(u *domain.UpdateMember) *schema.UpdateMember {
	return &schema.UpdateMember{
		Member:   uint64(u.Member),
		Email:    block(u.Email[:]),
		Given:    fieldsToWire(u.Given, false),
		Records:  list(u.Records, recordUpdateToWire),
		Personal: putToWire(&u.Personal),
		At:       u.At,
	}
}

func updateFromWire(c *checker, m *schema.UpdateMember) domain.UpdateMember {
	return domain.UpdateMember{
		Member:   domain.MemberID(m.Member),
		Email:    c.id(m.Email),
		Given:    fieldsFromWire(c, m.Given, false),
		Records:  listFrom(c, m.Records, recordUpdateFromWire),
		Personal: putFromWire(c, m.Personal),
		At:       m.At,
	}
}

func recordUpdateToWire(u *domain.RecordUpdate) *schema.RecordUpdate {
	return &schema.RecordUpdate{
		Id:       u.ID,
		Given:    fieldsToWire(u.Given, false),
		Login:    block(u.Login[:]),
		Verified: block(u.Verified[:]),
		NoClaim:  u.NoClaim,
		Validity: uint32(u.Validity),
	}
}

func recordUpdateFromWire(c *checker, m *schema.RecordUpdate) domain.RecordUpdate {
	return domain.RecordUpdate{
		ID:       m.Id,
		Given:    fieldsFromWire(c, m.Given, false),
		Login:    c.id(m.Login),
		Verified: c.id(m.Verified),
		NoClaim:  m.NoClaim,
		Validity: small[domain.Validity](c, m.Validity),
	}
}

func removeServiceToWire(r *domain.RemoveService) *schema.RemoveService {
	return &schema.RemoveService{
		Member: uint64(r.Member), Record: r.Record, Personal: putToWire(&r.Personal), At: r.At,
	}
}

func removeServiceFromWire(c *checker, m *schema.RemoveService) domain.RemoveService {
	return domain.RemoveService{
		Member: domain.MemberID(m.Member), Record: m.Record, Personal: putFromWire(c, m.Personal), At: m.At,
	}
}

func resetPasswordToWire(r *domain.ResetPassword) *schema.ResetPassword {
	return &schema.ResetPassword{
		Member:    uint64(r.Member),
		Address:   block(r.Address[:]),
		Password:  r.Password,
		TokenHash: block(r.TokenHash[:]),
		Personal:  putToWire(&r.Personal),
		At:        r.At,
	}
}

func resetPasswordFromWire(c *checker, m *schema.ResetPassword) domain.ResetPassword {
	return domain.ResetPassword{
		Member:    domain.MemberID(m.Member),
		Address:   c.id(m.Address),
		Password:  m.Password,
		TokenHash: c.id(m.TokenHash),
		Personal:  putFromWire(c, m.Personal),
		At:        m.At,
	}
}
