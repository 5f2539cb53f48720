package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// openRoom is what a store's opening takes beside what its WAL holds: a manifest, options,
// a new WAL.
const openRoom = 16 << 20

// CanOpen is nil, or a *FullError: the disk has no room for what opening a store, or the
// embedded log, writes. Pebble brings the WAL into tables then, and what fails for want of
// space does not end before the process does. A nil disk is the operating system's.
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
		return fmt.Errorf("storage: %s: %w", dir, err)
	}
	least := uint64(openRoom)
	for _, name := range names {
		if !strings.HasSuffix(name, ".log") {
			continue
		}
		if info, err := disk.Stat(disk.PathJoin(dir, name)); err == nil {
			least += uint64(info.Size())
		}
	}
	usage, err := disk.GetDiskUsage(at)
	if err == nil && usage.AvailBytes < least {
		return &FullError{usage.AvailBytes, least}
	}
	return nil // a disk that does not say is tried
}
