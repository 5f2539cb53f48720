package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The bytes depend on the entries alone, not on their order; owners, modes and the time are those given.
func TestTarGz_SameBytes(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	dir := Entry{Name: "data/", Mode: 0o700, Owner: 65532}
	file := Entry{Name: "run", Mode: 0o755, Data: []byte("text")}
	one, err := TarGz(at, dir, file)
	if err != nil {
		t.Fatal(err)
	}
	two, err := TarGz(at, file, dir)
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("another order gives other bytes: %v", err)
	}
	packed, err := gzip.NewReader(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(packed)
	var got strings.Builder
	for h, err := r.Next(); err != io.EOF; h, err = r.Next() {
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %c %o %d:%d %q %s\n", h.Name, h.Typeflag, h.Mode, h.Uid, h.Gid, text, h.ModTime.UTC().Format(time.RFC3339))
	}
	want := "data/ 5 700 65532:65532 \"\" 2026-01-02T03:04:05Z\nrun 0 755 0:0 \"text\" 2026-01-02T03:04:05Z\n"
	if got.String() != want {
		t.Errorf("%s\nwant\n%s", &got, want)
	}
}

// Files are named below the name, whatever the umask of the checkout.
func TestFiles_Modes(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"a": 0o600, "sub/b": 0o700} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Files(dir, "top")
	if want := "[{top/a 420 0 [97]} {top/sub/b 493 0 [115 117 98 47 98]}]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v", got, err)
	}
}
