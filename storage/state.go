package storage

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stateOrigins is the version of a state with origins behind it.
const stateOrigins = 2

// appendState appends a shard's state, and the origins that moved lately:
//
//	ver str cluster, journal [16], z next, z epoch, z clock, v rules, z life,
//	v sequence, v outbox, v published, v deadUpTo, v rows, v expired,
//	v n, v dead × n, facts [16]; of version 2 the origins
func appendState(dst []byte, s *domain.ShardState, late lateOrigins) []byte {
	version := byte(version1)
	if len(late) > 0 {
		version = stateOrigins
	}
	dst = appendString(append(dst, version), s.Cluster)
	dst = append(dst, s.Journal[:]...)
	dst = binary.AppendVarint(dst, s.Next)
	dst = binary.AppendVarint(dst, int64(s.Epoch))
	dst = binary.AppendVarint(dst, s.Clock)
	dst = binary.AppendUvarint(dst, uint64(s.Rules))
	dst = binary.AppendVarint(dst, int64(s.Life))
	for _, x := range [...]uint64{s.Sequence, s.Outbox, s.Published, s.DeadUpTo, s.Rows, uint64(s.Expired), uint64(len(s.Dead))} {
		dst = binary.AppendUvarint(dst, x)
	}
	for _, x := range s.Dead {
		dst = binary.AppendUvarint(dst, x)
	}
	dst = append(dst, s.Facts[:]...)
	if len(late) > 0 {
		dst = late.append(dst)
	}
	return dst
}

func decodeState(v []byte) (s domain.ShardState, late lateOrigins, err error) {
	cur, err := openValue(v, "state", stateOrigins)
	if err != nil {
		return s, nil, err
	}
	s.Cluster = cur.str()
	cur.fill(s.Journal[:])
	s.Next = cur.varint()
	s.Epoch = cur.int32()
	s.Clock = cur.varint()
	s.Rules = uint16(cur.below(1<<16 - 1))
	s.Life = cur.int32()
	for _, x := range [...]*uint64{&s.Sequence, &s.Outbox, &s.Published, &s.DeadUpTo, &s.Rows} {
		*x = cur.uvarint()
	}
	s.Expired = domain.Month(cur.below(1<<16 - 1))
	for i := range cur.below(uint64(domain.Reasons)) {
		s.Dead[i] = cur.uvarint()
	}
	cur.fill(s.Facts[:])
	if v[0] == stateOrigins {
		late = cur.lateOrigins()
	}
	return s, late, cur.close("state")
}

func (c *cursor) int32() int32 {
	x := c.varint()
	if x != int64(int32(x)) {
		c.fail()
		return 0
	}
	return int32(x)
}

// sealed says what of t an account's month has: how many rows were sealed, and under
// which bucket classes (a bit each).
type sealed struct {
	rows    uint64
	classes uint32
}

func appendSealed(dst []byte, s sealed) []byte {
	dst = binary.AppendUvarint(append(dst, version1), s.rows)
	return binary.AppendUvarint(dst, uint64(s.classes))
}

func decodeSealed(k, v []byte) (of accountMonth, s sealed, err error) {
	if len(k) != 9 {
		return of, s, damaged("s")
	}
	cur, err := openValue(v, "s")
	if err != nil {
		return of, s, err
	}
	of = accountMonth{domain.AccountID(be.Uint32(k[3:])), domain.Month(be.Uint16(k[7:]))}
	s.rows, s.classes = cur.uvarint(), cur.uint32()
	return of, s, cur.close("s")
}

const oneTimeDeleted = 1

func appendOneTime(dst []byte, o *domain.OneTime) []byte {
	var flags byte
	if o.Deleted {
		flags = oneTimeDeleted
	}
	dst = binary.AppendUvarint(append(dst, version1, flags), uint64(o.Time))
	return binary.AppendUvarint(le.AppendUint64(dst, o.Hash), o.Seq)
}

// decodeOneTime reads what the key does not say into o.
func decodeOneTime(o *domain.OneTime, v []byte) error {
	cur, err := openValue(v, "f")
	if err != nil {
		return err
	}
	o.Deleted = cur.below(oneTimeDeleted) != 0
	o.Time, o.Hash, o.Seq = cur.uint32(), cur.fixed64(), cur.uvarint()
	return cur.close("f")
}

func appendClaim(dst []byte, i *domain.Identity) []byte {
	return binary.AppendUvarint(append(dst, version1, byte(i.Kind), byte(i.State)), uint64(i.Member))
}

func decodeClaim(k, v []byte) (i domain.Identity, err error) {
	if len(k) != 19 {
		return i, damaged("i")
	}
	cur, err := openValue(v, "i")
	if err != nil {
		return i, err
	}
	i.Hash = domain.IdentityHash(k[3:])
	i.Kind, i.State = domain.IdentityKind(cur.byte()), domain.ClaimState(cur.byte())
	i.Member = domain.MemberID(cur.uvarint())
	return i, cur.close("i")
}

// place is where a member is.
type place struct {
	account domain.AccountID
	ord     domain.Ordinal
}

func appendPlace(dst []byte, p place) []byte {
	dst = binary.AppendUvarint(append(dst, version1), uint64(p.account))
	return binary.AppendUvarint(dst, uint64(p.ord))
}

func decodePlace(k, v []byte) (id domain.MemberID, p place, err error) {
	if len(k) != 13 {
		return 0, p, damaged("o")
	}
	cur, err := openValue(v, "o")
	if err != nil {
		return 0, p, err
	}
	id = domain.MemberIDOf(be.Uint64(k[5:]), domain.Slot(be.Uint16(k[3:])))
	p = place{domain.AccountID(cur.uint32()), domain.Ordinal(cur.uint32())}
	return id, p, cur.close("o")
}

func appendPointer(dst []byte) []byte { return append(dst, version1) }

func decodePointer(k, v []byte) (p domain.Pointer, err error) {
	if len(k) != 1+2+16+8+8 {
		return p, damaged("p")
	}
	cur, err := openValue(v, "p")
	if err != nil {
		return p, err
	}
	p.Hash, p.Created, p.Member = domain.IdentityHash(k[3:19]), int64(be.Uint64(k[19:])), domain.MemberID(be.Uint64(k[27:]))
	return p, cur.close("p")
}
