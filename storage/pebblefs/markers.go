package pebblefs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// MarkerError is a directory with a store's tables and without the small files that name the
// ones in use. Pebble would take it for an empty one and begin again.
type MarkerError struct {
	Dir, Missing string
}

// Error names cause and effect; the way out depends on the store.
func (e *MarkerError) Error() string {
	return fmt.Sprintf("%s has tables, but its file %s* is missing: it was removed, or the directory was copied in part",
		e.Dir, e.Missing)
}

// checkMarkers looks whether a directory that has tables has their markers, too: a *MarkerError
// where it has not. It is called before the store is opened.
func checkMarkers(disk vfs.FS, dir string) error {
	names, err := disk.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	has := func(is func(name string) bool) bool {
		return slices.ContainsFunc(names, is)
	}
	if !has(func(name string) bool { return strings.HasSuffix(name, ".sst") }) {
		return nil
	}
	for _, marker := range []string{"marker.manifest.", "marker.format-version."} {
		if !has(func(name string) bool { return strings.HasPrefix(name, marker) }) {
			return &MarkerError{Dir: dir, Missing: marker}
		}
	}
	return nil
}
