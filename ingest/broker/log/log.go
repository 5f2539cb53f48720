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
	db      *pebblefs.DB
	cluster string
	epoch   int32
	buffers chan []byte // as many as compressed batches may be read at once

	full   atomic.Bool // the last append was refused for want of space
	wrong  atomic.Bool // the last one that the log stamps was, because of the clock
	steady steady

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
}

// Open opens the log in a directory, or makes one. No other process can have it
// open; a log of another format version is refused.
func Open(dir string, opts Options) (*Log, error) {
	l := &Log{opts: opts, dir: dir, byName: map[string]*topic{}, byID: map[domain.TopicID]*topic{}}
	l.defaults()
	db, err := pebblefs.Open(dir, pebblefs.Options{
		FS: l.opts.FS, Logger: l.opts.Logger, Name: "log", Corrupt: "log: a file is corrupt", Own: errDamaged,
		Restore: "put it back, or the whole directory from a copy: what is in the log is nowhere else", CheckBlocks: true,
	}, l.pebbleOptions())
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	l.db = db
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("log %s: %w", dir, errors.Join(err, l.Close()))
	}
	return l, nil
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
		o.FreeSpace = pebblefs.NewSpace(o.FS, l.dir).Free
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
func (l *Log) pebbleOptions() *pebble.Options {
	o := pebblefs.Defaults() // with filters: they tell a table that has a key from a corrupt one (see around)
	o.CacheSize = l.opts.CacheBytes
	o.MemTableSize = uint64(l.opts.MemTableBytes)
	o.L0StopWritesThreshold = 24
	o.LBaseMaxBytes = 256 << 20
	o.TargetFileSizes = [7]int64{16 << 20} // each level's twice as much
	o.MaxOpenFiles = 64
	o.WALMinSyncInterval = func() time.Duration { return l.opts.SyncEvery }
	// What is worth it, publishers have compressed: batches are stored as they came.
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	return o
}

// Cluster is the installation's id: 22 characters, made with the log.
func (l *Log) Cluster() string { return l.cluster }

// Epoch is the leader epoch of this opening.
func (l *Log) Epoch() int32 { return l.epoch }

// Err is why the store stopped; nil while it works.
func (l *Log) Err() error { return stopped(l.db.Err()) }

// stopped is the protocol's error for why the store stopped.
func stopped(err error) error {
	if err == nil || errors.Is(err, StorageError) {
		return err
	}
	return fmt.Errorf("%w: %w", StorageError, err)
}

// fail stops the log, and gives the first cause.
func (l *Log) fail(cause error) error {
	if errors.Is(cause, StorageError) {
		return cause
	}
	return stopped(l.db.Fail(cause))
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

// nearlyFull is why appends are refused for want of space; empty: they are not.
func (l *Log) nearlyFull() string {
	free, err := l.opts.FreeSpace()
	switch {
	case err != nil:
		return "the disk does not say how much is free: " + err.Error()
	case free < l.opts.MinFree:
		return (&pebblefs.FullError{Free: free, Least: l.opts.MinFree}).Error()
	}
	return ""
}

// Close closes the store. One that has stopped is left as it is, and the reason returned.
func (l *Log) Close() error {
	l.gate.Lock()
	defer l.gate.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return stopped(l.db.Close())
}
