package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/deploy/release/archive"
	"github.com/ovation-analytics/ovation/deploy/release/oci"
)

// release is one version, and where it is made.
type release struct {
	out               string
	version, revision string
	architectures     []string
	at                time.Time
}

// make makes all of it.
func (r *release) make(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	image := oci.Release{Version: r.version, Revision: r.revision, At: r.at, Programs: map[string][]byte{}}
	for _, architecture := range r.architectures {
		program, err := r.program(ctx, architecture)
		if err != nil {
			return err
		}
		image.Programs[architecture] = program
		if err := r.deb(ctx, architecture, program); err != nil {
			return err
		}
	}
	for _, step := range []func() error{
		func() error { return r.image(image) }, r.chart, r.compose, r.sums,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// name is a file of the release.
func (r *release) name(format string, args ...any) string {
	return filepath.Join(r.out, fmt.Sprintf(format, args...))
}

// run runs a command, which shows what it says where it fails.
func run(ctx context.Context, env []string, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

const builtFrom = "github.com/ovation-analytics/ovation/cmd/ovation/build"

// program builds the static program of an architecture, its archive and its bill of materials.
func (r *release) program(ctx context.Context, architecture string) ([]byte, error) {
	path := r.name("ovation-%s", architecture)
	defer os.Remove(path)
	err := run(ctx, []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + architecture, "GOAMD64=v1"},
		"go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X %s.version=%s -X %s.revision=%s", builtFrom, r.version, builtFrom, r.revision),
		"-o", path, "./cmd/ovation")
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := r.bill(ctx, path, r.name("ovation-%s-linux-%s.cdx.json", r.version, architecture)); err != nil {
		return nil, err
	}
	entries := []archive.Entry{{Name: "ovation", Mode: 0o755, Data: program}}
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, archive.Entry{Name: name, Mode: 0o644, Data: text})
	}
	return program, r.archive(r.name("ovation-%s-linux-%s.tar.gz", r.version, architecture), entries)
}

// timestamp is when a bill of materials was made: the one thing in it that is another one each time.
var timestamp = regexp.MustCompile(`("timestamp": ")[^"]*"`)

// bill writes what a program is made of, by what the toolchain noted in it.
func (r *release) bill(ctx context.Context, program, to string) error {
	err := run(ctx, nil, "go", "tool", "-modfile=deploy/tools.mod", "cyclonedx-gomod", "bin",
		"-json", "-std", "-noserial", "-version", r.version, "-output", to, program)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	return os.WriteFile(to, timestamp.ReplaceAll(text, []byte("${1}"+r.at.Format(time.RFC3339)+`"`)), 0o644)
}

func (r *release) archive(to string, entries []archive.Entry) error {
	text, err := archive.TarGz(r.at, entries...)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// image writes the image, as a directory and as one file that docker load and podman load take.
func (r *release) image(from oci.Release) error {
	index, err := oci.Index(from)
	if err != nil {
		return err
	}
	dir := r.name("image")
	if err := oci.Write(dir, index, "ovation:"+r.plain()); err != nil {
		return err
	}
	entries, err := archive.Files(dir, "")
	if err != nil {
		return err
	}
	text, err := archive.Tar(r.at, entries...)
	if err != nil {
		return err
	}
	return os.WriteFile(r.name("ovation-%s-image.tar", r.version), text, 0o644)
}

// plain is the version as tags and packages have it.
func (r *release) plain() string { return strings.TrimPrefix(r.version, "v") }

// semantic is a version that Helm takes: a checkout without a tag has a word for it.
func (r *release) semantic() string {
	if regexp.MustCompile(`^\d+\.\d+\.\d+([-+]|$)`).MatchString(r.plain()) {
		return r.plain()
	}
	return "0.0.0-" + regexp.MustCompile(`[^0-9A-Za-z-]+`).ReplaceAllString(r.plain(), "-")
}

// chart packs the Helm chart with the version, the alerts and the dashboards in it.
func (r *release) chart() error {
	entries, err := archive.Files("deploy/helm/ovation", "ovation")
	if err != nil {
		return err
	}
	watch, err := archive.Files("deploy/compose/watch", "ovation/files")
	if err != nil {
		return err
	}
	for _, e := range watch {
		if e.Name == "ovation/files/ovation.rules.yaml" || path.Dir(e.Name) == "ovation/files/dashboards" {
			entries = append(entries, e)
		}
	}
	for i, e := range entries {
		if e.Name == "ovation/Chart.yaml" {
			text := strings.NewReplacer("\nversion: 0.0.0", "\nversion: "+r.semantic(),
				"\nappVersion: 0.0.0", "\nappVersion: "+strconv.Quote(r.plain())).Replace(string(e.Data))
			entries[i].Data = []byte(text)
		}
	}
	return r.archive(r.name("ovation-%s.tgz", r.semantic()), entries)
}

// compose packs the compose file, for this version of the image.
func (r *release) compose() error {
	entries, err := archive.Files("deploy/compose", "ovation-compose")
	if err != nil {
		return err
	}
	var kept []archive.Entry
	for _, e := range entries {
		if filepath.Ext(e.Name) == ".go" || strings.HasSuffix(e.Name, ".test.yaml") {
			continue
		}
		e.Data = []byte(strings.ReplaceAll(string(e.Data), "${OVATION_IMAGE:-ovation:latest}", "${OVATION_IMAGE:-ovation:"+r.plain()+"}"))
		kept = append(kept, e)
	}
	return r.archive(r.name("ovation-%s-compose.tar.gz", r.version), kept)
}

// sums writes the checksums of all files.
func (r *release) sums() error {
	files, err := fs.Glob(os.DirFS(r.out), "*.*")
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(b.String()), 0o644)
}
