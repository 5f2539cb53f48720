package pebblefs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// disk is the file system under Pebble. Once the store is open, an operation that writes and
// fails stops the store and never returns: to Pebble a failed disk is an infinitely slow one,
// and after a crash at any such moment its files are whole. Pebble cannot recover from the error
// itself: it would panic with its locks held, when a WAL cannot be closed or made, or retry a
// flush for ever. Callers that wait for Pebble return by DB.OrFailed.
//
// Errors of reading are Pebble's to report; a file that cannot be removed does no harm.
type disk struct {
	vfs.FS
	db *DB
}

// stop does not return when err is one, unless the store is still being opened.
func (d disk) stop(op, name string, err error) error {
	if err == nil || !d.db.armed.Load() && d.db.Err() == nil {
		return err
	}
	var pathed *fs.PathError
	if !errors.As(err, &pathed) {
		err = fmt.Errorf("%s %s: %w", op, name, err)
	}
	_ = d.db.Fail(err)
	select {}
}

// Open opens a file for reading.
func (d disk) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.Open(name, o...)
	if err != nil || !d.db.opts.CheckBlocks || !strings.HasSuffix(name, ".sst") {
		return f, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &tableFile{f, &d.db.blocks, filepath.Base(name), info.Size()}, nil
}

// file wraps a file that may be written.
func (d disk) file(op, name string, f vfs.File, err error) (vfs.File, error) {
	if d.stop(op, name, err) != nil {
		return nil, err
	}
	return diskFile{f, d, name}, nil
}

func (d disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if c == compactionCategory {
		d.db.corrupt.pace()
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

// MkdirAll makes a directory that its owner alone may read, whatever Pebble asks for.
func (d disk) MkdirAll(dir string, perm os.FileMode) error {
	return d.stop("mkdir", dir, d.FS.MkdirAll(dir, perm&0o700))
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

func (f diskFile) Preallocate(at, n int64) error {
	return f.disk.stop("preallocate", f.name, f.File.Preallocate(at, n))
}

func (f diskFile) Close() error { return f.disk.stop("close", f.name, f.File.Close()) }
