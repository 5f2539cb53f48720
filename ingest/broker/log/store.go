package log

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// store is the log's keys and values. A call that touches it does so between enter and leave.
type store struct {
	db *pebblefs.DB

	gate   sync.RWMutex // held shared by every call into the store, alone by close
	closed bool
}

// err is why the store stopped; nil while it works.
func (s *store) err() error { return stopped(s.db.Err()) }

// stopped is the protocol's error for why the store stopped.
func stopped(err error) error {
	if err == nil || errors.Is(err, StorageError) {
		return err
	}
	return fmt.Errorf("%w: %w", StorageError, err)
}

// fail stops the log, and gives the first cause.
func (s *store) fail(cause error) error {
	if errors.Is(cause, StorageError) {
		return cause
	}
	return stopped(s.db.Fail(cause))
}

// unreadable is an error of reading: that of the call, if it is damage, else the log's.
func (s *store) unreadable(err error) error {
	if !s.db.Corrupted(err) {
		return s.fail(err)
	}
	return fmt.Errorf("%w: %w", StorageError, err)
}

var errClosed = fmt.Errorf("%w: log is closed", StorageError)

// enter begins a call that touches the store; leave ends it.
func (s *store) enter() error {
	s.gate.RLock()
	err := s.err()
	if s.closed {
		err = errClosed
	}
	if err != nil {
		s.gate.RUnlock()
	}
	return err
}

func (s *store) leave() { s.gate.RUnlock() }

func (s *store) close() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return stopped(s.db.Close())
}

// sync makes a batch durable.
func (s *store) sync(b *pebble.Batch) error {
	return stopped(s.db.Commit(b, pebble.Sync))
}

func (s *store) set(key, value []byte) error {
	b := s.db.NewBatch()
	if err := b.Set(key, value, nil); err != nil {
		return s.fail(err)
	}
	return s.sync(b)
}

// get is a copy of a value.
func (s *store) get(key []byte) (value []byte, found bool, err error) {
	v, c, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, s.fail(err)
	}
	value = append(value, v...)
	return value, true, c.Close()
}

// find is get for a call that may fail alone: where a file is damaged, the log goes on.
func (s *store) find(key []byte) (value []byte, found bool, err error) {
	v, c, err := s.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, s.unreadable(err)
	}
	value = append(value, v...)
	return value, true, c.Close()
}

// each calls f with the keys that start with prefix, in order; all for nil. The
// slices are valid during the call.
func (s *store) each(prefix []byte, f func(key, value []byte) error) error {
	o := &pebble.IterOptions{LowerBound: prefix}
	if prefix != nil {
		o.UpperBound = after(prefix)
	}
	it, err := s.db.NewIter(o)
	if err != nil {
		return s.fail(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return s.fail(err)
		}
		if err := f(it.Key(), v); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return s.fail(err)
	}
	return nil
}
