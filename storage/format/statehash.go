package format

import (
	"math/bits"

	"github.com/zeebo/xxh3"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// StateHash is the state hash: the sum modulo 2^128 of the XXH3-128 of each fact's
// canonical bytes. A sum does not depend on the order of its terms, and what is taken
// back is subtracted; so two replicas, a replay and a fresh computation from the
// stored bytes agree on it, or differ in a fact (I6, I9). What follows arrival, such
// as ordinals, sequences and recorded times, is in no fact.
//
//	'a' member u64, time u32, brand u32, definition u32, service u8, points u16,
//	    id hash u64                                 an action that counts
//	'd' the same without points; of a one-time      a deleted action: which
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
//	                                                what a member opted in to or out of
//	'b' member u64, absorbed u64                    a member that is merged into another
//	'l' member u64, borrower u64                    the same at the other one
//	'v' member u64, time u32, definition u32, service u8, id hash u64,
//	    domain length u32, domain, page             a visit with a place; definition without its number
//
// Numbers are big-endian.
type StateHash struct{ hi, lo uint64 }

// StateHashOf reads a hash as Bytes writes it.
func StateHashOf(b [16]byte) StateHash { return StateHash{be.Uint64(b[:8]), be.Uint64(b[8:])} }

// Bytes is the hash as the state has it.
func (f StateHash) Bytes() (b [16]byte) {
	be.PutUint64(b[:8], f.hi)
	be.PutUint64(b[8:], f.lo)
	return b
}

// Add adds facts.
func (f *StateHash) Add(g StateHash) {
	var carry uint64
	f.lo, carry = bits.Add64(f.lo, g.lo, 0)
	f.hi, _ = bits.Add64(f.hi, g.hi, carry)
}

// Sub takes facts out.
func (f *StateHash) Sub(g StateHash) {
	var borrow uint64
	f.lo, borrow = bits.Sub64(f.lo, g.lo, 0)
	f.hi, _ = bits.Sub64(f.hi, g.hi, borrow)
}

// HashOf is the hash of one fact.
func HashOf(b []byte) StateHash {
	h := xxh3.Hash128(b)
	return StateHash{h.Hi, h.Lo}
}

// HashAction is the fact of an action: one that counts, a deleted one, or
// none, of one that another took the place of, or that is erased.
func HashAction(m *Action, member domain.MemberID) StateHash {
	var b [32]byte
	be.PutUint64(b[1:], uint64(member))
	be.PutUint32(b[9:], m.Time)
	be.PutUint32(b[13:], uint32(m.Brand))
	be.PutUint32(b[17:], uint32(m.Definition))
	b[21] = byte(m.Service)
	switch {
	case m.Flags&domain.Erased != 0:
		return StateHash{}
	case m.Flags&domain.Deleted != 0:
		b[0] = 'd'
		be.PutUint64(b[22:], m.Hash)
		if m.Flags&domain.OneTimeRow != 0 {
			clear(b[9:13])
			clear(b[22:30])
		}
		return HashOf(b[:30])
	case m.Flags.Dead():
		return StateHash{}
	}
	b[0] = 'a'
	be.PutUint16(b[22:], m.Points)
	be.PutUint64(b[24:], m.Hash)
	return HashOf(b[:])
}

// HashMember are the facts of a member's record. That of a shadow has none: its rows are the facts.
func HashMember(m *domain.Member) (sum StateHash) {
	if m.ID.IsShadow() {
		return sum
	}
	b := be.AppendUint64([]byte{'m'}, uint64(m.ID))
	sum.Add(HashOf(append(be.AppendUint32(b, uint32(m.Account)), byte(m.State))))
	for _, v := range m.Profile {
		b = append(be.AppendUint64([]byte{'p'}, uint64(m.ID)), byte(v.Field))
		sum.Add(HashOf(append(b, v.Value...)))
	}
	// What is sealed follows chance: the data key and the nonce. It authenticates itself.
	p := &m.Personal
	b = be.AppendUint32(be.AppendUint64([]byte{'P'}, uint64(m.ID)), p.Version)
	sum.Add(HashOf(be.AppendUint16(be.AppendUint64(b, p.Has), p.Born)))
	for i := range m.Services {
		s := &m.Services[i]
		b = append(be.AppendUint32(be.AppendUint64([]byte{'s'}, uint64(m.ID)), uint32(s.Application)), byte(s.Service))
		b = append(b, s.Identity[:]...)
		sum.Add(HashOf(append(b, 0)))
		for _, v := range s.Fields {
			sum.Add(HashOf(append(append(b[:len(b):len(b)], byte(v.Field)), v.Value...)))
		}
	}
	for i := range m.Passwords {
		p := &m.Passwords[i]
		b = append(be.AppendUint64([]byte{'w'}, uint64(m.ID)), p.Address[:]...)
		sum.Add(HashOf(append(b, p.Hash...)))
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
		sum.Add(HashOf(append(be.AppendUint32(b, o.ID), flags)))
	}
	for i := range m.Absorbed {
		if a := &m.Absorbed[i]; a.Done {
			b = be.AppendUint64(be.AppendUint64([]byte{'b'}, uint64(m.ID)), uint64(a.Member))
			sum.Add(HashOf(b))
		}
	}
	if m.IsLent() {
		sum.Add(HashOf(be.AppendUint64(be.AppendUint64([]byte{'l'}, uint64(m.ID)), uint64(m.Lent.To))))
	}
	return sum
}

// HashParked is the fact of a parked activity.
func HashParked(p *domain.Parked) StateHash {
	a := &p.Activity
	b := be.AppendUint64(be.AppendUint64([]byte{'k'}, uint64(a.Member)), uint64(a.Time))
	b = append(be.AppendUint32(be.AppendUint32(b, uint32(a.Brand)), uint32(a.Definition)), byte(a.Service))
	return HashOf(be.AppendUint64(be.AppendUint16(b, a.Points), a.Hash))
}

// HashPointer is the fact of a pointer.
func HashPointer(p *domain.Pointer) StateHash {
	b := be.AppendUint64(append([]byte{'e'}, p.Hash[:]...), uint64(p.Member))
	return HashOf(be.AppendUint64(b, uint64(p.Created)))
}

// HashIdentity is the fact of a claim.
func HashIdentity(i *domain.Identity) StateHash {
	b := append(append([]byte{'i'}, i.Hash[:]...), byte(i.Kind), byte(i.State))
	return HashOf(be.AppendUint64(b, uint64(i.Member)))
}

// StateMark is the state hash of all records below an offset of the journal: by the marks of
// two replicas, or of a replay, the stretch is found in which they went apart.
type StateMark struct {
	At   int64
	Hash [16]byte
}

// AppendStateMark appends the value of a state mark.
func AppendStateMark(dst []byte, sum StateHash) []byte {
	b := sum.Bytes()
	return append(append(dst, version1), b[:]...)
}

// DecodeStateMark reads a state mark with its key.
func DecodeStateMark(k, v []byte) (m StateMark, err error) {
	if len(k) != stateMarkKeyLen {
		return m, Damaged("mark")
	}
	m.At = int64(be.Uint64(k[4:]))
	cur, err := openValue(v, "mark")
	if err != nil {
		return m, err
	}
	cur.fill(m.Hash[:])
	return m, cur.close("mark")
}
