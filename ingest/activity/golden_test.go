package activity

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden files that are not there; those that are there are never written again")

// golden are the lines of a frozen file of testdata, without comments. With -update a
// file that is not there is made.
func golden(t *testing.T, name string, make func() string) []string {
	t.Helper()
	path := filepath.Join("testdata", name)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && *update {
		b = []byte(make())
		err = os.WriteFile(path, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}
