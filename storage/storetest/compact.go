package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Compact writes all of a closed store again, in the last level and not compressed: its files hold
// what the store does, as it is, and nothing of what was deleted. The merger is the store's; nil: it
// has none.
func Compact(disk vfs.FS, dir string, merger *pebble.Merger) error {
	open := func(f func(db *pebble.DB) error) error {
		o := pebblefs.Defaults()
		o.FS, o.ErrorIfNotExists, o.Logger = disk, true, silent{}
		if merger != nil {
			o.Merger = merger
		}
		o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
		db, err := pebble.Open(dir, o)
		if err != nil {
			return err
		}
		return errors.Join(f(db), db.Close())
	}
	compact := func(db *pebble.DB) error {
		return db.Compact(context.Background(), []byte{0}, bytes.Repeat([]byte{0xff}, 64), false)
	}
	// A manifest has the first and the last key of files that are no more; the one before is kept.
	again := func(*pebble.DB) error { return nil }
	return errors.Join(open(compact), open(again), open(again))
}

// silent logs nothing.
type silent struct{}

// Infof, Errorf and Fatalf are Pebble's.
func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
