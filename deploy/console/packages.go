package console

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pinned says which packages, and how the files are made of them.
//
//go:embed package.json package-lock.json vendor.mjs
var pinned embed.FS

// Install installs the pinned packages in a folder of its own, in node_modules. It needs npm, and the packages' registry.
func Install(ctx context.Context, dir string) error {
	if err := os.CopyFS(dir, pinned); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}

// Axe is the source of axe-core among the packages that Install has installed in a folder: it finds what keeps people from using a
// page.
func Axe(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(b), err
}
