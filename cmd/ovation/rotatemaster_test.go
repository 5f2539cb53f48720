package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// The command prints the id of the key that it has put in front. Where the environment has the master keys it changes
// nothing and says so.
func TestRotateMaster_Command(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(data, "secrets.yaml")
	made, err := secrets.Open(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := made.Keep(path); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--data", data}, {"--secrets", path}} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"secrets", "rotate-master"}, args...), &stdout, &stderr); code != exitFine {
			t.Fatalf("%d %s", code, &stderr)
		}
		s, err := secrets.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(stdout.String(), "master  "+s.Masters[0].ID.String()) {
			t.Errorf("printed %s", &stdout)
		}
	}
	t.Setenv(secrets.MasterKeys, "x")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"secrets", "rotate-master", "--data", data}, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), secrets.MasterKeys) {
		t.Errorf("rotated: %d %s", code, &stderr)
	}
}
