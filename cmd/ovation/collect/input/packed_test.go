package input

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// unpackedBytes is how many bytes a file of that text has, unpacked.
func unpackedBytes(t *testing.T, text string) (int64, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(name)
	if err != nil {
		return 0, err
	}
	defer f.close()
	return io.Copy(io.Discard, f.reader)
}

// An xz file is read whole or is an error, wherever it is cut: also where one of its blocks ends.
func TestXZ_CutIsAnError(t *testing.T) {
	rows := strings.Repeat("u,Somebody with a name\n", 400)
	var packed bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: 1000, DictCap: 4096}.NewWriter(&packed)
	if err == nil {
		_, err = io.WriteString(w, rows)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := packed.String()
	for _, text := range []string{whole, whole + "\x00\x00\x00\x00", whole + whole} {
		want := int64(len(rows) * strings.Count(text, whole))
		if got, err := unpackedBytes(t, text); err != nil || got != want {
			t.Errorf("%d of %d bytes: %v", got, want, err)
		}
	}
	for n := 6; n < len(whole); n++ {
		if got, err := unpackedBytes(t, whole[:n]); err == nil {
			t.Errorf("cut after %d of %d bytes it has %d", n, len(whole), got)
		}
	}
}
