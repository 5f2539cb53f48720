package pebblefs

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// format is pinned: a newer Pebble does not change the files of a store by itself.
const format = pebble.FormatValueSeparation

// Defaults are the options of Pebble that every store has.
func Defaults() *pebble.Options {
	o := &pebble.Options{
		FormatMajorVersion:          format,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return o
}

// ForgetWALs has a WAL that is of no use any more removed: Pebble would write another one over it, some day, and until
// then it has what was deleted.
func ForgetWALs(o *pebble.Options) { o.Cleaner = removing{} }

// removing is a DeleteCleaner that Pebble takes for one which needs the contents of files: it writes over none.
type removing struct {
	pebble.DeleteCleaner
	needing
}

type needing struct{ pebble.ArchiveCleaner }

// Options describe a store. All but the last two must be set.
type Options struct {
	FS      vfs.FS
	Logger  *slog.Logger
	Name    string // begins errors and lines of the log
	Corrupt string // the line of the log for a corrupt file
	Restore string // what an operator can do where files are missing
	Own     error  // the store's own error of a value that it cannot read

	YieldFlushes bool // flushes have low priority too: where writes do not wait for them
	CheckBlocks  bool // blocks are large: a corrupt one is found, and read, once
}

// DB is a Pebble store and its state: at work, or stopped by a failed disk.
type DB struct {
	*pebble.DB
	opts    Options
	dir     string
	corrupt *corruption
	blocks  badBlocks

	armed  atomic.Bool // the store is open; before, Pebble reports the disk's errors itself
	failed atomic.Pointer[error]
	done   chan struct{} // closed when failed is set
}

// Open opens the store in dir, or makes one. On a disk that is full Pebble would try for ever
// to bring what its WAL holds into a table: Open leaves it and gives the error, and the process
// has to end. The file system, logger and listener of p are Open's.
func Open(dir string, o Options, p *pebble.Options) (*DB, error) {
	if err := checkMarkers(o.FS, dir); err != nil {
		return nil, fmt.Errorf("%w; %s", err, o.Restore)
	}
	d := &DB{opts: o, dir: dir, corrupt: newCorruption(o), done: make(chan struct{})}
	p.FS = disk{o.FS, d}
	p.Logger = logger{d}
	p.EventListener = d.listener()
	var db *pebble.DB
	err := d.OrFailed(func() (err error) {
		opened, err := pebble.Open(dir, p)
		if err == nil {
			db = opened
		}
		return err
	})
	if err == nil {
		err = d.Err()
	}
	if err != nil { // of a store that failed nothing can be closed
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	d.DB = db
	d.armed.Store(true)
	return d, nil
}

// Err is why the store stopped, nil while it works.
func (d *DB) Err() error {
	if err := d.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Failed is closed when the store stops.
func (d *DB) Failed() <-chan struct{} { return d.done }

// Fail stops the store for good. The first error stays, is logged, and is given.
func (d *DB) Fail(err error) error {
	err = fmt.Errorf("%s: %w", d.opts.Name, err)
	if d.failed.CompareAndSwap(nil, &err) {
		close(d.done)
		d.opts.Logger.Error(d.opts.Name+": the store stopped", "dir", d.dir, "err", err)
	}
	return d.Err()
}

// OrFailed calls f, which calls Pebble, and gives its error, or why the store stopped
// meanwhile: Pebble may block for ever then, and f with it.
func (d *DB) OrFailed(f func() error) error {
	returned := make(chan error, 1)
	go func() { returned <- f() }()
	select {
	case err := <-returned:
		return err
	case <-d.done:
		return d.Err()
	}
}

// Close closes the store. One that stopped is left as it is, and its error given: the process
// has to end before it can be opened again.
func (d *DB) Close() error {
	d.corrupt.close()
	if err := d.Err(); err != nil {
		return err
	}
	return d.OrFailed(d.DB.Close)
}

// listener gets Pebble's events. It flushes and compacts on goroutines that end with it.
func (d *DB) listener() *pebble.EventListener {
	return &pebble.EventListener{
		FlushBegin: func(pebble.FlushInfo) {
			if d.opts.YieldFlushes {
				yield()
			}
		},
		CompactionBegin: func(pebble.CompactionInfo) { yield() },
		BackgroundError: func(err error) { d.ends("background", d.corrupt.background(err)) },
		DataCorruption:  d.corrupt.found,
		WriteStallBegin: func(i pebble.WriteStallBeginInfo) { d.ends("stall", d.corrupt.stalled(i.Reason)) },
	}
}

// ends stops the store if there is an error.
func (d *DB) ends(what string, err error) {
	if err != nil {
		_ = d.Fail(fmt.Errorf("%s: %w", what, err))
	}
}

// logger is Pebble's. A fatal message stops the store and not the process.
type logger struct{ db *DB }

// Infof is for debugging.
func (l logger) Infof(format string, args ...any) {
	l.db.opts.Logger.Debug("pebble", "store", l.db.opts.Name, "message", fmt.Sprintf(format, args...))
}

// Errorf is what Pebble recovers from.
func (l logger) Errorf(format string, args ...any) {
	l.db.opts.Logger.Warn("pebble", "store", l.db.opts.Name, "message", fmt.Sprintf(format, args...))
}

// Fatalf is what it would end the process for.
func (l logger) Fatalf(format string, args ...any) {
	_ = l.db.Fail(fmt.Errorf("fatal: %w", fmt.Errorf(format, args...)))
}
