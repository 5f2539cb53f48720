package outbox

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Send brings entries into their log, in order. After an error all of them are sent again.
type Send func(ctx context.Context, entries []*domain.Outgoing) error

// Forward sends to other shards: it appends the records of each in order.
func Forward(a journal.Appender) Send {
	return func(ctx context.Context, entries []*domain.Outgoing) error {
		rest := slices.Clone(entries)
		for len(rest) > 0 {
			to := rest[0].To
			var records []domain.Record
			var others []*domain.Outgoing
			size := 0
			for _, e := range rest {
				if e.To != to || size > journal.BatchBytes {
					others = append(others, e)
					continue
				}
				records = append(records, *e.Forward)
				size += journal.RecordBytes(e.Forward)
			}
			if _, err := a.Append(ctx, to, records); err != nil {
				return err
			}
			rest = others
		}
		return nil
	}
}

// DeleteKeys has data keys deleted.
func DeleteKeys(deleteKeys func(ctx context.Context, keys []domain.KeyID) error) Send {
	return func(ctx context.Context, entries []*domain.Outgoing) error {
		var keys []domain.KeyID
		for _, e := range entries {
			keys = append(keys, e.Keys...)
		}
		return deleteKeys(ctx, keys)
	}
}

// Letters sends dead letters.
func Letters(publish func(ctx context.Context, letters []domain.DeadLetter) error) Send {
	return func(ctx context.Context, entries []*domain.Outgoing) error {
		letters := make([]domain.DeadLetter, len(entries))
		for i, e := range entries {
			letters[i] = *e.Dead
		}
		return publish(ctx, letters)
	}
}
