package keys

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// loadPlace reads the place of a copy.
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

// Place is how far a copy has read the topic; the zero value: nothing was read.
func (s *Store) Place() domain.KeyPlace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place
}

var errNoCopy = errors.New("storage: the data keys are an original, which follows nothing")

// Follow writes to a copy what was read of the topic, and how far: both or neither, and not
// durable at once. Keys that are deleted are taken from it.
func (s *Store) Follow(keys []domain.WrappedKey, place domain.KeyPlace) error {
	if !s.opts.Copy {
		return errNoCopy
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(keys, appendPlace(nil, &place), pebble.NoSync); err != nil {
		return err
	}
	s.place = place
	return nil
}

// Reset empties a copy, so that the topic is read from its start.
func (s *Store) Reset() error {
	if !s.opts.Copy {
		return errNoCopy
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.db.NewBatch()
	err := errors.Join(
		b.DeleteRange([]byte{familyKey}, []byte{familyKey + 1}, nil),
		b.Delete([]byte{familyPlace}, nil))
	if err == nil {
		err = s.db.Commit(b, pebble.Sync)
	}
	if s.db.Err() == nil { // else Pebble may have it still
		err = errors.Join(err, b.Close())
	}
	if err == nil {
		s.place = domain.KeyPlace{}
	}
	return err
}
