package node

import (
	"os"
	"strings"
	"testing"
)

// TestMain isolates the tests from the developer's settings.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OVATION_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
