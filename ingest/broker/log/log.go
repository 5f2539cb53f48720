package log

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

const maxOffset = math.MaxInt64

// Options of a log. The zero value is right for production.
type Options struct {
	FS  vfs.FS           // nil: the disk
	Now func() time.Time // nil: time.Now
	// Since is the time since the opening by a clock that cannot be set; nil: the machine's.
	Since func() time.Duration
	// TrustClock takes the clock for right though the last record is more than an hour ahead
	// of it, or more than 90 days behind.
	TrustClock bool
	MinFree    uint64 // appends are refused below so many bytes free; 0: 256 MiB

	CacheBytes    int64                  // of the cache of blocks; 0: 16 MiB
	MemTableBytes int64                  // of one write buffer; 0: 32 MiB
	FreeSpace     func() (uint64, error) // bytes free for the log; nil: asks the FS
	Logger        *slog.Logger           // nil: slog.Default
	// SyncEvery is the least time between two fsyncs: appends that come in it share the
	// next one. The first after a while is not held back. 0: none is.
	SyncEvery time.Duration
}

// Log is an open log. It is closed by Close, also after an error.
type Log struct {
	opts    Options
	dir     string
	db      *pebble.DB
	cluster string
	epoch   int32
	buffers chan []byte // as many as compressed batches may be read at once

	failed atomic.Pointer[error] // why the store stopped
	broken chan struct{}         // closed when failed is set
	full   atomic.Bool           // the last append was refused for want of space
	wrong  atomic.Bool           // the last one that the log stamps was, because of the clock
	steady steady
	left   atomic.Bool // Pebble holds a batch for ever: see apply

	gate   sync.RWMutex // held shared by every call into the store, alone by Close
	closed bool

	mu        sync.RWMutex // topics; held alone while one is made or deleted
	byName    map[string]*topic
	byID      map[domain.TopicID]*topic
	producers struct {
		mu         sync.Mutex
		next, upTo int64 // first id not handed out, first not reserved in the store
	}

	counts counts
	damage *pebblefs.Damage
	bad    badBlocks
}

// Open opens the log in a directory, or makes one. No other process can have it
// open; a log of another format version is refused.
func Open(dir string, opts Options) (*Log, error) {
	l := &Log{opts: opts, dir: dir, broken: make(chan struct{}), byName: map[string]*topic{}, byID: map[domain.TopicID]*topic{}}
	l.defaults()
	l.damage = pebblefs.NewDamage(l.opts.Logger, "log: a file is corrupt", errDamaged)
	if err := pebblefs.CheckMarkers(l.opts.FS, dir); err != nil {
		return nil, fmt.Errorf("log: %w; put it back, or the whole directory from a copy: what is in the log is nowhere else", err)
	}
	disk := &haltFS{FS: l.opts.FS, log: l}
	if err := l.openPebble(disk); err != nil {
		return nil, fmt.Errorf("log %s: %w", dir, err)
	}
	disk.armed.Store(true)
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("log %s: %w", dir, errors.Join(err, l.Close()))
	}
	return l, nil
}

// openPebble opens the store. On a disk that is full Pebble would try for ever to bring
// what its WAL holds into a table: then it is left, and the process has to end.
func (l *Log) openPebble(disk vfs.FS) error {
	opened := make(chan error, 1)
	go func() {
		db, err := pebble.Open(l.dir, l.pebbleOptions(disk))
		l.db = db
		opened <- err
	}()
	select {
	case err := <-opened:
		return err
	case <-l.broken:
		return l.Err()
	}
}

func (l *Log) defaults() {
	o := &l.opts
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Since == nil {
		o.Since = elapsed()
	}
	if o.MinFree == 0 {
		o.MinFree = 256 << 20
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 16 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 32 << 20
	}
	if o.FreeSpace == nil {
		o.FreeSpace = (&space{fs: o.FS, dir: l.dir}).free
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	n := runtime.GOMAXPROCS(0)
	l.buffers = make(chan []byte, n)
	for range n {
		l.buffers <- nil
	}
}

// pebbleOptions: blocks are large and read in order soon after they were written,
// mostly from the memtable, so the cache is small, and few files are kept open.
func (l *Log) pebbleOptions(disk vfs.FS) *pebble.Options {
	o := &pebble.Options{
		FS:                          disk,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		CacheSize:                   l.opts.CacheBytes,
		MemTableSize:                uint64(l.opts.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       24,
		LBaseMaxBytes:               256 << 20,
		TargetFileSizes:             [7]int64{16 << 20}, // each level's twice as much
		MaxOpenFiles:                64,
		WALMinSyncInterval:          func() time.Duration { return l.opts.SyncEvery },
		Logger:                      pebbleLog{l},
		EventListener:               l.listener(),
	}
	for i := range o.Levels { // they tell a table that has a key from one that is damaged: see around
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	// What is worth it, publishers have compressed: batches are stored as they came.
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	return o
}

// pebbleLog turns Pebble's fatal errors, which would end the process, into the
// log's stop.
type pebbleLog struct{ l *Log }

func (p pebbleLog) Infof(string, ...any) {}
func (p pebbleLog) Errorf(format string, a ...any) {
	p.l.opts.Logger.Error("log: " + fmt.Sprintf(format, a...))
}
func (p pebbleLog) Fatalf(format string, a ...any) { _ = p.l.fail(fmt.Errorf(format, a...)) }

// Cluster is the installation's id: 22 characters, made with the log.
func (l *Log) Cluster() string { return l.cluster }

// Epoch is the leader epoch of this opening.
func (l *Log) Epoch() int32 { return l.epoch }

// Err is why the store stopped; nil while it works.
func (l *Log) Err() error {
	if e := l.failed.Load(); e != nil {
		return *e
	}
	return nil
}

// fail stops the log. The first cause stays.
func (l *Log) fail(cause error) error {
	if errors.Is(cause, StorageError) {
		return cause
	}
	err := fmt.Errorf("%w: %w", StorageError, cause)
	if l.failed.CompareAndSwap(nil, &err) {
		close(l.broken)
		l.opts.Logger.Error("log: the store stopped", "dir", l.dir, "err", cause)
	}
	return l.Err()
}

var errClosed = fmt.Errorf("%w: log is closed", StorageError)

// enter begins a call that touches the store; leave ends it.
func (l *Log) enter() error {
	l.gate.RLock()
	err := l.Err()
	if l.closed {
		err = errClosed
	}
	if err != nil {
		l.gate.RUnlock()
	}
	return err
}

func (l *Log) leave() { l.gate.RUnlock() }

// room refuses appends when the disk is nearly full: what is left is for the store's
// own work and for deleting.
func (l *Log) room() error {
	if why := l.nearlyFull(); why != "" {
		l.counts.full.Add(1)
		if !l.full.Swap(true) {
			l.opts.Logger.Warn("log: appends are refused", "dir", l.dir, "why", why)
		}
		return fmt.Errorf("%w: %s", StorageError, why)
	}
	if l.full.Load() && l.full.Swap(false) {
		l.opts.Logger.Info("recovered: log: appends are refused", "dir", l.dir)
	}
	return nil
}

// timed refuses what the log would stamp while the clock cannot be right.
func (l *Log) timed() error {
	if why := l.clockWrong(); why != "" {
		if !l.wrong.Swap(true) {
			l.opts.Logger.Error("log: appends are refused", "dir", l.dir, "why", why)
		}
		return fmt.Errorf("%w: %s", StorageError, why)
	}
	if l.wrong.Load() && l.wrong.Swap(false) {
		l.opts.Logger.Info("recovered: log: appends are refused", "dir", l.dir)
	}
	return nil
}

// nearlyFull says why appends would be refused for want of space; empty: they would not.
func (l *Log) nearlyFull() string {
	free, err := l.opts.FreeSpace()
	switch {
	case err != nil:
		return "the disk does not say how much is free: " + err.Error()
	case free < l.opts.MinFree:
		return fmt.Sprintf("the disk is nearly full: %d MiB free, %d are the least", free>>20, l.opts.MinFree>>20)
	}
	return ""
}

// Close closes the store. If it has stopped before, the reason is returned; if Pebble
// holds a batch since then, it stays as it is, and its lock until the process ends.
func (l *Log) Close() error {
	l.gate.Lock()
	defer l.gate.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.damage.Close()
	if l.left.Load() {
		return l.Err()
	}
	err := l.db.Close()
	return errors.Join(l.Err(), err)
}
