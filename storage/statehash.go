package storage

import (
	"math/bits"

	"github.com/zeebo/xxh3"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// facts is the state hash: the sum modulo 2^128 of the XXH3-128 of each fact's
// canonical bytes. A sum does not depend on the order of its terms, and what is taken
// back is subtracted; so two replicas, a replay and a fresh computation from the
// stored bytes agree on it, or differ in a fact (I6, I9). What follows arrival, such
// as ordinals, sequences and recorded times, is in no fact.
//
//	'a' member u64, time u32, brand u32, definition u32, service u8, points u16,
//	    id hash u64                                 an action that counts
//	'd' the same without points; of a one-time      the mark of a deleted action: which
//	    action also without time and id hash        of a pair stood there follows arrival
//	'm' member u64, account u32, state u8           a member
//	'p' member u64, field u8, value                 a value of a profile
//	's' member u64, application u32, service u8, uid length u32, uid, field u8, value
//	                                                a service record (field 0) and its values
//	'i' hash, kind u8, state u8, member u64         an identity
//	'k' member u64, time u64, brand u32, definition u32, service u8, points u16,
//	    id hash u64                                 a parked activity, whatever its number
//	'e' hash, member u64, created u64               a pointer
//	'w' member u64, address hash, password hash     a password
//	'o' member u64, kind u8, id u32, in, out and listed as bits of u8
//	                                                how a member stands to what it can opt in to
//
// Numbers are big-endian.
type facts struct{ hi, lo uint64 }

func factsOf(b [16]byte) facts { return facts{be.Uint64(b[:8]), be.Uint64(b[8:])} }

func (f facts) bytes() (b [16]byte) {
	be.PutUint64(b[:8], f.hi)
	be.PutUint64(b[8:], f.lo)
	return b
}

func (f *facts) add(g facts) {
	var carry uint64
	f.lo, carry = bits.Add64(f.lo, g.lo, 0)
	f.hi, _ = bits.Add64(f.hi, g.hi, carry)
}

func (f *facts) sub(g facts) {
	var borrow uint64
	f.lo, borrow = bits.Sub64(f.lo, g.lo, 0)
	f.hi, _ = bits.Sub64(f.hi, g.hi, borrow)
}

func factOf(b []byte) facts {
	h := xxh3.Hash128(b)
	return facts{h.Hi, h.Lo}
}

// factOfMark is the fact a mark stands for: an action, the mark of a deleted one, or
// none, of one that another took the place of.
func factOfMark(m *mark, member domain.MemberID) facts {
	var b [32]byte
	be.PutUint64(b[1:], uint64(member))
	be.PutUint32(b[9:], m.time)
	be.PutUint32(b[13:], uint32(m.brand))
	be.PutUint32(b[17:], uint32(m.def))
	b[21] = byte(m.service)
	switch {
	case m.flags&domain.Deleted != 0:
		b[0] = 'd'
		be.PutUint64(b[22:], m.hash)
		if m.flags&domain.OneTimeRow != 0 {
			clear(b[9:13])
			clear(b[22:30])
		}
		return factOf(b[:30])
	case m.flags.Dead():
		return facts{}
	}
	b[0] = 'a'
	be.PutUint16(b[22:], m.points)
	be.PutUint64(b[24:], m.hash)
	return factOf(b[:])
}

// factsOfMember are the facts of a member's record.
func factsOfMember(m *domain.Member) (sum facts) {
	b := be.AppendUint64([]byte{'m'}, uint64(m.ID))
	sum.add(factOf(append(be.AppendUint32(b, uint32(m.Account)), byte(m.State))))
	for _, v := range m.Profile {
		b = append(be.AppendUint64([]byte{'p'}, uint64(m.ID)), byte(v.Field))
		sum.add(factOf(append(b, v.Value...)))
	}
	for i := range m.Services {
		s := &m.Services[i]
		b = append(be.AppendUint32(be.AppendUint64([]byte{'s'}, uint64(m.ID)), uint32(s.Application)), byte(s.Service))
		b = append(be.AppendUint32(b, uint32(len(s.UID))), s.UID...)
		sum.add(factOf(append(b, 0)))
		for _, v := range s.Fields {
			sum.add(factOf(append(append(b[:len(b):len(b)], byte(v.Field)), v.Value...)))
		}
	}
	for i := range m.Passwords {
		p := &m.Passwords[i]
		b = append(be.AppendUint64([]byte{'w'}, uint64(m.ID)), p.Address[:]...)
		sum.add(factOf(append(b, p.Hash...)))
	}
	for i := range m.Opts {
		o := &m.Opts[i]
		var flags byte
		for bit, on := range [...]bool{o.In, o.Out, o.Listed} {
			if on {
				flags |= 1 << bit
			}
		}
		b = append(be.AppendUint64([]byte{'o'}, uint64(m.ID)), byte(o.Kind))
		sum.add(factOf(append(be.AppendUint32(b, o.ID), flags)))
	}
	return sum
}

// factOfParked is the fact of a parked activity.
func factOfParked(p *domain.Parked) facts {
	a := &p.Activity
	b := be.AppendUint64(be.AppendUint64([]byte{'k'}, uint64(a.Member)), uint64(a.Time))
	b = append(be.AppendUint32(be.AppendUint32(b, uint32(a.Brand)), uint32(a.Definition)), byte(a.Service))
	return factOf(be.AppendUint64(be.AppendUint16(b, a.Points), a.Hash))
}

// factOfPointer is the fact of a pointer.
func factOfPointer(p *domain.Pointer) facts {
	b := be.AppendUint64(append([]byte{'e'}, p.Hash[:]...), uint64(p.Member))
	return factOf(be.AppendUint64(b, uint64(p.Created)))
}

// factOfIdentity is the fact of a claim.
func factOfIdentity(i *domain.Identity) facts {
	b := append(append([]byte{'i'}, i.Hash[:]...), byte(i.Kind), byte(i.State))
	return factOf(be.AppendUint64(b, uint64(i.Member)))
}
