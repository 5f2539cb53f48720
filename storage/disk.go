package storage

import (
	"fmt"
	"os"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// disk is the file system under Pebble. Once the store is open, an operation that
// writes and fails never returns: it notes the failure, which stops the store, and
// waits for the end of the process. Pebble cannot go on from such an error: it would
// panic with its locks held, when a log cannot be closed or made, or try for ever.
// What waits for Pebble, waits for the failure too (commitBatch).
//
// Errors of reading are Pebble's to report; files that cannot be removed are in
// nobody's way.
type disk struct {
	vfs.FS
	failure *failure
	armed   *atomic.Bool
}

// stop does not return when err is one, unless the store is still being opened.
func (d disk) stop(op, name string, err error) error {
	if err == nil || !d.armed.Load() && d.failure.get() == nil {
		return err
	}
	d.failure.set(fmt.Errorf("storage: %s %s: %w", op, name, err))
	select {}
}

// file wraps a file that may be written.
func (d disk) file(op, name string, f vfs.File, err error) (vfs.File, error) {
	if d.stop(op, name, err) != nil {
		return nil, err
	}
	return diskFile{f, d, name}, nil
}

func (d disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if c == pebblefs.CompactionCategory {
		d.failure.damage.Pace()
	}
	f, err := d.FS.Create(name, c)
	return d.file("create", name, f, err)
}

func (d disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.OpenReadWrite(name, c, o...)
	return d.file("open", name, f, err)
}

func (d disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	return d.file("open", name, f, err)
}

func (d disk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.ReuseForWrite(from, to, c)
	return d.file("reuse", to, f, err)
}

func (d disk) Link(from, to string) error { return d.stop("link", to, d.FS.Link(from, to)) }

func (d disk) Rename(from, to string) error { return d.stop("rename", to, d.FS.Rename(from, to)) }

func (d disk) MkdirAll(dir string, perm os.FileMode) error {
	return d.stop("mkdir", dir, d.FS.MkdirAll(dir, perm))
}

// Unwrap is the file system below.
func (d disk) Unwrap() vfs.FS { return d.FS }

// diskFile is a file that may be written.
type diskFile struct {
	vfs.File
	disk disk
	name string
}

func (f diskFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.disk.stop("write", f.name, err)
}

func (f diskFile) WriteAt(p []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(p, at)
	return n, f.disk.stop("write", f.name, err)
}

func (f diskFile) Sync() error { return f.disk.stop("sync", f.name, f.File.Sync()) }

func (f diskFile) SyncData() error { return f.disk.stop("sync", f.name, f.File.SyncData()) }

func (f diskFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, f.disk.stop("sync", f.name, err)
}

func (f diskFile) Close() error { return f.disk.stop("close", f.name, f.File.Close()) }

// commitBatch commits a batch, or gives the store's failure: Pebble may be
// waiting for ever then, and the batch with it.
func commitBatch(b *pebble.Batch, f *failure, o *pebble.WriteOptions) error {
	done := make(chan error, 1)
	go func() { done <- b.Commit(o) }()
	select {
	case err := <-done:
		if err != nil {
			return f.set(fmt.Errorf("storage: commit: %w", err))
		}
		return f.get() // a fatal message is reported there alone
	case <-f.done:
		return f.get()
	}
}
