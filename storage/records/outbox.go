package records

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Outbox calls f with the entries not yet trimmed, in order.
func (s Set) Outbox(f func(*domain.Outgoing)) error {
	var parts [format.OutboxKinds]*pebble.Iterator
	var err error
	for kind := range parts {
		prefix := format.OutboxPrefix(s.shard, byte(kind))
		it, e := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		it.First()
		parts[kind] = it
	}
	for err == nil {
		var next *pebble.Iterator
		for _, it := range parts {
			if it.Valid() && (next == nil || string(it.Key()[4:]) < string(next.Key()[4:])) {
				next = it
			}
		}
		if next == nil {
			break
		}
		o := new(domain.Outgoing)
		if err = format.DecodeMessage(next.Value(), o); err == nil {
			f(o)
			next.Next()
		}
	}
	for _, it := range parts {
		if it != nil {
			err = errors.Join(err, it.Error(), it.Close())
		}
	}
	return err
}
