package log

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// space is how much of the disk is free, as of a moment ago. Any goroutine may ask.
type space struct {
	fs  vfs.FS
	dir string

	mu     sync.Mutex // guards what follows: each append asks
	looked time.Time
	bytes  uint64
	err    error
}

// spaceEvery is how long an answer of the disk holds: nothing fills it by more than MinFree
// meanwhile.
const spaceEvery = 50 * time.Millisecond

// free is in bytes; of a disk that does not say, as many as there can be.
func (s *space) free() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.looked.IsZero() && now.Sub(s.looked) < spaceEvery {
		return s.bytes, s.err
	}
	u, err := s.fs.GetDiskUsage(s.dir)
	s.looked, s.bytes, s.err = now, u.AvailBytes, err
	if errors.Is(err, vfs.ErrUnsupported) {
		s.bytes, s.err = math.MaxUint64, nil
	}
	return s.bytes, s.err
}
