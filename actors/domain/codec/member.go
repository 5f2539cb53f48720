package codec

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

//go:generate go tool -modfile=../../../deploy/tools.mod buf generate
//go:generate go tool -modfile=../../../deploy/tools.mod gofumpt -w schema/member.pb.go

// AppendMember appends a member.
func AppendMember(dst []byte, m *domain.Member) ([]byte, error) {
	w := writer{dst}
	w.uint(1, uint64(m.ID))
	w.uint(2, uint64(m.Account))
	w.uint(3, uint64(m.Ord))
	w.uint(4, uint64(m.Application))
	w.uint(5, uint64(m.State))
	w.int(6, m.Created)
	w.block(7, m.UUID[:])
	w.block(8, m.TokenHash[:])
	w.int(9, m.TokenMade)
	w.fields(10, m.Profile, clearProfile)
	for i := range m.Services {
		w.service(&m.Services[i])
	}
	w.block(12, m.Email[:])
	for i := range m.Passwords {
		w.password(&m.Passwords[i])
	}
	for i := range m.Opts {
		w.opt(&m.Opts[i])
	}
	for i := range m.Pending {
		w.pending(&m.Pending[i])
	}
	w.personal(m)
	return w.b, known(m)
}

// known fails on a field that the schema does not have.
func known(m *domain.Member) error {
	err := knownFields(m.Profile, clearProfile, personalProfile)
	for i := range m.Services {
		if err == nil {
			err = knownFields(m.Services[i].Fields, clearService, personalService)
		}
	}
	for i := range m.Pending {
		c := &m.Pending[i].Register
		if err == nil {
			err = knownFields(c.Given, clearProfile, personalProfile)
		}
		if err == nil {
			err = knownFields(c.Record, clearService, personalService)
		}
	}
	if err != nil {
		return fmt.Errorf("codec: member %d: %w", m.ID, err)
	}
	return nil
}

func (w *writer) service(s *domain.ServiceRecord) {
	at := w.open(11)
	w.uint(1, s.ID)
	w.uint(2, uint64(s.Application))
	w.uint(3, uint64(s.Service))
	w.block(4, s.Identity[:])
	w.block(5, s.Partner[:])
	w.block(6, s.Username[:])
	w.fields(7, s.Fields, clearService)
	w.text(8, s.PartnerCode)
	for _, d := range s.Domains {
		w.element(9, d)
	}
	w.int(10, s.Created)
	w.int(11, s.Updated)
	w.int(12, s.LastLogin)
	w.bool(13, s.Invalid)
	w.close(at)
}

func (w *writer) password(p *domain.Password) {
	at := w.open(13)
	w.block(1, p.Address[:])
	w.text(2, p.Hash)
	if len(p.Wrong) > 0 {
		list := w.open(3)
		for _, t := range p.Wrong {
			w.b = protowire.AppendVarint(w.b, uint64(t))
		}
		w.close(list)
	}
	w.int(4, p.Locked)
	w.close(at)
}

func (w *writer) opt(o *domain.OptState) {
	at := w.open(14)
	w.uint(1, uint64(o.Kind))
	w.uint(2, uint64(o.ID))
	w.bool(3, o.In)
	w.bool(4, o.Out)
	w.bool(5, o.Listed)
	w.int(6, o.At)
	w.close(at)
}

func (w *writer) personal(m *domain.Member) {
	at := w.open(16)
	w.block(1, m.TokenRandom[:])
	w.fields(2, m.Profile, personalProfile)
	for i := range m.Services {
		s := &m.Services[i]
		one := w.open(3)
		w.text(1, s.UID)
		w.text(2, s.PartnerID)
		w.fields(3, s.Fields, personalService)
		w.close(one)
	}
	for i := range m.Pending {
		w.personalRegistration(&m.Pending[i].Register)
	}
	w.closeUnlessEmpty(16, at)
}

// DecodeMember reads a member into a zero one, which shares no memory with b.
func DecodeMember(b []byte, m *domain.Member) error {
	var failed bool
	r := reader{b: b, s: string(b), failed: &failed}
	for r.next() {
		r.member(m)
	}
	if failed {
		return ErrMalformed
	}
	return nil
}

func (r *reader) member(m *domain.Member) {
	switch r.num {
	case 1:
		m.ID = domain.MemberID(r.uint())
	case 2:
		m.Account = domain.AccountID(r.uint32())
	case 3:
		m.Ord = domain.Ordinal(r.uint32())
	case 4:
		m.Application = domain.ApplicationID(r.uint32())
	case 5:
		m.State = domain.MemberState(r.uint8())
	case 6:
		m.Created = r.int()
	case 7:
		r.block(m.UUID[:])
	case 8:
		r.block(m.TokenHash[:])
	case 9:
		m.TokenMade = r.int()
	case 10:
		m.Profile = r.fields(m.Profile, clearProfile)
	case 11:
		m.Services = append(m.Services, r.service())
	case 12:
		r.block(m.Email[:])
	case 13:
		m.Passwords = append(m.Passwords, r.password())
	case 14:
		m.Opts = append(m.Opts, r.opt())
	case 15:
		m.Pending = append(m.Pending, r.pending())
	case 16:
		r.personal(m)
	default:
		r.fail()
	}
}

func (r *reader) service() (s domain.ServiceRecord) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			s.ID = f.uint()
		case 2:
			s.Application = domain.ApplicationID(f.uint32())
		case 3:
			s.Service = domain.Service(f.uint8())
		case 4:
			f.block(s.Identity[:])
		case 5:
			f.block(s.Partner[:])
		case 6:
			f.block(s.Username[:])
		case 7:
			s.Fields = f.fields(s.Fields, clearService)
		case 8:
			s.PartnerCode = f.text()
		case 9:
			s.Domains = append(s.Domains, f.text())
		case 10:
			s.Created = f.int()
		case 11:
			s.Updated = f.int()
		case 12:
			s.LastLogin = f.int()
		case 13:
			s.Invalid = f.bool()
		default:
			f.fail()
		}
	}
	return s
}

func (r *reader) password() (p domain.Password) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			f.block(p.Address[:])
		case 2:
			p.Hash = f.text()
		case 3:
			list := f.message()
			list.typ = protowire.VarintType
			for len(list.b) > 0 && !*list.failed {
				p.Wrong = append(p.Wrong, list.int())
			}
		case 4:
			p.Locked = f.int()
		default:
			f.fail()
		}
	}
	return p
}

func (r *reader) opt() (o domain.OptState) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			o.Kind = domain.OptKind(f.uint8())
		case 2:
			o.ID = f.uint32()
		case 3:
			o.In = f.bool()
		case 4:
			o.Out = f.bool()
		case 5:
			o.Listed = f.bool()
		case 6:
			o.At = f.int()
		default:
			f.fail()
		}
	}
	return o
}

// personal reads what belongs to the services and registrations read before.
func (r *reader) personal(m *domain.Member) {
	f := r.message()
	services, pending := 0, 0
	for f.next() {
		switch {
		case f.num == 1:
			f.block(m.TokenRandom[:])
		case f.num == 2:
			m.Profile = f.fields(m.Profile, personalProfile)
		case f.num == 3 && services < len(m.Services):
			f.personalService(&m.Services[services])
			services++
		case f.num == 4 && pending < len(m.Pending):
			f.personalRegistration(&m.Pending[pending].Register)
			pending++
		default:
			f.fail()
		}
	}
	if services != len(m.Services) || pending != len(m.Pending) {
		r.fail()
	}
}

func (r *reader) personalService(s *domain.ServiceRecord) {
	f := r.message()
	for f.next() {
		switch f.num {
		case 1:
			s.UID = f.text()
		case 2:
			s.PartnerID = f.text()
		case 3:
			s.Fields = f.fields(s.Fields, personalService)
		default:
			f.fail()
		}
	}
}
