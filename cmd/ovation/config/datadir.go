package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// KeysDir is the directory of the data keys in --data.
const KeysDir = "keys"

// DataDirs are the directories of --data that are opened.
func (c *Config) DataDirs() []string {
	names := []string{"store", "catalog", KeysDir}
	if len(c.Kafka) == 0 {
		names = append(names, "log")
	}
	for i, name := range names {
		names[i] = filepath.Join(c.Data, name)
	}
	return names
}

// CheckData is nil, or why --data cannot be opened and will not be by itself: something in its place is no
// directory, or this user may not read and write it.
func (c *Config) CheckData() error {
	for _, dir := range append([]string{c.Data}, c.DataDirs()...) {
		if err := usable(dir); err != nil {
			return fmt.Errorf("--data: %w", err)
		}
	}
	return nil
}

// usable checks a directory, or of one that is not there the nearest above, in which it would be made.
func usable(dir string) error {
	at, want := dir, uint32(unix.R_OK|unix.W_OK|unix.X_OK)
	info, err := os.Stat(at)
	for err != nil && filepath.Dir(at) != at {
		if link, wrong := os.Lstat(at); wrong == nil && link.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link that leads nowhere", at)
		}
		at, want = filepath.Dir(at), unix.W_OK|unix.X_OK
		info, err = os.Stat(at)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no directory: %s", at, owned(info))
	}
	if err := unix.Faccessat(unix.AT_FDCWD, at, want, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("%s cannot be read and written by user %d (%w): %s", at, os.Geteuid(), err, owned(info))
	}
	return nil
}

// owned is whose a file is, and its mode.
func owned(info fs.FileInfo) string {
	owner := "unknown"
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = strconv.FormatUint(uint64(stat.Uid), 10)
	}
	return fmt.Sprintf("owner %s, mode %04o", owner, info.Mode().Perm())
}
