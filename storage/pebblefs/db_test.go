package pebblefs_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"
)

func TestMain(m *testing.M) { pebblefstest.Main(m) }

// lines are those of a log.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// A disk that fails stops the store: what waits returns, every later call has the first error,
// it is logged once, and Close leaves Pebble as it is.
func TestDB_AFailedDiskStopsTheStore(t *testing.T) { pebblefstest.Apart(t, failedDiskStops) }

func failedDiskStops(t *testing.T) {
	for op, kind := range map[string]errorfs.OpKind{
		"write": errorfs.OpFileWrite, "sync": errorfs.OpFileSyncData, "preallocate": errorfs.OpFilePreallocate,
	} {
		t.Run(op, func(t *testing.T) {
			var armed atomic.Bool
			disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(o errorfs.Op) error {
				if armed.Load() && o.Kind == kind {
					return errors.New("disk on fire")
				}
				return nil
			}))
			said := make(lines, 10)
			p := pebblefs.Defaults()
			p.WALBytesPerSync = 1
			db, err := pebblefs.Open("d", pebblefs.Options{FS: disk, Name: "test", Logger: slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelError}))}, p)
			if err != nil {
				t.Fatal(err)
			}
			armed.Store(true)
			if kind == errorfs.OpFilePreallocate { // the file system of the test never asks for it itself
				f, err := p.FS.Create("d/000009.log", vfs.WriteCategoryUnspecified)
				if err != nil {
					t.Fatal(err)
				}
				go func() { _ = f.Preallocate(0, 1) }()
				<-db.Failed()
			}
			b := db.NewBatch()
			if err := b.Set([]byte("k"), nil, nil); err != nil {
				t.Fatal(err)
			}
			applied, err := db.Apply(b)
			if err == nil {
				err = applied.Wait()
			}
			<-db.Failed()
			for _, err := range []error{err, db.Err(), db.Commit(db.NewBatch(), pebble.Sync), db.Fail(errors.New("another")), db.Close()} {
				if err == nil || !strings.HasPrefix(err.Error(), "test: "+op) || !strings.HasSuffix(err.Error(), "disk on fire") {
					t.Errorf("%v", err)
				}
			}
			if line := <-said; !strings.Contains(line, "test: the store stopped") || len(said) > 0 {
				t.Errorf("logged %q and %d more", line, len(said))
			}
		})
	}
}

// While the store is opened, an error of the disk is the opening's; afterwards it can be opened.
// (Pebble leaves a goroutine behind.)
func TestOpen_ADiskThatFails(t *testing.T) { pebblefstest.Apart(t, openingFails) }

func openingFails(t *testing.T) {
	mem := vfs.NewMem()
	disk := errorfs.Wrap(mem, errorfs.InjectorFunc(func(o errorfs.Op) error {
		if o.Kind == errorfs.OpCreate && strings.HasSuffix(o.Path, ".log") {
			return fs.ErrPermission
		}
		return nil
	}))
	o := pebblefs.Options{FS: disk, Name: "test", Logger: slog.New(slog.DiscardHandler)}
	if _, err := pebblefs.Open("d", o, pebblefs.Defaults()); !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("opened: %v", err)
	}
	o.FS = mem
	db, err := pebblefs.Open("d", o, pebblefs.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	b := db.NewBatch()
	if err := errors.Join(b.Set([]byte("k"), []byte("v"), nil), db.Commit(b, pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
}
