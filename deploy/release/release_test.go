package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// made is the directory of a release, of the version and the revision below, which .ci/packages/check makes.
func made(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("RELEASE_UNDER_TEST")
	if dir == "" {
		t.Skip("RELEASE_UNDER_TEST names no release: run .ci/packages/check")
	}
	return dir
}

const (
	version  = "v0.0.1-rc1"
	revision = "of-the-check"
)

// The programs are static, of their architecture, and know what they were built from.
func TestRelease_Programs(t *testing.T) {
	dir := made(t)
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		path := unpacked(t, filepath.Join(dir, fmt.Sprintf("ovation-%s-linux-%s.tar.gz", version, architecture)), "ovation")
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if libraries, err := f.ImportedLibraries(); f.Machine != machine || err != nil || len(libraries) > 0 {
			t.Errorf("%s: %v, libraries %v, %v", architecture, f.Machine, libraries, err)
		}
		if architecture != runtime.GOARCH {
			continue
		}
		out, err := exec.Command(path, "version").CombinedOutput()
		if want := "ovation " + version + " " + runtime.Version() + " revision " + revision + "\n"; err != nil || string(out) != want {
			t.Errorf("%q %v, want %q", out, err, want)
		}
	}
}

// unpacked is a file of an archive, on the disk.
func unpacked(t *testing.T, from, name string) string {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	untar(t, z, root)
	return filepath.Join(root, name)
}

// untar unpacks an archive; root with its owners.
func untar(t *testing.T, from io.Reader, root string) {
	t.Helper()
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			var text []byte
			if text, err = io.ReadAll(r); err == nil {
				err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o600))
			}
		}
		if os.Geteuid() == 0 {
			err = errors.Join(err, os.Chown(path, h.Uid, h.Gid))
		}
		if err = errors.Join(err, syscall.Chmod(path, uint32(h.Mode))); err != nil {
			t.Fatal(err)
		}
	}
}

// A bill of materials names every module of its program.
func TestRelease_BillOfMaterials(t *testing.T) {
	dir := made(t)
	for _, architecture := range []string{"amd64", "arm64"} {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("ovation-%s-linux-%s.cdx.json", version, architecture)))
		if err != nil {
			t.Fatal(err)
		}
		var bill struct {
			BOMFormat  string
			Components []struct{ Name, Version string }
		}
		if err := json.Unmarshal(text, &bill); err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, c := range bill.Components {
			named[c.Name+"@"+c.Version] = true
		}
		info, err := buildinfo.ReadFile(unpacked(t, filepath.Join(dir, fmt.Sprintf("ovation-%s-linux-%s.tar.gz", version, architecture)), "ovation"))
		if err != nil {
			t.Fatal(err)
		}
		if bill.BOMFormat != "CycloneDX" || len(info.Deps) < 50 {
			t.Errorf("%s: %q, %d modules", architecture, bill.BOMFormat, len(info.Deps))
		}
		for _, m := range info.Deps {
			if !named[m.Path+"@"+m.Version] {
				t.Errorf("%s: %s %s is not in the bill of materials", architecture, m.Path, m.Version)
			}
		}
	}
}

// image is the one for this machine.
func image(t *testing.T) v1.Image {
	t.Helper()
	path, err := layout.FromPath(filepath.Join(made(t), "image"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(top); err != nil {
		t.Error(err)
	}
	m, err := top.IndexManifest()
	if err != nil || len(m.Manifests) != 1 {
		t.Fatalf("%+v %v", m, err)
	}
	index, err := top.ImageIndex(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = index.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	for _, d := range m.Manifests {
		if d.Platform.Architecture == runtime.GOARCH {
			i, err := index.Image(d.Digest)
			if err != nil {
				t.Fatal(err)
			}
			return i
		}
	}
	t.Fatalf("no image for %s", runtime.GOARCH)
	return nil
}

// The image's root runs as its user, with a root that is read-only but for /data and /tmp; its own health check says
// that it is ready, and SIGTERM ends it in order.
func TestRelease_ImageRuns(t *testing.T) {
	i := image(t)
	if os.Geteuid() != 0 {
		t.Skip("only root mounts and changes the root")
	}
	config, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "root")
	if err := os.MkdirAll(filepath.Join(root, "proc"), 0o755); err != nil { // as runtimes do
		t.Fatal(err)
	}
	layers := mutate.Extract(i)
	untar(t, layers, root)
	layers.Close()
	names, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(names) != 5 {
		t.Errorf("in its root are %v", names)
	}

	// what a runtime does with such a configuration
	confined := `root=$1; shift
mount --make-rprivate / && mount --bind "$root" "$root" && mount -o remount,bind,ro "$root" &&
mount --bind "$root/data" "$root/data" && mount -o remount,bind,rw "$root/data" &&
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp" && mount --bind /proc "$root/proc" &&
exec chroot --userspec=` + config.Config.User + ` "$root" "$@"`
	within := []string{"unshare", "--mount", "sh", "-c", confined, "sh", root}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespace of mounts here: %v: %s", err, out)
	}
	n := &harness.Node{Binary: config.Config.Entrypoint[0], Data: "/data", Within: within, Args: []string{"--memory", "256MiB"}}
	t.Cleanup(n.Kill)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := n.Start(ctx); err != nil {
		t.Fatal(err)
	}
	proc := fmt.Sprintf("/proc/%d", n.PID())
	status, err := os.ReadFile(proc + "/status")
	if err != nil || !strings.Contains(string(status), "\nUid:\t65532\t65532\t65532\t65532\n") || !strings.Contains(string(status), "\nGid:\t65532\t65532\t") {
		t.Errorf("its user: %v\n%s", err, status)
	}
	for name, want := range map[string]error{"/file": syscall.EROFS, "/etc/file": syscall.EROFS, "/data/file": nil, "/tmp/file": nil} {
		if err := os.WriteFile(proc+"/root"+name, nil, 0o600); !errors.Is(err, want) {
			t.Errorf("writing %s: %v, want %v", name, err, want)
		}
	}
	check := config.Config.Healthcheck.Test
	probe := append([]string{"--userspec=" + config.Config.User, proc + "/root"}, check[1:]...)
	ready := func(admin string) ([]byte, error) {
		c := exec.Command("chroot", probe...)
		c.Env = []string{"OVATION_ADMIN=" + admin}
		return c.CombinedOutput()
	}
	if out, err := ready(n.Admin); check[0] != "CMD" || err != nil || string(out) != "ok\n" {
		t.Errorf("its health check %q: %v: %s", check, err, out)
	}
	if out, err := ready("127.0.0.1:1"); err == nil {
		t.Errorf("a node that is not there is ready: %s", out)
	}
	if code := n.Stop(); code != 0 {
		t.Errorf("SIGTERM ends it with %d:\n%s", code, n.Log())
	}
	if _, err := os.Stat(filepath.Join(root, "data/secrets.yaml")); err != nil {
		t.Error(err)
	}
}

// The Debian packages are of their version and architecture, and bring unit, user, directory and configuration.
func TestRelease_DebianPackages(t *testing.T) {
	dir := made(t)
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	for _, architecture := range []string{"amd64", "arm64"} {
		path := filepath.Join(dir, "ovation_0.0.1~rc1_"+architecture+".deb")
		out, err := exec.Command("dpkg-deb", "--show", "--showformat", "${Package} ${Version} ${Architecture}", path).CombinedOutput()
		if err != nil || string(out) != "ovation 0.0.1~rc1 "+architecture {
			t.Errorf("%v: %s", err, out)
		}
		out, err = exec.Command("dpkg-deb", "--contents", path).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, want := range []string{
			"-rwxr-xr-x root/root * ./usr/bin/ovation", "-rw-r--r-- root/root * ./usr/lib/systemd/system/ovation.service",
			"-rw-r--r-- root/root * ./usr/lib/sysusers.d/ovation.conf", "-rw-r--r-- root/root * ./usr/lib/tmpfiles.d/ovation.conf",
			"-rw-r--r-- root/root * ./etc/ovation/ovation.yaml", "-rw-r--r-- root/root * ./usr/share/doc/ovation/copyright",
		} {
			head, tail, _ := strings.Cut(want, "*")
			found := false
			for line := range strings.Lines(string(out)) {
				found = found || strings.HasPrefix(line, head) && strings.HasSuffix(strings.TrimSpace(line), tail)
			}
			if !found {
				t.Errorf("no %s in\n%s", want, out)
			}
		}
		out, err = exec.Command("dpkg-deb", "--info", path, "conffiles").CombinedOutput()
		if err != nil || string(out) != "/etc/ovation/ovation.yaml\n" {
			t.Errorf("conffiles %v: %s", err, out)
		}
	}
}

// The example of the configuration is one.
func TestRelease_ExampleConfiguration(t *testing.T) {
	path := unpacked(t, filepath.Join(made(t), fmt.Sprintf("ovation-%s-linux-%s.tar.gz", version, runtime.GOARCH)), "ovation")
	text, err := os.ReadFile("../systemd/ovation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := t.TempDir() + "/all.yaml"
	// with every line that is a setting
	if err := os.WriteFile(all, []byte(strings.NewReplacer("\n#base", "\nbase", "\n#kafka", "\nkafka", "\n#embedded", "\nembedded", "\n#drain", "\ndrain", "\n#memory", "\nmemory", "\n#zone", "\nzone").Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"../systemd/ovation.yaml", all} {
		if out, err := exec.Command(path, "config", "validate", "--config", file).CombinedOutput(); err != nil || string(out) != "ok\n" {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// Versions as packages have them: sorted as releases follow each other, and taken by their tools.
func TestRelease_Versions(t *testing.T) {
	for version, want := range map[string][2]string{
		"v1.2.3":               {"1.2.3", "1.2.3"},
		"v1.2.3-rc1":           {"1.2.3~rc1", "1.2.3-rc1"},
		"v1.2.3-5-gabc1-dirty": {"1.2.3+5+gabc1+dirty", "1.2.3-5-gabc1-dirty"},
		"1a2b3c4":              {"0~1a2b3c4", "0.0.0-1a2b3c4"},
		"abc1234-dirty":        {"0~abc1234+dirty", "0.0.0-abc1234-dirty"},
	} {
		r := release{version: version}
		if r.debVersion() != want[0] || r.semantic() != want[1] {
			t.Errorf("%s: %s and %s, want %q", version, r.debVersion(), r.semantic(), want)
		}
	}
}
