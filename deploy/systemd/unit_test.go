package systemd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool is a tool of systemd, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed")
	}
	return path
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// put writes a file and what is above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The unit has no unknown or wrong setting, and systemd rates its exposure 1.5 at most.
func TestUnit_VerifiedAndConfined(t *testing.T) {
	analyze := tool(t, "systemd-analyze")
	unit := filepath.Join(t.TempDir(), "ovation.service")
	check := func(text string) (string, error) {
		put(t, unit, strings.ReplaceAll(strings.ReplaceAll(text, "/usr/bin/ovation", "/bin/true"), "file:/usr/share/doc/ovation/README.md", "man:true(1)"))
		out, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput()
		if err == nil {
			var rated []byte
			rated, err = exec.Command(analyze, "security", "--offline=true", "--threshold=15", unit).CombinedOutput()
			out = append(out, rated...)
		}
		if err == nil && bytes.Contains(out, []byte("ignoring")) {
			err = errors.New("a setting is ignored")
		}
		return string(out), err
	}
	text := read(t, "ovation.service")
	if out, err := check(text); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	if out, err := check(strings.Replace(text, "ProtectHome=yes", "ProtectHomes=yes", 1)); err == nil {
		t.Errorf("a misspelt setting passes:\n%s", out)
	}
	if out, err := check(strings.Replace(text, "CapabilityBoundingSet=\n", "", 1)); err == nil {
		t.Errorf("a unit with every capability passes:\n%s", out)
	}
}

// The user and the directory are made as the unit names them.
func TestUnit_UserAndDirectory(t *testing.T) {
	sysusers, tmpfiles := tool(t, "systemd-sysusers"), tool(t, "systemd-tmpfiles")
	root := t.TempDir()
	put(t, filepath.Join(root, "usr/lib/sysusers.d/ovation.conf"), read(t, "ovation.sysusers"))
	put(t, filepath.Join(root, "usr/lib/tmpfiles.d/ovation.conf"), read(t, "ovation.tmpfiles"))
	put(t, filepath.Join(root, "etc/passwd"), "")
	if out, err := exec.Command(sysusers, "--root="+root, "ovation.conf").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := read(t, filepath.Join(root, "etc/passwd")); !strings.HasPrefix(got, "ovation:x:") || !strings.Contains(got, ":/var/lib/ovation:") || !strings.HasSuffix(strings.TrimSpace(got), "nologin") {
		t.Errorf("the user: %q", got)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root makes a directory of another user")
	}
	if out, err := exec.Command(tmpfiles, "--root="+root, "--create", "ovation.conf").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(filepath.Join(root, "var/lib/ovation")); err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Errorf("%v %v", info, err)
	}
	unit := read(t, "ovation.service")
	for _, line := range []string{"User=ovation", "Group=ovation", "StateDirectory=ovation", "Type=notify"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no %s", line)
		}
	}
}
