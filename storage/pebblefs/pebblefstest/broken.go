package pebblefstest

import (
	"errors"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// ErrDisk is what a broken disk says.
var ErrDisk = errors.New("the disk is broken")

// BrokenFrom fails every write to the disk once Left of them have passed.
type BrokenFrom struct{ Left atomic.Int64 }

// String is its name in a report.
func (b *BrokenFrom) String() string { return "broken" }

// MaybeError is the error of an operation, or nil.
func (b *BrokenFrom) MaybeError(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo,
		errorfs.OpCreate, errorfs.OpRename, errorfs.OpFileClose:
		if b.Left.Add(-1) < 0 {
			return ErrDisk
		}
	}
	return nil
}
