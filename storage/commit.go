package storage

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Commit stores what is staged, together with the state and the origins that moved, in
// one batch (I3), which is durable at the latest SyncWithin from now. State's Facts are
// the store's own and passed over.
func (s *Shard) Commit(state domain.ShardState, origins []domain.Origin) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.commit(state, origins); err != nil {
		return s.fail(fmt.Errorf("storage: commit of shard %d: %w", s.id, err))
	}
	return nil
}

func (s *Shard) commit(state domain.ShardState, origins []domain.Origin) error {
	b, big := s.open.batch, (*sealing)(nil)
	if s.line.full() || s.texts.full() {
		big = s.store.sealings.Get().(*sealing)
		if err := big.batch.Apply(b, nil); err != nil {
			return err
		}
		b = big.batch
	}
	if err := s.writeTaken(b); err != nil {
		return err
	}
	if err := s.writeRows(big, b, state.Sequence); err != nil {
		return err
	}
	if err := s.line.write(big, b); err != nil {
		return err
	}
	if err := s.forgetRequests(b, state.Clock); err != nil {
		return err
	}
	if s.late.Move(origins) {
		if err := s.writeOrigins(b); err != nil {
			return err
		}
	}
	state.Facts = s.facts.Bytes()
	s.key, s.value = format.AppendStateKey(s.key[:0], s.id), format.AppendState(s.value[:0], &state, s.late)
	if err := b.Set(s.key, s.value, nil); err != nil {
		return err
	}
	if err := s.store.commit(b); err != nil {
		return err
	}
	s.store.commits.Add(1)
	s.store.rows.Add(uint64(s.open.fresh))
	if big != nil {
		s.line.begin(s.texts.renew(s.line.tail))
	} else {
		s.line.done()
	}
	s.tailRows.Store(int64(len(s.line.tail)))
	s.filterBytes.Store(int64(s.line.filterBytes()))
	s.state = state
	if big != nil {
		big.batch.Reset()
		s.store.sealings.Put(big)
	}
	s.open.reset(s.db)
	return nil
}

// writeTaken takes sealed rows out of exactly the keys that hold them.
func (s *Shard) writeTaken(b *pebble.Batch) error {
	for i := range s.open.taken {
		m := &s.open.taken[i]
		k := format.BrandMonth{Account: m.Account, Brand: m.Brand, Month: m.Month}
		slot := format.SlotOf(m.Class, m.Month.Start(), m.Time)
		s.key = format.AppendRowKey(s.key[:0], format.FamilyRows, s.id, k, m.Class, slot)
		s.value = format.AppendTaken(s.value[:0], m.Seq)
		if err := b.Merge(s.key, s.value, nil); err != nil {
			return err
		}
		if err := s.takeContent(b, format.SlotKey{Shard: s.id, Of: k, Class: m.Class, Slot: slot}, m.Seq); err != nil {
			return err
		}
		if err := s.count(b, k, m.Class, -1); err != nil {
			return err
		}
	}
	return nil
}

// count adds to the rows that a brand's month has under a class.
func (s *Shard) count(b *pebble.Batch, k format.BrandMonth, class uint8, rows int64) error {
	s.key = format.AppendCountKey(s.key[:0], s.id, k.Account, k.Brand)
	s.value = format.AppendCounts(s.value[:0], []format.Tally{{Month: k.Month, Class: class, Rows: rows}})
	return b.Merge(s.key, s.value, nil)
}

// heldRows is how many rows a brand's month has, of all classes, as of the last
// commit or a little before: it only chooses widths.
func (s *Shard) heldRows(k format.BrandMonth) (uint64, error) {
	if held, ok := s.held[k]; ok {
		return held, nil
	}
	if len(s.held) >= heldLimit {
		clear(s.held)
	}
	s.key = format.AppendCountKey(s.key[:0], s.id, k.Account, k.Brand)
	var held int64
	_, err := get(s.db, s.key, func(v []byte) error {
		ts, err := format.DecodeCounts(nil, v)
		for _, t := range ts {
			if t.Month == k.Month {
				held += t.Rows
			}
		}
		return err
	})
	return uint64(max(held, 0)), err
}

// forgetRequests drops the request ids of the days before yesterday when the shard's
// clock comes to a new day.
func (s *Shard) forgetRequests(b *pebble.Batch, clock int64) error {
	return forgetRequests(b, s.id, s.state.Clock, clock)
}

func forgetRequests(b *pebble.Batch, shard uint16, before, now int64) error {
	day := now / 86400_000
	if day <= before/86400_000 || day > 1<<32-1 {
		return nil
	}
	return b.DeleteRange(format.AppendShard(nil, format.FamilyRequest, shard), format.RequestDay(shard, uint32(max(day-1, 0))), nil)
}
