package pebblefs

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// openRoom is what a store's opening takes beside what its WAL holds: a manifest, options,
// a new WAL.
const openRoom = 16 << 20

// CanOpen is nil, or a *FullError: the disk has no room for what opening a store writes. Pebble
// brings the WAL into tables then, and what fails for want of space does not end before the
// process does. A nil disk is the operating system's.
func CanOpen(disk vfs.FS, dir string) error {
	if disk == nil {
		disk = vfs.Default
	}
	names, err := disk.List(dir)
	at := dir
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(at) != at { // it will be made
		at = filepath.Dir(at)
		_, err = disk.Stat(at)
	}
	if err != nil {
		return err
	}
	minFree := uint64(openRoom)
	for _, name := range names {
		if !strings.HasSuffix(name, ".log") {
			continue
		}
		if info, err := disk.Stat(disk.PathJoin(dir, name)); err == nil {
			minFree += uint64(info.Size())
		}
	}
	usage, err := disk.GetDiskUsage(at)
	if err == nil && usage.AvailBytes < minFree {
		return &FullError{usage.AvailBytes, minFree}
	}
	return nil // a disk that does not report its space is tried
}

// FullError is a disk that is nearly full. What is left is for what was staged, and for
// Pebble's own work: a write that finds none stops the store.
type FullError struct{ Free, Least uint64 } // bytes

// Error tells MiB.
func (e *FullError) Error() string {
	return fmt.Sprintf("the disk is nearly full: %d MiB free, %d are the least", e.Free>>20, e.Least>>20)
}

// Space is how much of a disk is free, as of a moment ago. Any goroutine may ask.
type Space struct {
	fs  vfs.FS
	dir string

	mu     sync.Mutex // guards what follows: each write asks
	looked time.Time
	free   uint64
	err    error
}

// NewSpace asks the disk of a directory.
func NewSpace(disk vfs.FS, dir string) *Space { return &Space{fs: disk, dir: dir} }

// spaceEvery is how long an answer of the disk holds: nothing fills it by more than a store's
// floor meanwhile.
const spaceEvery = 50 * time.Millisecond

// Free is in bytes; of a disk that does not report it, as many as there can be.
func (s *Space) Free() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.looked.IsZero() && now.Sub(s.looked) < spaceEvery {
		return s.free, s.err
	}
	usage, err := s.fs.GetDiskUsage(s.dir)
	s.looked = now
	s.free = usage.AvailBytes
	s.err = err
	if errors.Is(err, vfs.ErrUnsupported) {
		s.free = math.MaxUint64
		s.err = nil
	}
	return s.free, s.err
}
