package store

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/contents"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/timeline"
)

// Options are the settings of a store; zero values are the defaults.
type Options struct {
	FS                 vfs.FS       // the disk; default: the operating system's
	Logger             *slog.Logger // default: none
	Cache              *Cache       // of several stores; default: one of the store's own
	CacheBytes         int64        // of its own cache of blocks; default 128 MiB
	MaxOpenFiles       int          // of its own cache of files; default 1,000
	MinFree            uint64       // bytes of the disk below which a shard has no room; default 128 MiB
	MemTableBytes      int          // of one write buffer; default 64 MiB
	SealRows           int          // rows of a shard's tail that are sealed at once; default 32,768
	TailBytes          int          // of a shard's tail's contents, which are sealed then too; default 8 MiB
	FilterBytes        int          // a shard's filters of months before the clock's two; default 32 MiB
	ContentFilterBytes int          // of content filters, of all shards; default 32 MiB
	Throwaway          bool         // nothing is durable: a store that is removed when it is closed
	// SyncWithin is how long a shard's commit may wait to be durable, with those that come
	// meanwhile. A power cut then leaves the shard at an earlier commit: the journal, which
	// is durable before it is applied, has the rest. 0: a commit is durable when it returns.
	SyncWithin time.Duration

	narrow // tests have narrower ones
}

// narrow are the sizes of what is stored.
type narrow struct {
	widths     format.Widths
	bucketRows uint64 // rows in a bucket
	blockBytes int    // of contents
	noCompact  bool   // benchmarks measure compaction apart
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 128 << 20
	}
	if o.MemTableBytes <= 0 {
		o.MemTableBytes = 64 << 20
	}
	if o.MinFree == 0 {
		o.MinFree = 128 << 20
	}
	if o.MaxOpenFiles <= 0 {
		o.MaxOpenFiles = 1000
	}
	if o.SealRows <= 0 {
		o.SealRows = 1 << 15
	}
	if o.TailBytes <= 0 {
		o.TailBytes = 8 << 20
	}
	if o.FilterBytes <= 0 {
		o.FilterBytes = 32 << 20
	}
	if o.ContentFilterBytes <= 0 {
		o.ContentFilterBytes = 32 << 20
	}
	if o.widths == (format.Widths{}) {
		o.widths = format.Widths{Day: format.DayClassFrom, Hour: format.HourClassFrom}
	}
	if o.bucketRows == 0 {
		o.bucketRows = timeline.BucketRows
	}
	if o.blockBytes == 0 {
		o.blockBytes = contents.BlockBytes
	}
	return o
}

// durability is how the store's own keys are written.
func (o *Options) durability() *pebble.WriteOptions {
	if o.Throwaway {
		return pebble.NoSync
	}
	return pebble.Sync
}

// Cache is a cache of blocks and open files that several stores share.
type Cache struct {
	blocks *pebble.Cache
	files  *pebble.FileCache
}

// NewCache makes a cache of so many bytes of blocks and so many open files.
func NewCache(bytes int64, files int) *Cache {
	return &Cache{pebble.NewCache(bytes), pebble.NewFileCache(4, files)}
}

// Close gives the cache up. Stores that use it keep it until they are closed.
func (c *Cache) Close() {
	c.files.Unref()
	c.blocks.Unref()
}

// Store is a node's store: all its shards. Any goroutine may use it.
type Store struct {
	db       *pebblefs.DB
	dir      string
	opts     Options
	space    *pebblefs.Space
	closed   atomic.Bool
	commits  atomic.Uint64
	rows     atomic.Uint64
	buckets  atomic.Uint64 // values of R that readers read
	snapshot atomic.Int64  // open ones
	sealings sync.Pool     // of *sealing
	tails    timeline.Memory
	filters  *contents.Filters
	later    later

	mu   sync.Mutex     // guards open: shards are opened by the node and closed by themselves
	open map[int]*Shard // by shard; nil while it is being opened
}

// Open opens the store in dir, or makes one. A store of another format is a
// *FormatError.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	db, err := openPebble(dir, shardsFormat, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		db: db, opts: o, dir: dir, open: map[int]*Shard{}, space: pebblefs.NewSpace(o.FS, dir),
		filters: contents.NewFilters(o.ContentFilterBytes),
	}
	s.sealings.New = func() any { return &sealing{batch: db.NewBatch(pebble.WithMaxRetainedSizeBytes(sealingRetained))} }
	return s, nil
}

// openPebble opens a Pebble store and checks what it is.
func openPebble(dir, want string, o Options) (*pebblefs.DB, error) {
	cache := o.Cache
	if cache == nil {
		cache = NewCache(o.CacheBytes, o.MaxOpenFiles)
		defer cache.Close()
	}
	p := pebbleOptions(o)
	p.Cache = cache.blocks
	p.FileCache = cache.files
	db, err := pebblefs.Open(dir, pebblefs.Options{
		FS: o.FS, Logger: o.Logger, Name: "storage", Corrupt: "a file of the store is corrupt", Own: format.ErrDamaged,
		Restore: "move the directory away: the node builds another one from the log", YieldFlushes: true,
	}, p)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	if err := checkFormat(db.DB, dir, want, o.durability()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// pebbleOptions are those that shape the files of a store.
func pebbleOptions(o Options) *pebble.Options {
	p := pebblefs.Defaults()
	p.MaxOpenFiles = o.MaxOpenFiles
	p.Merger = format.Merger
	p.MemTableSize = uint64(o.MemTableBytes)
	p.L0StopWritesThreshold = 64
	p.LBaseMaxBytes = 64 << 20
	p.TargetFileSizes = [7]int64{8 << 20} // each level's twice as much: an open file for 32 MiB
	p.CompactionConcurrencyRange = func() (int, int) { return 1, 2 }
	p.BytesPerSync = 512 << 10
	p.DisableWAL = o.Throwaway
	if o.noCompact {
		p.DisableAutomaticCompactions, p.L0StopWritesThreshold = true, 1<<20
	}
	for i := range p.Levels {
		p.Levels[i].BlockSize = 32 << 10
		p.Levels[i].IndexBlockSize = 64 << 10
	}
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	return p
}

// Shard opens a shard's part of the store, for which a Replacement that is
// complete was put before. It is the caller's goroutine's until it is
// closed; until then it cannot be opened again.
func (s *Store) Shard(i int) (*Shard, error) {
	if i < 0 || i > 1<<16-1 {
		return nil, fmt.Errorf("storage: no shard %d", i)
	}
	if err := s.usable(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	_, taken := s.open[i]
	if !taken {
		s.open[i] = nil
	}
	s.mu.Unlock()
	if taken {
		return nil, fmt.Errorf("storage: shard %d is open already", i)
	}
	err := s.replacement(uint16(i)).Install(s.db, func() { s.filters.Replaced(uint16(i)) })
	var sh *Shard
	if err == nil {
		sh, err = openShard(s, uint16(i))
	}
	if err != nil {
		s.enter(i, nil, false)
		return nil, fmt.Errorf("storage: open shard %d: %w", i, err)
	}
	s.enter(i, sh, true)
	return sh, nil
}

// enter notes an open shard, or that it is open no more.
func (s *Store) enter(i int, sh *Shard, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open {
		s.open[i] = sh
	} else {
		delete(s.open, i)
	}
}

// usable is nil, or why the store is not.
func (s *Store) usable() error {
	if s.closed.Load() {
		return errClosed
	}
	return s.db.Err()
}

// reader reads the store while it is usable.
func (s *Store) reader() pebble.Reader { return usableReader{s.db.DB, s} }

// usableReader gives the store's error where Pebble would panic.
type usableReader struct {
	*pebble.DB
	store *Store
}

// Get is Pebble's.
func (r usableReader) Get(key []byte) ([]byte, io.Closer, error) {
	if err := r.store.usable(); err != nil {
		return nil, nil, err
	}
	return r.DB.Get(key)
}

// NewIter is Pebble's.
func (r usableReader) NewIter(o *pebble.IterOptions) (*pebble.Iterator, error) {
	if err := r.store.usable(); err != nil {
		return nil, err
	}
	return r.DB.NewIter(o)
}

// Audit is a shard as of its last commit, whether it is open or not; pace is audit.New's.
func (s *Store) Audit(shard int, pace func(bytes int) error) (*audit.Audit, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	snap := s.db.NewSnapshot()
	s.snapshot.Add(1)
	return audit.New(snap, uint16(shard), pace, func() error {
		s.snapshot.Add(-1)
		return snap.Close()
	})
}

// Err is the error that stopped the store, nil while it runs.
func (s *Store) Err() error { return s.db.Err() }

// Failed is closed when an error stopped the store: Err says which.
func (s *Store) Failed() <-chan struct{} { return s.db.Failed() }

// Close closes the store. Shards and snapshots are closed before. A store that failed
// is left as it is and its error given: the process has to end before it can be
// opened again.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.later.one.Lock() // an fsync that was begun
	defer s.later.one.Unlock()
	return s.db.Close()
}

// hasRoom is nil, or a *pebblefs.FullError: nothing more should be written for now. A disk that does not
// say how much is free is taken for one that has room.
func (s *Store) hasRoom() error {
	free, err := s.space.Free()
	if err == nil && free < s.opts.MinFree {
		return &pebblefs.FullError{Free: free, Least: s.opts.MinFree}
	}
	return nil
}

// Damaged reports that an error says that a file of a store holds what cannot be read.
func Damaged(err error) bool { return format.Unreadable(err) }

var errClosed = errors.New("storage: closed")
