package storage

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FullError says that the disk is nearly full. What is left is for what was staged, and
// for the store's own work: a write that finds none ends the store.
type FullError struct{ Free, Least uint64 } // bytes

// Error tells MiB.
func (e *FullError) Error() string {
	return fmt.Sprintf("the disk is nearly full: %d MiB free, %d are the least", e.Free>>20, e.Least>>20)
}

// room is how much of the disk is free, as of a moment ago. Any goroutine may ask.
type room struct {
	fs    vfs.FS
	dir   string
	least uint64

	mu     sync.Mutex // guards what follows: all shards ask
	looked time.Time
	free   uint64
}

// roomEvery is how long an answer of the disk holds: nothing fills it by more than the
// least meanwhile.
const roomEvery = 50 * time.Millisecond

// bytes is how many are free; of a disk that does not say, as many as there can be.
func (r *room) bytes() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); r.looked.IsZero() || now.Sub(r.looked) >= roomEvery {
		r.looked, r.free = now, math.MaxUint64
		if u, err := r.fs.GetDiskUsage(r.dir); err == nil {
			r.free = u.AvailBytes
		}
	}
	return r.free
}

// Room is nil, or a *FullError: nothing more should be staged for now.
func (s *Shard) Room() error {
	if free := s.store.room.bytes(); free < s.store.room.least {
		return &FullError{free, s.store.room.least}
	}
	return nil
}
