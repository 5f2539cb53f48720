package ingest

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

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
	w.block16(15, (*[16]byte)(&c.Email))
	w.block16(16, (*[16]byte)(&c.Username))
	w.text(17, c.Password)
	w.uint(18, uint64(c.Segment))
}

func (r *reader) register(c *domain.RegisterMember) {
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
		case 15:
			r.block(c.Email[:])
		case 16:
			r.block(c.Username[:])
		case 17:
			c.Password = r.text()
		case 18:
			c.Segment = domain.SegmentID(r.u32())
		}
	}
}

func (w *writer) attach(c *domain.AttachService) {
	w.uint(1, uint64(c.Member))
	at := w.open(2)
	w.register(&c.Register)
	w.close(at)
	w.bool(3, c.Met)
	w.block16(4, (*[16]byte)(&c.Asked))
}

func (r *reader) attach() *domain.AttachService {
	c := &domain.AttachService{}
	for r.next() {
		switch r.num {
		case 1:
			c.Member = domain.MemberID(r.u64())
		case 2:
			in := r.message()
			in.register(&c.Register)
			r.done(&in)
		case 3:
			c.Met = r.bool()
		case 4:
			r.block(c.Asked[:])
		}
	}
	return c
}

func (w *writer) opt(member domain.MemberID, o domain.Opt, at int64) {
	w.uint(1, uint64(member))
	w.uint(2, uint64(o.Kind))
	w.uint(3, uint64(o.ID))
	w.sint(4, at)
}

func (r *reader) opt() (member domain.MemberID, o domain.Opt, at int64) {
	for r.next() {
		switch r.num {
		case 1:
			member = domain.MemberID(r.u64())
		case 2:
			o.Kind = domain.OptKind(r.u8())
		case 3:
			o.ID = r.u32()
		case 4:
			at = r.sint()
		}
	}
	return member, o, at
}

func (r *reader) deleteAction() *domain.DeleteAction {
	c := &domain.DeleteAction{}
	for r.next() {
		switch r.num {
		case 1:
			c.Member = domain.MemberID(r.u64())
		case 2:
			c.Action = domain.ActionID(r.u64())
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
