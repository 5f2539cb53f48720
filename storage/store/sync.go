package store

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// later makes commits durable a while after they are made. One fsync a commit is one for
// a few records, when they come in small batches; and it guards nothing: a shard's state is
// a function of the journal, and what is lost of it is applied again before the shard
// serves (I6).
type later struct {
	waits atomic.Bool // a commit is not durable yet, and its fsync will come
	one   sync.Mutex  // an fsync at a time: who comes meanwhile needs none of his own
}

// commit commits a shard's batch.
func (s *Store) commit(b *pebble.Batch) error {
	if s.opts.Throwaway || s.opts.SyncWithin <= 0 {
		return s.db.Commit(b, s.opts.durability())
	}
	if err := s.db.Commit(b, pebble.NoSync); err != nil {
		return err
	}
	if !s.later.waits.Swap(true) {
		time.AfterFunc(s.opts.SyncWithin, func() { _ = s.syncNow() }) // an error is the store's: see Failed
	}
	return nil
}

// syncNow makes durable what is committed.
func (s *Store) syncNow() error {
	s.later.one.Lock()
	defer s.later.one.Unlock()
	if !s.later.waits.Load() || s.usable() != nil {
		return nil
	}
	s.later.waits.Store(false) // before: a commit from here on has an fsync of its own
	b := s.db.NewBatch()
	if err := b.LogData(nil, nil); err != nil {
		return err
	}
	if err := s.db.Commit(b, pebble.Sync); err != nil {
		return err // Pebble may have the batch still
	}
	return b.Close()
}
