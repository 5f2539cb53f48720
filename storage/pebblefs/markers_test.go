package pebblefs

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A directory with tables and without one of the marker files is refused by that file's
// name; one that is new, or was never flushed, is Pebble's to judge.
func TestCheckMarkers_NamesTheMissingFile(t *testing.T) {
	const manifest, format = "marker.manifest.000001.MANIFEST-000001", "marker.format-version.000011.024"
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"no directory", nil, ""},
		{"never flushed", []string{"MANIFEST-000001", "000002.log"}, ""},
		{"whole", []string{"000005.sst", manifest, format}, ""},
		{"no manifest marker", []string{"000005.sst", format}, "marker.manifest."},
		{"no format marker", []string{"000005.sst", manifest}, "marker.format-version."},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := vfs.NewMem()
			for _, name := range c.files {
				if err := disk.MkdirAll("d", 0o700); err != nil {
					t.Fatal(err)
				}
				f, err := disk.Create(disk.PathJoin("d", name), vfs.WriteCategoryUnspecified)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
			err := checkMarkers(disk, "d")
			var missing *MarkerError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &missing) || missing.Missing != c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
