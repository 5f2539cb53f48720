package keys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Options are the settings of a store; zero values are the defaults.
type Options struct {
	FS            vfs.FS       // the disk; default: the operating system's
	Logger        *slog.Logger // default: none
	CacheBytes    int64        // of blocks; default 8 MiB
	MemTableBytes int          // of one write buffer; default 4 MiB
	MinFree       uint64       // bytes of the disk below which there is no Room; default 128 MiB
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 8 << 20
	}
	if o.MemTableBytes <= 0 {
		o.MemTableBytes = 4 << 20
	}
	if o.MinFree == 0 {
		o.MinFree = 128 << 20
	}
	return o
}

// restore is what gives back a directory in which files are missing or damaged.
const restore = "move the directory away: the node copies the keys from their topic again"

// Store is a node's data keys.
type Store struct {
	db      *pebblefs.DB
	opts    Options
	space   *pebblefs.Space
	deleted atomic.Bool // since the last Reclaim, or that is not known

	gate   sync.RWMutex // held shared by every call into the store, alone by Close
	closed bool

	mu    sync.Mutex // guards place: Follow and Reset
	place domain.KeyPlace
}

// ErrClosed is a call after Close.
var ErrClosed = errors.New("storage: the data keys are closed")

// Exists reports that a directory holds anything.
func Exists(disk vfs.FS, dir string) (bool, error) {
	if disk == nil {
		disk = vfs.Default
	}
	names, err := disk.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(names) > 0, err
}

// Open opens the store in dir, or makes one. A store of another format is a *FormatError.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	p := pebbleOptions(&o)
	defer p.Cache.Unref() // the store keeps it
	db, err := pebblefs.Open(dir, pebblefs.Options{
		FS: o.FS, Logger: o.Logger, Name: "storage: data keys", Corrupt: "a file of the data keys is corrupt",
		Restore: restore, Own: errDamaged,
	}, p)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	s := &Store{db: db, opts: o, space: pebblefs.NewSpace(o.FS, dir)}
	s.deleted.Store(true)
	if err := errors.Join(s.checkFormat(dir), s.loadPlace()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// pebbleOptions suit small values that are random, written once and looked up one by one:
// blocks of 4 KiB, not compressed.
func pebbleOptions(o *Options) *pebble.Options {
	p := pebblefs.Defaults()
	p.Cache = pebble.NewCache(o.CacheBytes)
	p.MaxOpenFiles = 100
	pebblefs.ForgetWALs(p)
	p.MemTableSize = uint64(o.MemTableBytes)
	for i := range p.Levels {
		p.Levels[i].BlockSize = 4 << 10
	}
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	return p
}

// enter begins a call that touches the store; leave ends it.
func (s *Store) enter() error {
	s.gate.RLock()
	err := s.db.Err()
	if s.closed {
		err = ErrClosed
	}
	if err != nil {
		s.gate.RUnlock()
	}
	return err
}

func (s *Store) leave() { s.gate.RUnlock() }

// Room is nil, or a *pebblefs.FullError: the copy should take no more keys while the disk is nearly full.
func (s *Store) Room() error {
	free, err := s.space.Free()
	switch {
	case err != nil:
		return fmt.Errorf("storage: the disk of the data keys does not say how much is free: %w", err)
	case free < s.opts.MinFree:
		return &pebblefs.FullError{Free: free, Least: s.opts.MinFree}
	}
	return nil
}

// Get calls found with each wrapped key that there is and the place of its id in ids. The
// bytes are the store's until found returns.
func (s *Store) Get(_ context.Context, ids []domain.KeyID, found func(i int, wrapped []byte) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	var key [keyBytes]byte
	for i := range ids {
		_, err := scan.Get(s.db, appendKey(key[:0], familyKey, ids[i]), func(v []byte) error { return found(i, v) })
		if err != nil {
			return s.unreadable(err)
		}
	}
	return nil
}

// Reclaim has the files give up the keys that were deleted since the call before: compaction alone
// leaves them for as long as few others are written.
func (s *Store) Reclaim(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.forget(); err != nil {
		return err
	}
	if !s.deleted.Swap(false) {
		return nil
	}
	if err := s.db.Compact(ctx, []byte{familyKey}, []byte{familyKey + 1}, false); err != nil {
		s.deleted.Store(true)
		return fmt.Errorf("storage: the data keys: %w", err)
	}
	return nil
}

// unreadable names what a corrupt file means.
func (s *Store) unreadable(err error) error {
	if !s.db.Corrupted(err) {
		return err
	}
	return fmt.Errorf("storage: a file of the data keys is corrupt, and some keys cannot be read; stop the node and %s: %w",
		restore, err)
}

// Each calls f with the ids that begin with prefix, ascending, until it fails.
func (s *Store) Each(prefix []byte, f func(domain.KeyID) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	lower := append([]byte{familyKey}, prefix...)
	err := scan.Range(s.db, lower, format.PrefixEnd(lower), func(k, _ []byte) (bool, error) {
		if len(k) != keyBytes {
			return false, errDamaged
		}
		return true, f(domain.KeyID(k[1:]))
	})
	if err != nil {
		return s.unreadable(err)
	}
	return nil
}

// Err is why the store stopped; nil while it works.
func (s *Store) Err() error { return s.db.Err() }

// Failed is closed when the store stops.
func (s *Store) Failed() <-chan struct{} { return s.db.Failed() }

// Close closes the store. One that failed is left as it is, until the process ends.
func (s *Store) Close() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.db.Close()
}

// Stats is what a store takes and refuses.
type Stats struct {
	DiskBytes uint64
	Free      uint64   // bytes of its disk
	Refusing  string   // why there is no Room; empty: there is
	Corrupt   []string // files in which something cannot be read
}

// Stats is the store as it is now.
func (s *Store) Stats() (Stats, error) {
	if err := s.enter(); err != nil {
		return Stats{}, err
	}
	defer s.leave()
	out := Stats{DiskBytes: s.db.Metrics().DiskSpaceUsage(), Corrupt: s.db.CorruptFiles()}
	out.Free, _ = s.space.Free() // Room has the error
	if err := s.Room(); err != nil {
		out.Refusing = err.Error()
	}
	return out, nil
}
