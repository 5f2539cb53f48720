package log

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// haltFS stands between Pebble and the disk for the day the disk fails. Pebble answers
// a WAL that cannot be begun or ended by a panic that no recover survives, so an
// error of the WAL or of a directory is not shown to it: the log is stopped first,
// then the call seems to go well. Whoever waits for that fsync looks whether the log
// has stopped before it acknowledges. From then on nothing on the disk is changed any
// more: what is there is what the next opening finds.
type haltFS struct {
	vfs.FS
	log   *Log
	armed atomic.Bool // before it, while opening, errors are Pebble's to report
}

const walCategory = vfs.DiskWriteCategory("pebble-wal")

var errStopped = errors.New("the log has stopped")

// stopped reports that the disk is not to be changed any more.
func (f *haltFS) stopped() bool { return f.log.Err() != nil }

// hides takes an error of the WAL or a directory upon the log.
func (f *haltFS) hides(err error) bool {
	if err == nil || !f.armed.Load() {
		return false
	}
	_ = f.log.fail(err)
	return true
}

// refuse is the error for whatever would change the disk. Pebble tries a failed flush
// again at once and for ever; the pause keeps that from taking a processor.
func (f *haltFS) refuse() error {
	time.Sleep(20 * time.Millisecond)
	return errStopped
}

// nowhere is a WAL that is not on the disk.
func (f *haltFS) nowhere() (vfs.File, error) {
	m, err := vfs.NewMem().Create("wal", walCategory)
	return &haltFile{m, f}, err
}

// Unwrap is for whoever looks for the disk below.
func (f *haltFS) Unwrap() vfs.FS { return f.FS }

// Create makes a file; a WAL always.
func (f *haltFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if f.stopped() {
		if c == walCategory {
			return f.nowhere()
		}
		return nil, f.refuse()
	}
	if c == pebblefs.CompactionCategory {
		f.log.damage.Pace()
	}
	file, err := f.FS.Create(name, c)
	return f.wal(file, err, c)
}

// ReuseForWrite makes a WAL of an old one.
func (f *haltFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if f.stopped() {
		if c == walCategory {
			return f.nowhere()
		}
		return nil, f.refuse()
	}
	file, err := f.FS.ReuseForWrite(old, name, c)
	return f.wal(file, err, c)
}

func (f *haltFS) wal(file vfs.File, err error, c vfs.DiskWriteCategory) (vfs.File, error) {
	switch {
	case c != walCategory:
		return file, err
	case f.hides(err):
		return f.nowhere()
	case err != nil:
		return nil, err
	}
	return &haltFile{file, f}, nil
}

// OpenDir opens a directory, whose Sync is part of beginning a WAL.
func (f *haltFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &haltFile{file, f}, nil
}

// Link is refused once stopped, as are the next ones.
func (f *haltFS) Link(old, name string) error {
	if f.stopped() {
		return f.refuse()
	}
	return f.FS.Link(old, name)
}

// OpenReadWrite opens a file for writing.
func (f *haltFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	if f.stopped() {
		return nil, f.refuse()
	}
	return f.FS.OpenReadWrite(name, c, o...)
}

// Remove removes a file.
func (f *haltFS) Remove(name string) error {
	if f.stopped() {
		return f.refuse()
	}
	return f.FS.Remove(name)
}

// RemoveAll removes a directory.
func (f *haltFS) RemoveAll(name string) error {
	if f.stopped() {
		return f.refuse()
	}
	return f.FS.RemoveAll(name)
}

// Rename renames a file.
func (f *haltFS) Rename(old, name string) error {
	if f.stopped() {
		return f.refuse()
	}
	return f.FS.Rename(old, name)
}

// MkdirAll makes a directory.
func (f *haltFS) MkdirAll(dir string, perm os.FileMode) error {
	if f.stopped() {
		return f.refuse()
	}
	return f.FS.MkdirAll(dir, perm)
}

// haltFile is a WAL or a directory: writing and syncing do nothing once stopped, and
// never fail.
type haltFile struct {
	vfs.File
	fs *haltFS
}

func (f *haltFile) Write(p []byte) (int, error) {
	if f.fs.stopped() {
		return len(p), nil
	}
	n, err := f.File.Write(p)
	if f.fs.hides(err) {
		return len(p), nil
	}
	return n, err
}

// quietly does what may fail.
func (f *haltFile) quietly(do func() error) error {
	if f.fs.stopped() {
		return nil
	}
	if err := do(); !f.fs.hides(err) {
		return err
	}
	return nil
}

func (f *haltFile) Sync() error     { return f.quietly(f.File.Sync) }
func (f *haltFile) SyncData() error { return f.quietly(f.File.SyncData) }

func (f *haltFile) SyncTo(length int64) (full bool, err error) {
	err = f.quietly(func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}

func (f *haltFile) Preallocate(offset, length int64) error {
	return f.quietly(func() error { return f.File.Preallocate(offset, length) })
}

func (f *haltFile) Close() error {
	if err := f.File.Close(); !f.fs.hides(err) {
		return err
	}
	return nil
}
