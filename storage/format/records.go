package format

import (
	"encoding/binary"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
)

// Members, requests, outbox entries, parked activities, followed lists and the catalog's entities are
// Protocol Buffers after a version byte.

// AppendMessage appends the value of a pointer to a structure that package codec knows.
func AppendMessage(dst []byte, v any) ([]byte, error) {
	dst, err := codec.Append(append(dst, version1), v)
	if err != nil {
		return dst, fmt.Errorf("storage: %w", err)
	}
	return dst, nil
}

// DecodeMessage reads a value into a pointer to such a structure.
func DecodeMessage(b []byte, v any) error {
	if len(b) == 0 {
		return fmt.Errorf("storage: %T: %w: no value", v, ErrDamaged)
	}
	if b[0] != version1 {
		return fmt.Errorf("storage: %T: %w: %d", v, errVersion, b[0])
	}
	if err := codec.Decode(b[1:], v); err != nil {
		return fmt.Errorf("storage: %w: %w", ErrDamaged, err)
	}
	return nil
}

// DecodeParked reads a parked activity; account, ordinal and number are in the key.
func DecodeParked(k, v []byte) (*domain.Parked, error) {
	if len(k) != parkedKeyLen {
		return nil, Damaged("k")
	}
	p := new(domain.Parked)
	if err := DecodeMessage(v, p); err != nil {
		return nil, err
	}
	p.Account = domain.AccountID(be.Uint32(k[3:]))
	p.Ord = domain.Ordinal(be.Uint32(k[7:]))
	p.Number = be.Uint32(k[11:])
	return p, nil
}

// AppendSealed appends what of t an account's month has: how many rows were sealed, and
// under which bucket classes (a bit each).
func AppendSealed(dst []byte, rows uint64, classes uint32) []byte {
	dst = binary.AppendUvarint(append(dst, version1), rows)
	return binary.AppendUvarint(dst, uint64(classes))
}

// DecodeSealed reads a value of s with its key.
func DecodeSealed(k, v []byte) (of AccountMonth, rows uint64, classes uint32, err error) {
	if len(k) != 9 {
		return of, 0, 0, Damaged("s")
	}
	cur, err := openValue(v, "s")
	if err != nil {
		return of, 0, 0, err
	}
	of = AccountMonth{domain.AccountID(be.Uint32(k[3:])), domain.Month(be.Uint16(k[7:]))}
	rows = cur.uvarint()
	classes = cur.uint32()
	return of, rows, classes, cur.close("s")
}

const oneTimeDeleted = 1

// AppendOneTime appends the value of a one-time pair.
func AppendOneTime(dst []byte, o *domain.OneTime) []byte {
	var flags byte
	if o.Deleted {
		flags = oneTimeDeleted
	}
	dst = binary.AppendUvarint(append(dst, version1, flags), uint64(o.Time))
	return binary.AppendUvarint(le.AppendUint64(dst, o.Hash), o.Seq)
}

// DecodeOneTime reads what the key does not say into o.
func DecodeOneTime(o *domain.OneTime, v []byte) error {
	cur, err := openValue(v, "f")
	if err != nil {
		return err
	}
	o.Deleted = cur.below(oneTimeDeleted) != 0
	o.Time, o.Hash, o.Seq = cur.uint32(), cur.fixed64(), cur.uvarint()
	return cur.close("f")
}

// AppendIdentity appends the value of an identity.
func AppendIdentity(dst []byte, i *domain.Identity) []byte {
	return binary.AppendUvarint(append(dst, version1, byte(i.Kind), byte(i.State)), uint64(i.Member))
}

// DecodeIdentity reads an identity with its key.
func DecodeIdentity(k, v []byte) (i domain.Identity, err error) {
	if len(k) != 19 {
		return i, Damaged("i")
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

// Place is where a member is.
type Place struct {
	Account domain.AccountID
	Ord     domain.Ordinal
}

// AppendPlace appends the value of a member's place.
func AppendPlace(dst []byte, p Place) []byte {
	dst = binary.AppendUvarint(append(dst, version1), uint64(p.Account))
	return binary.AppendUvarint(dst, uint64(p.Ord))
}

// DecodePlace reads a place with its key.
func DecodePlace(k, v []byte) (id domain.MemberID, p Place, err error) {
	if len(k) != 13 {
		return 0, p, Damaged("o")
	}
	cur, err := openValue(v, "o")
	if err != nil {
		return 0, p, err
	}
	id = domain.MemberIDOf(be.Uint64(k[5:]), domain.Slot(be.Uint16(k[3:])))
	p = Place{domain.AccountID(cur.uint32()), domain.Ordinal(cur.uint32())}
	return id, p, cur.close("o")
}

// AppendPointer appends the value of a pointer: all of it is in the key.
func AppendPointer(dst []byte) []byte { return append(dst, version1) }

// DecodePointer reads a pointer with its key.
func DecodePointer(k, v []byte) (p domain.Pointer, err error) {
	if len(k) != 1+2+16+8+8 {
		return p, Damaged("p")
	}
	cur, err := openValue(v, "p")
	if err != nil {
		return p, err
	}
	p.Hash = domain.IdentityHash(k[3:19])
	p.Created = int64(be.Uint64(k[19:]))
	p.Member = domain.MemberID(be.Uint64(k[27:]))
	return p, cur.close("p")
}
