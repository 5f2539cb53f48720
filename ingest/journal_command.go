package ingest

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// command writes the payload of a command of the journal or the catalog.
func (w *writer) command(c domain.Command) {
	switch c := c.(type) {
	case *domain.RegisterMember:
		w.register(c)
	case *domain.Claim:
		w.claim(c)
	case *domain.Usage:
		w.uint(1, uint64(c.Application))
		w.uint(2, uint64(c.Hour))
		w.fixed64(3, c.Incarnation)
		w.uint(4, c.Total)
	case *domain.Published:
		w.uint(1, c.UpTo)
		w.uint(2, c.DeadUpTo)
	case *domain.Tick:
		w.uint(1, uint64(c.Hour))
	case *domain.Expire:
		w.uint(1, uint64(c.Month))
	case *domain.Rules:
		w.uint(1, uint64(c.Version))
	default:
		w.catalogCommand(c)
	}
}

// command reads the payload of a kind that is known.
func (r *reader) command(kind domain.Kind) domain.Command {
	switch kind {
	case domain.KindRegister:
		return r.register()
	case domain.KindClaim:
		return r.claim()
	case domain.KindUsage:
		return r.usage()
	case domain.KindPublished:
		return r.published()
	case domain.KindTick:
		return &domain.Tick{Hour: r.lone(1, 1<<32-1)}
	case domain.KindExpire:
		return &domain.Expire{Month: domain.Month(r.lone(1, 1<<16-1))}
	case domain.KindRules:
		return &domain.Rules{Version: uint16(r.lone(1, 1<<16-1))}
	}
	return r.catalogCommand(kind)
}

// lone is the number of a message that has no other field.
func (r *reader) lone(num protowire.Number, most uint64) (v uint32) {
	for r.next() {
		if r.num == num {
			v = uint32(r.uint(most))
		}
	}
	return v
}

func (w *writer) register(c *domain.RegisterMember) {
	w.uint(1, uint64(c.Application))
	w.block16(2, (*[16]byte)(&c.Identity))
	w.uint(3, uint64(c.Service))
	w.text(4, c.UID)
	w.block16(5, (*[16]byte)(&c.Partner))
	w.text(6, c.PartnerCode)
	w.text(7, c.PartnerID)
	w.memberFields(8, c.Given)
	w.memberFields(9, c.Record)
	w.text(10, c.Domain)
	w.sint(11, c.At)
	w.block16(12, &c.UUID)
	if c.TokenRandom != [10]byte{} {
		w.block(13, c.TokenRandom[:])
	}
	w.block16(14, &c.TokenHash)
}

func (r *reader) register() *domain.RegisterMember {
	c := &domain.RegisterMember{}
	for r.next() {
		switch r.num {
		case 1:
			c.Application = domain.ApplicationID(r.u32())
		case 2:
			r.block(c.Identity[:])
		case 3:
			c.Service = domain.Service(r.u8())
		case 4:
			c.UID = r.text()
		case 5:
			r.block(c.Partner[:])
		case 6:
			c.PartnerCode = r.text()
		case 7:
			c.PartnerID = r.text()
		case 8:
			c.Given = append(c.Given, r.memberField())
		case 9:
			c.Record = append(c.Record, r.memberField())
		case 10:
			c.Domain = r.text()
		case 11:
			c.At = r.sint()
		case 12:
			r.block(c.UUID[:])
		case 13:
			r.block(c.TokenRandom[:])
		case 14:
			r.block(c.TokenHash[:])
		}
	}
	return c
}

func (w *writer) memberFields(num protowire.Number, fields domain.Fields) {
	for _, f := range fields {
		at := w.open(num)
		w.uint(1, uint64(f.Field))
		w.text(2, f.Value)
		w.close(at)
	}
}

func (r *reader) memberField() (f domain.FieldValue) {
	in := r.message()
	for in.next() {
		switch in.num {
		case 1:
			f.Field = domain.Field(in.u8())
		case 2:
			f.Value = in.text()
		}
	}
	r.done(&in)
	return f
}

func (w *writer) claim(c *domain.Claim) {
	w.uint(1, uint64(c.Step))
	w.block16(2, (*[16]byte)(&c.Identity))
	w.uint(3, uint64(c.Type))
	w.uint(4, uint64(c.Member))
	w.block16(5, (*[16]byte)(&c.Asked))
}

func (r *reader) claim() *domain.Claim {
	c := &domain.Claim{}
	for r.next() {
		switch r.num {
		case 1:
			c.Step = domain.ClaimStep(r.u8())
		case 2:
			r.block(c.Identity[:])
		case 3:
			c.Type = domain.IdentityKind(r.u8())
		case 4:
			c.Member = domain.MemberID(r.u64())
		case 5:
			r.block(c.Asked[:])
		}
	}
	return c
}

func (r *reader) usage() *domain.Usage {
	c := &domain.Usage{}
	for r.next() {
		switch r.num {
		case 1:
			c.Application = domain.ApplicationID(r.u32())
		case 2:
			c.Hour = r.u32()
		case 3:
			c.Incarnation = r.fixed64()
		case 4:
			c.Total = r.u64()
		}
	}
	return c
}

func (r *reader) published() *domain.Published {
	c := &domain.Published{}
	for r.next() {
		switch r.num {
		case 1:
			c.UpTo = r.u64()
		case 2:
			c.DeadUpTo = r.u64()
		}
	}
	return c
}
