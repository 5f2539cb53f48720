package storage

import (
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A store that was killed is opened on a full disk: what its log holds cannot be brought
// into a table, and that is said, at once.
func TestAStoreIsNotOpenedOnAFullDisk(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, sh := openSmall(t, fs, smallOptions(fs))
	ok(t, sh.Commit(domain.ShardState{Next: 1}, nil))
	clone := fs.CrashClone(vfs.CrashCloneCfg{})
	closeBoth(t, s, sh)
	full := errorfs.Wrap(clone, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && strings.HasSuffix(op.Path, ".sst") {
			return syscall.ENOSPC
		}
		return nil
	}))
	if _, err := Open("store", smallOptions(full)); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Fatalf("opened with %v", err)
	}
}
