package keys

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// loadPlace reads the place of the copy.
func (s *Store) loadPlace() error {
	_, err := scan.Get(s.db, []byte{familyPlace}, func(v []byte) (err error) {
		s.place, err = decodePlace(v)
		return err
	})
	if err != nil {
		return s.unreadable(err)
	}
	return nil
}

// Place is how far the copy has read the topic; the zero value: nothing was read.
func (s *Store) Place() domain.KeyPlace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place
}

// Follow writes to the copy what was read of the topic, and how far: both or neither, and not
// durable at once. Keys that are deleted are taken from it, and marked as deleted at a time.
func (s *Store) Follow(keys []domain.WrappedKey, place domain.KeyPlace, now time.Time) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.db.NewBatchWithSize(64 + len(keys)*(keyBytes+96))
	err := s.stage(b, keys, now)
	if err == nil {
		err = b.Set([]byte{familyPlace}, appendPlace(nil, &place), nil)
	}
	if err = s.commit(b, err, pebble.NoSync); err == nil {
		s.place = place
	}
	return err
}

// stage writes keys into a batch.
func (s *Store) stage(b *pebble.Batch, keys []domain.WrappedKey, now time.Time) (err error) {
	var key [keyBytes]byte
	for i := range keys {
		k := appendKey(key[:0], familyKey, keys[i].ID)
		if keys[i].Wrapped != nil {
			if err := b.Set(k, keys[i].Wrapped, nil); err != nil {
				return err
			}
			continue
		}
		s.deleted.Store(true)
		if err := b.Delete(k, nil); err != nil {
			return err
		}
		mark := binary.AppendVarint([]byte{markVersion}, now.UnixMilli())
		if err := b.Set(appendMark(key[:0], keys[i].ID), mark, nil); err != nil {
			return err
		}
	}
	return nil
}

// commit writes a batch that was staged with err.
func (s *Store) commit(b *pebble.Batch, err error, o *pebble.WriteOptions) error {
	if err == nil {
		err = s.db.Commit(b, o)
	}
	if s.db.Err() == nil { // else Pebble may have it still
		err = errors.Join(err, b.Close())
	}
	return err
}

// Deleted calls found with the place in keys of each that has been deleted, and is remembered.
func (s *Store) Deleted(keys []domain.WrappedKey, found func(i int)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	var key [keyBytes]byte
	for i := range keys {
		_, err := scan.Get(s.db, appendMark(key[:0], keys[i].ID), func([]byte) error { found(i); return nil })
		if err != nil {
			return s.unreadable(err)
		}
	}
	return nil
}

// keepMarks is how long the copy remembers that a key was deleted: as long as the topic does.
const keepMarks = 30 * 24 * time.Hour

// forget drops the marks of keys that were deleted long before the copy was last at the topic's end.
func (s *Store) forget() error {
	before := s.Place().ReadAt - keepMarks.Milliseconds()
	b := s.db.NewBatch()
	err := scan.Range(s.db, []byte{familyDeleted}, []byte{familyDeleted + 1}, func(k, v []byte) (bool, error) {
		if len(v) < 2 || v[0] != markVersion {
			return false, errDamaged
		}
		ms, n := binary.Varint(v[1:])
		if n != len(v)-1 {
			return false, errDamaged
		}
		if ms >= before {
			return true, nil
		}
		return true, b.Delete(k, nil)
	})
	if err = s.commit(b, err, pebble.NoSync); err != nil {
		return fmt.Errorf("storage: the data keys: %w", s.unreadable(err))
	}
	return nil
}

// Reset empties the copy, so that the topic is read from its start.
func (s *Store) Reset() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.db.NewBatch()
	var err error
	for _, family := range []byte{familyDeleted, familyKey, familyPlace} {
		err = errors.Join(err, b.DeleteRange([]byte{family}, []byte{family + 1}, nil))
	}
	s.deleted.Store(true)
	if err = s.commit(b, err, pebble.Sync); err == nil {
		s.place = domain.KeyPlace{}
	}
	return err
}
