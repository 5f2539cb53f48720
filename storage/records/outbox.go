package records

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Outbox calls f with the entries of a kind that are above a sequence and not yet trimmed, in order, until f
// returns false.
func (s Set) Outbox(kind domain.OutboxKind, after uint64, f func(*domain.Outgoing) bool) (err error) {
	if after == 1<<64-1 {
		return nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound: format.AppendOutboxKey(nil, s.shard, kind, after+1),
		UpperBound: format.PrefixEnd(format.OutboxPrefix(s.shard, kind)),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Error(), it.Close()) }()
	for it.First(); it.Valid(); it.Next() {
		o := new(domain.Outgoing)
		if err := format.DecodeMessage(it.Value(), o); err != nil {
			return err
		}
		if !f(o) {
			break
		}
	}
	return nil
}
