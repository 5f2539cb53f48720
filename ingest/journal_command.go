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
	case *domain.AttachService:
		w.attach(c)
	case *domain.OptIn:
		w.opt(c.Member, c.Opt, c.At)
	case *domain.OptOut:
		w.opt(c.Member, c.Opt, c.At)
	case *domain.DeleteAction:
		w.uint(1, uint64(c.Member))
		w.uint(2, uint64(c.Action))
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
		c := &domain.RegisterMember{}
		r.register(c)
		return c
	case domain.KindAttach:
		return r.attach()
	case domain.KindOptIn:
		member, opt, at := r.opt()
		return &domain.OptIn{Member: member, Opt: opt, At: at}
	case domain.KindOptOut:
		member, opt, at := r.opt()
		return &domain.OptOut{Member: member, Opt: opt, At: at}
	case domain.KindDelete:
		return r.deleteAction()
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

func (w *writer) claim(c *domain.Claim) {
	w.uint(1, uint64(c.Step))
	w.block16(2, (*[16]byte)(&c.Identity))
	w.uint(3, uint64(c.Type))
	w.uint(4, uint64(c.Member))
	w.block16(5, (*[16]byte)(&c.Asked))
	w.uint(6, c.Ticket)
	w.sint(7, c.Created)
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
		case 6:
			c.Ticket = r.u64()
		case 7:
			c.Created = r.sint()
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
