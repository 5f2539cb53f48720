package records

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Notices calls f with an account's notices above a sequence, in order, until f returns false.
func (s Set) Notices(account domain.AccountID, above uint64, f func(*domain.Notice) bool) error {
	if above == 1<<64-1 {
		return nil
	}
	from := format.AppendNoticeKey(nil, s.shard, account, above+1)
	return scan.Range(s.db, from, format.PrefixEnd(format.NoticePrefix(s.shard, account)), func(k, v []byte) (bool, error) {
		r, err := format.DecodeNotice(k, v)
		return err == nil && f(&r), err
	})
}

// LastNotices calls f with the sequence of the last notice of each account that has one. It looks at one key an account.
func (s Set) LastNotices(f func(account domain.AccountID, sequence uint64)) error {
	prefix := format.AppendShard(nil, format.FamilyNotice, s.shard)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return err
	}
	for ok := it.Last(); ok; {
		account, sequence, err := format.ParseNoticeKey(it.Key())
		if err != nil {
			return errors.Join(err, it.Close())
		}
		f(account, sequence)
		ok = it.SeekLT(format.NoticePrefix(s.shard, account))
	}
	return errors.Join(it.Error(), it.Close())
}

// NoticesFrom is the sequence of an account's first notice at a time, in ms, or later; ok is false where there is none.
// Times ascend with sequences: it looks at some 50 keys at most.
func (s Set) NoticesFrom(account domain.AccountID, ms int64) (sequence uint64, ok bool, err error) {
	prefix := format.NoticePrefix(s.shard, account)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return 0, false, err
	}
	key := func(sequence uint64) []byte { return format.AppendNoticeKey(nil, s.shard, account, sequence) }
	sequence, ok, err = firstSince(it, key, ms, func(k, v []byte) (uint64, int64, error) {
		r, err := format.DecodeNotice(k, v)
		return r.Seq, r.At, err
	})
	return sequence, ok, errors.Join(err, it.Error(), it.Close())
}
