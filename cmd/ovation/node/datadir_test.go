package node

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// A --data that cannot be used ends a node, or a demo, at once with its path, owner and mode: only a full
// disk is waited for.
func TestData_UnusableEndsTheStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fill func(t *testing.T, dir string) (data string)
		says string
	}{
		"a file": {func(t *testing.T, dir string) string { return touched(t, dir, "data") }, "data is no directory: owner "},
		"below a file": {func(t *testing.T, dir string) string {
			return filepath.Join(touched(t, dir, "file"), "a", "data")
		}, "file is no directory: owner "},
		"a file in the store's place": {func(t *testing.T, dir string) string {
			touched(t, dir, "store")
			return dir
		}, "store is no directory: owner "},
		"a file in the log's place": {func(t *testing.T, dir string) string {
			touched(t, dir, "log")
			return dir
		}, "log is no directory: owner "},
		"a link to nothing": {func(t *testing.T, dir string) string {
			if err := os.Symlink("gone", filepath.Join(dir, "data")); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "data")
		}, "leads nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			data := c.fill(t, t.TempDir())
			cfg := config.Config{
				Data: data, HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 1, Memory: 256 << 20,
				AdminPort: config.AdminPort{Admin: "127.0.0.1:0"},
			}
			n, err := Open(ctx, cfg, slog.New(slog.DiscardHandler))
			if err == nil {
				n.Close()
			}
			if err == nil || !strings.HasPrefix(err.Error(), "--data: ") || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

func touched(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The data of a node is its owner's: directories are made so, and of one that lets others in the log says so.
func TestData_IsTheOwners(t *testing.T) {
	for mode, want := range map[fs.FileMode]bool{0: false, 0o700: false, 0o755: true, 0o750: true, 0o701: true} {
		dir := filepath.Join(t.TempDir(), "data")
		if mode != 0 {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, mode))
		}
		var said bytes.Buffer
		n := &Node{Config: config.Config{Data: dir}, Log: slog.New(slog.NewTextHandler(&said, nil))}
		must(t, n.openSecrets(t.Context()))
		if warned := strings.Contains(said.String(), fmt.Sprintf("mode %04o lets others in; chmod 700 it", mode)); warned != want || !want && said.Len() > 0 {
			t.Errorf("mode %o: %s", mode, &said)
		}
		stat, err := os.Stat(dir)
		must(t, err)
		if got := stat.Mode().Perm(); got != cmp.Or(mode, 0o700) {
			t.Errorf("mode %o is %o now", mode, got)
		}
		store := filepath.Join(dir, "store")
		db, err := pebblefs.Open(store, pebblefs.Options{FS: vfs.Default, Logger: n.Log, Name: "store"}, pebblefs.Defaults())
		must(t, err)
		must(t, db.Close())
		stat, err = os.Stat(store)
		must(t, err)
		if got := stat.Mode().Perm(); got != 0o700 {
			t.Errorf("a store is made with mode %o", got)
		}
	}
}
