package codec

import "github.com/ovation-analytics/ovation/actors/domain"

func (w *writer) pending(p *domain.PendingRegistration) {
	at := w.open(15)
	w.uint(1, p.Ticket)
	w.block(2, p.Asked[:])
	register := w.open(3)
	w.registration(&p.Register)
	w.close(register)
	for i := range p.Claims {
		c := &p.Claims[i]
		claim := w.open(4)
		w.block(1, c.Identity[:])
		w.uint(2, uint64(c.Type))
		w.bool(3, c.Granted)
		w.close(claim)
	}
	w.close(at)
}

func (w *writer) registration(c *domain.RegisterMember) {
	w.uint(1, uint64(c.Application))
	w.block(2, c.Identity[:])
	w.uint(3, uint64(c.Service))
	w.block(4, c.Partner[:])
	w.text(5, c.PartnerCode)
	w.block(6, c.Email[:])
	w.block(7, c.Username[:])
	w.fields(8, c.Given, clearProfile)
	w.fields(9, c.Record, clearService)
	w.text(10, c.Domain)
	w.text(11, c.Password)
	w.uint(12, uint64(c.Segment))
	w.int(13, c.At)
	w.block(14, c.UUID[:])
	w.block(15, c.TokenHash[:])
}

func (w *writer) personalRegistration(c *domain.RegisterMember) {
	at := w.open(4)
	w.text(1, c.UID)
	w.text(2, c.PartnerID)
	w.fields(3, c.Given, personalProfile)
	w.fields(4, c.Record, personalService)
	w.block(5, c.TokenRandom[:])
	w.close(at)
}

func (r *reader) pending() (p domain.PendingRegistration) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			p.Ticket = f.uint()
		case 2:
			f.block(p.Asked[:])
		case 3:
			f.registration(&p.Register)
		case 4:
			p.Claims = append(p.Claims, f.claim())
		default:
			f.fail()
		}
	}
	return p
}

func (r *reader) claim() (c domain.PendingClaim) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			f.block(c.Identity[:])
		case 2:
			c.Type = domain.IdentityKind(f.uint8())
		case 3:
			c.Granted = f.bool()
		default:
			f.fail()
		}
	}
	return c
}

func (r *reader) registration(c *domain.RegisterMember) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			c.Application = domain.ApplicationID(f.uint32())
		case 2:
			f.block(c.Identity[:])
		case 3:
			c.Service = domain.Service(f.uint8())
		case 4:
			f.block(c.Partner[:])
		case 5:
			c.PartnerCode = f.text()
		case 6:
			f.block(c.Email[:])
		case 7:
			f.block(c.Username[:])
		case 8:
			c.Given = f.fields(c.Given, clearProfile)
		case 9:
			c.Record = f.fields(c.Record, clearService)
		case 10:
			c.Domain = f.text()
		case 11:
			c.Password = f.text()
		case 12:
			c.Segment = domain.SegmentID(f.uint32())
		case 13:
			c.At = f.int()
		case 14:
			f.block(c.UUID[:])
		case 15:
			f.block(c.TokenHash[:])
		default:
			f.fail()
		}
	}
}

func (r *reader) personalRegistration(c *domain.RegisterMember) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			c.UID = f.text()
		case 2:
			c.PartnerID = f.text()
		case 3:
			c.Given = f.fields(c.Given, personalProfile)
		case 4:
			c.Record = f.fields(c.Record, personalService)
		case 5:
			f.block(c.TokenRandom[:])
		default:
			f.fail()
		}
	}
}
