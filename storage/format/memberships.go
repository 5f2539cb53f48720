package format

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const (
	membershipKeyLen = 1 + 2 + 4 + 4 + 8
	followedKeyLen   = 1 + 2 + 4 + 4
)

// MembershipPrefix begins the keys of the memberships of a segment's list, in order of their sequences.
func MembershipPrefix(shard uint16, account domain.AccountID, segment domain.SegmentID) []byte {
	return appendList(nil, FamilyMembership, shard, account, segment)
}

// AppendMembershipKey is the key of a membership.
func AppendMembershipKey(
	dst []byte, shard uint16, account domain.AccountID, segment domain.SegmentID, sequence uint64,
) []byte {
	return be.AppendUint64(appendList(dst, FamilyMembership, shard, account, segment), sequence)
}

func appendList(dst []byte, family byte, shard uint16, account domain.AccountID, segment domain.SegmentID) []byte {
	return be.AppendUint32(be.AppendUint32(AppendShard(dst, family, shard), uint32(account)), uint32(segment))
}

// ParseMembershipKey reads a key of g.
func ParseMembershipKey(k []byte) (account domain.AccountID, segment domain.SegmentID, sequence uint64, err error) {
	if len(k) != membershipKeyLen {
		return 0, 0, 0, Damaged("g")
	}
	return domain.AccountID(be.Uint32(k[3:])), domain.SegmentID(be.Uint32(k[7:])), be.Uint64(k[11:]), nil
}

// The kinds of a membership.
const (
	membershipLeave = iota
	membershipEnter
)

// AppendMembership appends the value of a membership; account, segment and sequence are in its key.
func AppendMembership(dst []byte, m *domain.Membership) []byte {
	kind := byte(membershipLeave)
	if m.Entered {
		kind = membershipEnter
	}
	dst = binary.AppendUvarint(append(dst, version1, kind), uint64(m.Member))
	return binary.AppendUvarint(dst, uint64(m.At))
}

// DecodeMembership reads a membership with its key.
func DecodeMembership(k, v []byte) (m domain.Membership, err error) {
	if m.Account, m.Segment, m.Seq, err = ParseMembershipKey(k); err != nil {
		return m, err
	}
	cur, err := openValue(v, "g")
	if err != nil {
		return m, err
	}
	kind := cur.byte()
	m.Entered = kind == membershipEnter
	m.Member, m.At = domain.MemberID(cur.uvarint()), int64(cur.below(1<<63-1))
	if kind > membershipEnter {
		cur.fail()
	}
	return m, cur.close("g")
}

// AppendFollowedKey is the key of a list whose memberships are kept.
func AppendFollowedKey(dst []byte, shard uint16, account domain.AccountID, segment domain.SegmentID) []byte {
	return appendList(dst, FamilyFollowed, shard, account, segment)
}

// DecodeFollowed reads such a list with its key, which says of what segment it is as the value does.
func DecodeFollowed(k, v []byte) (*domain.FollowedList, error) {
	if len(k) != followedKeyLen {
		return nil, Damaged("h")
	}
	l := new(domain.FollowedList)
	if err := DecodeMessage(v, l); err != nil {
		return nil, err
	}
	if uint32(l.Account) != be.Uint32(k[3:]) || uint32(l.Segment) != be.Uint32(k[7:]) {
		return nil, Damaged("h")
	}
	return l, nil
}
