package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put makes a file of a mode.
func put(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

// has wants a file of a text, mode 0600, and nothing beside it.
func has(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	stat, wrong := os.Stat(path)
	if err != nil || wrong != nil || string(got) != text || stat.Mode().Perm() != 0o600 {
		t.Errorf("%q %v, %v; want %q", got, stat.Mode(), err, text)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// A private file is read if no one but its owner may read, write or run it; another file whatever its mode.
func TestRead_Mode(t *testing.T) {
	for _, mode := range []os.FileMode{0o644, 0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o777} {
		path := put(t, "secret", mode)
		if _, err := ReadPrivate(path, 99); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%04o", mode)) {
			t.Errorf("mode %04o: %v", mode, err)
		}
		if b, err := Read(path, 99); string(b) != "secret" || err != nil {
			t.Errorf("mode %04o: %q %v", mode, b, err)
		}
	}
	for _, mode := range []os.FileMode{0o600, 0o400, 0o700} {
		if b, err := ReadPrivate(put(t, "secret", mode), 99); string(b) != "secret" || err != nil {
			t.Errorf("mode %04o: %q %v", mode, b, err)
		}
	}
}

// A file is read up to the limit; one that is longer, absent or no file is an error, which does not quote it.
func TestRead_Refused(t *testing.T) {
	long := put(t, strings.Repeat("secret", 1000), 0o600)
	for name, read := range map[string]func(string, int64) ([]byte, error){"Read": Read, "ReadPrivate": ReadPrivate} {
		if b, err := read(long, 6000); len(b) != 6000 || err != nil {
			t.Errorf("%s at the limit: %d bytes, %v", name, len(b), err)
		}
		if _, err := read(long, 4096); err == nil || !strings.Contains(err.Error(), "longer than 4KiB") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s over the limit: %v", name, err)
		}
		if _, err := read(long+"x", 9); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of no file: %v", name, err)
		}
		if _, err := read(filepath.Dir(long), 9); err == nil {
			t.Errorf("%s reads a directory", name)
		}
	}
}

// Create makes a file and never overwrites one.
func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first", "second"} {
		if err := Create(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		has(t, path, "first")
	}
	if err := Create(filepath.Join(path, "below"), nil); err == nil {
		t.Error("a file is made below a file")
	}
}

// Replace replaces a file by one that was checked; else the old one stays.
func TestReplace(t *testing.T) {
	path := put(t, "old", 0o600)
	refuse := errors.New("refused")
	err := Replace(path, []byte("bad"), func(draft string) error {
		if b, err := ReadPrivate(draft, 9); string(b) != "bad" || err != nil {
			t.Errorf("checked %q, %v", b, err)
		}
		return refuse
	})
	if !errors.Is(err, refuse) {
		t.Error(err)
	}
	has(t, path, "old")
	if err := Replace(path, []byte("new"), func(string) error { return nil }); err != nil {
		t.Error(err)
	}
	has(t, path, "new")
}

// What root owns its group may read, by a user who is not root; never write, and no one else may read it.
func TestPrivate_OfRootAndItsGroup(t *testing.T) {
	for _, c := range []struct {
		mode        fs.FileMode
		owner, user int
		want        bool
	}{
		{0o440, 0, 65532, true},
		{0o640, 0, 65532, true},
		{0o600, 65532, 65532, true},
		{0o400, 0, 0, true},
		{0o640, 0, 0, false},
		{0o640, 65532, 65532, false},
		{0o640, 1000, 65532, false},
		{0o660, 0, 65532, false},
		{0o650, 0, 65532, false},
		{0o444, 0, 65532, false},
		{0o441, 0, 65532, false},
		{0o442, 0, 65532, false},
		{0o640, -1, 65532, false},
	} {
		if got := private(c.mode, c.owner, c.user); got != c.want {
			t.Errorf("mode %04o of user %d for user %d: %v", c.mode, c.owner, c.user, got)
		}
	}
}
