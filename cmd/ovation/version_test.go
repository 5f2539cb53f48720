package main

import (
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The version names the revision, and that the checkout had changes.
func TestVersion_RevisionAndChanges(t *testing.T) {
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.modified", Value: modified}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}}
	}
	for _, c := range []struct {
		info debug.BuildInfo
		want build
	}{
		{debug.BuildInfo{}, build{Version: "(devel)", Revision: "unknown"}},
		{
			debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}, Settings: vcs("false")},
			build{Version: "v1.2.3", Go: "go1.26.8", Revision: "abc", Time: "2026-01-02T03:04:05Z"},
		},
		{
			debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "(devel)"}, Settings: vcs("true")},
			build{Version: "(devel)", Go: "go1.26.8", Revision: "abc+dirty", Time: "2026-01-02T03:04:05Z"},
		},
	} {
		if d := cmp.Diff(c.want, buildOf(&c.info)); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
}

// What the linker was told outranks what the toolchain noted.
func TestVersion_ToldAtBuild(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ovation")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-X main.version=v9.8.7 -X main.revision=abc123", "-o", program, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err = exec.Command(program, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "ovation v9.8.7 go1.") || !strings.HasSuffix(string(out), " revision abc123\n") {
		t.Errorf("%v: %s", err, out)
	}
}
