package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// deb makes the Debian package of an architecture.
func (r *release) deb(ctx context.Context, architecture string, program []byte) error {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		fmt.Fprintln(os.Stderr, "release: no Debian package: dpkg-deb is not installed")
		return nil
	}
	root := r.name("deb-%s", architecture)
	defer os.RemoveAll(root)
	size := 0
	var errs []error
	put := func(name string, mode os.FileMode, text []byte) {
		size += len(text)
		path := filepath.Join(root, name)
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, mode))
	}
	copied := func(name, from string, mode os.FileMode) {
		text, err := os.ReadFile(from)
		errs = append(errs, err)
		put(name, mode, text)
	}
	put("usr/bin/ovation", 0o755, program)
	copied("usr/lib/systemd/system/ovation.service", "deploy/systemd/ovation.service", 0o644)
	copied("usr/lib/sysusers.d/ovation.conf", "deploy/systemd/ovation.sysusers", 0o644)
	copied("usr/lib/tmpfiles.d/ovation.conf", "deploy/systemd/ovation.tmpfiles", 0o644)
	copied("etc/ovation/ovation.yaml", "deploy/systemd/ovation.yaml", 0o644)
	copied("usr/share/doc/ovation/README.md", "README.md", 0o644)
	copied("usr/share/doc/ovation/copyright", "LICENSE", 0o644)
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		copied("DEBIAN/"+script, "deploy/deb/"+script, 0o755)
	}
	put("DEBIAN/conffiles", 0o644, []byte("/etc/ovation/ovation.yaml\n"))
	put("DEBIAN/control", 0o644, fmt.Appendf(nil, `Package: ovation
Version: %s
Architecture: %s
Maintainer: The Ovation authors <ovation@localhost>
Installed-Size: %d
Depends: systemd
Section: database
Priority: optional
Description: audience analytics from a log
 Collectors publish what fans do to Kafka, or to the log that the node brings;
 an HTTP API answers who listens, follows, likes and watches, counted exactly.
`, r.debVersion(), architecture, size>>10))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return run(ctx, []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.at.Unix(), 10)}, "dpkg-deb",
		"--root-owner-group", "-Zgzip", "--build", root, r.name("ovation_%s_%s.deb", r.debVersion(), architecture))
}

var notDebian = regexp.MustCompile(`[^0-9A-Za-z.+~]+`)

// debVersion begins with a digit and has no dash, which begins a revision of Debian's; a prerelease is before its
// release.
func (r *release) debVersion() string {
	version := strings.Replace(r.plain(), "-rc", "~rc", 1)
	version = notDebian.ReplaceAllString(version, "+")
	if version == "" || version[0] < '0' || version[0] > '9' || !strings.Contains(version, ".") {
		return "0~" + version
	}
	return version
}
