package format

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const removalKeyLen = 1 + 2 + 4 + 8

// RemovalPrefix begins the keys of an account's removals, in order of their sequences.
func RemovalPrefix(shard uint16, account domain.AccountID) []byte {
	return be.AppendUint32(AppendShard(nil, FamilyRemoval, shard), uint32(account))
}

// AppendRemovalKey is the key of a removal.
func AppendRemovalKey(dst []byte, shard uint16, account domain.AccountID, sequence uint64) []byte {
	return be.AppendUint64(be.AppendUint32(AppendShard(dst, FamilyRemoval, shard), uint32(account)), sequence)
}

// ParseRemovalKey reads a key of d.
func ParseRemovalKey(k []byte) (account domain.AccountID, sequence uint64, err error) {
	if len(k) != removalKeyLen {
		return 0, 0, Damaged("d")
	}
	return domain.AccountID(be.Uint32(k[3:])), be.Uint64(k[7:]), nil
}

// removalCopied is the flag of a copy's removal.
const removalCopied = 1

// AppendRemoval appends the value of a removal; account and sequence are in its key.
func AppendRemoval(dst []byte, r *domain.Removal) []byte {
	flags := byte(0)
	if r.Copied {
		flags = removalCopied
	}
	dst = append(dst, version1, byte(r.Kind), flags, byte(r.Service))
	for _, x := range [...]uint64{uint64(r.Member), uint64(r.Action), uint64(r.Brand), uint64(r.Definition), uint64(r.At)} {
		dst = binary.AppendUvarint(dst, x)
	}
	return dst
}

// DecodeRemoval reads a removal with its key.
func DecodeRemoval(k, v []byte) (r domain.Removal, err error) {
	if r.Account, r.Seq, err = ParseRemovalKey(k); err != nil {
		return r, err
	}
	cur, err := openValue(v, "d")
	if err != nil {
		return r, err
	}
	r.Kind = domain.EventKind(cur.byte())
	flags := cur.byte()
	r.Copied, r.Service = flags == removalCopied, domain.Service(cur.byte())
	r.Member, r.Action = domain.MemberID(cur.uvarint()), domain.ActionID(cur.uvarint())
	r.Brand, r.Definition = domain.BrandID(cur.uint32()), domain.DefinitionID(cur.uint32())
	r.At = int64(cur.below(1<<63 - 1))
	if flags > removalCopied || r.Kind != domain.EventRemoved && r.Kind != domain.EventErased {
		cur.fail()
	}
	return r, cur.close("d")
}
