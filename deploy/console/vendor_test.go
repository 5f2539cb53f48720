package console

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The files that are served are those that the pinned packages make.
func TestVendor_IsMadeAgain(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := Install(t.Context(), from); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("npm or its packages cannot be reached: the files are not made again: ", err)
	}
	vendor := exec.CommandContext(t.Context(), "node", "vendor.mjs", to)
	vendor.Dir = from
	if out, err := vendor.CombinedOutput(); err != nil {
		t.Fatalf("vendor.mjs: %v\n%s", err, out)
	}
	const served = "../../api/console/web/vendor"
	made, err := os.ReadDir(to)
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(served)
	if err != nil {
		t.Fatal(err)
	}
	if len(made) != len(there) {
		t.Errorf("%d files are made, %d served", len(made), len(there))
	}
	for _, f := range made {
		want, err := os.ReadFile(filepath.Join(to, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(served, f.Name()))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the packages make (%v)", f.Name(), err)
		}
	}
}
