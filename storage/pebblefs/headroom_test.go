package pebblefs

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// gauged is a disk that says how much is free.
type gauged struct {
	vfs.FS
	free uint64
	err  error
}

func (d *gauged) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: d.free}, d.err
}

// Opening needs room for what the WAL holds and a little more; a directory that is not there
// yet needs the little.
func TestCanOpen_NeedsRoomForTheWAL(t *testing.T) {
	fs := vfs.NewMem()
	if err := fs.MkdirAll("store", 0o700); err != nil {
		t.Fatal(err)
	}
	wal, err := fs.Create("store/000001.log", vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = wal.Write([]byte("batches"))
	}
	if err := errors.Join(err, wal.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		free uint64
		want bool
	}{{"store", openRoom + 6, false}, {"store", openRoom + 7, true}, {"new/store", openRoom - 1, false}, {"new/store", openRoom, true}} {
		err := CanOpen(&gauged{FS: fs, free: c.free}, c.dir)
		var full *FullError
		if (err == nil) != c.want || err != nil && !errors.As(err, &full) {
			t.Errorf("%s with %d bytes free: %v", c.dir, c.free, err)
		}
	}
}

// The disk is asked once in spaceEvery; one that does not say is taken for endless, and another
// error is given.
func TestSpace_AsksTheDiskNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &gauged{free: 5}
		s := NewSpace(disk, "d")
		want := func(free uint64, err error) {
			t.Helper()
			if got, gotErr := s.Free(); got != free || !errors.Is(gotErr, err) {
				t.Errorf("%d, %v", got, gotErr)
			}
		}
		want(5, nil)
		disk.free = 6
		want(5, nil)
		time.Sleep(spaceEvery)
		want(6, nil)
		disk.err = vfs.ErrUnsupported
		time.Sleep(spaceEvery)
		want(math.MaxUint64, nil)
		disk.err = errors.New("unmounted")
		time.Sleep(spaceEvery)
		want(6, disk.err)
	})
}
