package records

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Memberships calls f with those of a segment's list above a sequence, in order, until f returns false.
func (s Set) Memberships(
	account domain.AccountID, segment domain.SegmentID, above uint64, f func(*domain.Membership) bool,
) error {
	if above == 1<<64-1 {
		return nil
	}
	from := format.AppendMembershipKey(nil, s.shard, account, segment, above+1)
	end := format.PrefixEnd(format.MembershipPrefix(s.shard, account, segment))
	return scan.Range(s.db, from, end, func(k, v []byte) (bool, error) {
		m, err := format.DecodeMembership(k, v)
		return err == nil && f(&m), err
	})
}

// LastMemberships calls f with the sequence of the last membership of each list that has one. It looks at one key a list.
func (s Set) LastMemberships(f func(account domain.AccountID, segment domain.SegmentID, sequence uint64)) error {
	prefix := format.AppendShard(nil, format.FamilyMembership, s.shard)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return err
	}
	for ok := it.Last(); ok; {
		account, segment, sequence, err := format.ParseMembershipKey(it.Key())
		if err != nil {
			return errors.Join(err, it.Close())
		}
		f(account, segment, sequence)
		ok = it.SeekLT(format.MembershipPrefix(s.shard, account, segment))
	}
	return errors.Join(it.Error(), it.Close())
}

// MembershipsUntil is the sequence of the last membership of a segment's list before a time, in ms; 0: there is none. Times
// ascend with sequences: it looks at some 50 keys at most.
func (s Set) MembershipsUntil(
	account domain.AccountID, segment domain.SegmentID, ms int64,
) (sequence uint64, err error) {
	prefix := format.MembershipPrefix(s.shard, account, segment)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return 0, err
	}
	key := func(sequence uint64) []byte {
		return format.AppendMembershipKey(nil, s.shard, account, segment, sequence)
	}
	first, some, err := firstSince(it, key, ms, func(k, v []byte) (uint64, int64, error) {
		m, err := format.DecodeMembership(k, v)
		return m.Seq, m.At, err
	})
	if err == nil {
		before := false
		if some {
			before = it.SeekLT(key(first))
		} else {
			before = it.Last()
		}
		if before {
			_, _, sequence, err = format.ParseMembershipKey(it.Key())
		}
	}
	return sequence, errors.Join(err, it.Error(), it.Close())
}

// FollowedLists calls f with the lists that are followed, by account and segment. They are f's to keep.
func (s Set) FollowedLists(f func(*domain.FollowedList)) error {
	return s.all(format.FamilyFollowed, func(k, v []byte) error {
		l, err := format.DecodeFollowed(k, v)
		if err == nil {
			f(l)
		}
		return err
	})
}
