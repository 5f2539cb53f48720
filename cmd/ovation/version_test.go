package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the linker was told outranks what the toolchain noted.
func TestVersion_ToldAtBuild(t *testing.T) {
	const build = "github.com/ovation-analytics/ovation/cmd/ovation/build"
	dir := t.TempDir()
	program := filepath.Join(dir, "ovation")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-X "+build+".version=v9.8.7 -X "+build+".revision=abc123", "-o", program, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err = exec.Command(program, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "ovation v9.8.7 go1.") || !strings.HasSuffix(string(out), " revision abc123\n") {
		t.Errorf("%v: %s", err, out)
	}
}
