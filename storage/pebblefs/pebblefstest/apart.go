package pebblefstest

import (
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// inside is set in the process of a test that runs apart.
const inside = "OVATION_TEST_APART"

// Apart runs a top-level test's body in a process of its own. The package's TestMain is Main.
func Apart(t *testing.T, run func(t *testing.T)) {
	t.Helper()
	if os.Getenv(inside) != "" {
		run(t)
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=2m")
	c.Env = append(os.Environ(), inside+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Main runs the tests and fails if they leave goroutines behind, but for those of a process
// apart.
func Main(m *testing.M) {
	if os.Getenv(inside) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}
