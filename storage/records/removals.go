package records

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Removals calls f with an account's removals above a sequence, in order, until f returns false.
func (s Set) Removals(account domain.AccountID, above uint64, f func(*domain.Removal) bool) error {
	if above == 1<<64-1 {
		return nil
	}
	from := format.AppendRemovalKey(nil, s.shard, account, above+1)
	return scan.Range(s.db, from, format.PrefixEnd(format.RemovalPrefix(s.shard, account)), func(k, v []byte) (bool, error) {
		r, err := format.DecodeRemoval(k, v)
		return err == nil && f(&r), err
	})
}

// LastRemovals calls f with the sequence of the last removal of each account that has one. It looks at one key an account.
func (s Set) LastRemovals(f func(account domain.AccountID, sequence uint64)) error {
	prefix := format.AppendShard(nil, format.FamilyRemoval, s.shard)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return err
	}
	for ok := it.Last(); ok; {
		account, sequence, err := format.ParseRemovalKey(it.Key())
		if err != nil {
			return errors.Join(err, it.Close())
		}
		f(account, sequence)
		ok = it.SeekLT(format.RemovalPrefix(s.shard, account))
	}
	return errors.Join(it.Error(), it.Close())
}

// RemovedFrom is the sequence of an account's first removal at a time, in ms, or later; ok is false where there is none.
// Times ascend with sequences: it looks at some 50 keys at most.
func (s Set) RemovedFrom(account domain.AccountID, ms int64) (sequence uint64, ok bool, err error) {
	prefix := format.RemovalPrefix(s.shard, account)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return 0, false, err
	}
	key := func(sequence uint64) []byte { return format.AppendRemovalKey(nil, s.shard, account, sequence) }
	sequence, ok, err = firstSince(it, key, ms, func(k, v []byte) (uint64, int64, error) {
		r, err := format.DecodeRemoval(k, v)
		return r.Seq, r.At, err
	})
	return sequence, ok, errors.Join(err, it.Error(), it.Close())
}
