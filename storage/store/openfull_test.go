package store

import (
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// A store that was killed is opened on a full disk: its log cannot be flushed
// into a table, and open reports this at once.
func TestOpen_OnAFullDisk(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, sh := openSmall(t, fs, smallOptions(fs))
	check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
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

// fullDisk has 100 bytes free.
type fullDisk struct{ vfs.FS }

func (fullDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: 100}, nil
}

// A store whose marker was removed is not taken for an empty one: it is refused by the name
// of the file, with the way out.
func TestOpen_WithoutItsMarkers(t *testing.T) {
	for _, marker := range []string{"marker.manifest.", "marker.format-version."} {
		fs := vfs.NewMem()
		s, sh := openSmall(t, fs, smallOptions(fs))
		check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
		check.OK(t, s.db.Flush())
		closeBoth(t, s, sh)
		for _, name := range check.Must[[]string](t)(fs.List("store")) {
			if strings.HasPrefix(name, marker) {
				check.OK(t, fs.Remove("store/"+name))
			}
		}
		if _, err := Open("store", smallOptions(fs)); err == nil || !strings.Contains(err.Error(), marker) || !strings.Contains(err.Error(), "move the directory away") {
			t.Errorf("without %s*: %v", marker, err)
		}
	}
}
