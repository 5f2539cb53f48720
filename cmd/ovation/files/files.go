package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ovation-analytics/ovation/cmd/ovation/size"
)

// ReadPrivate reads a small file and refuses one that others than its owner may read or change. The group of
// this process may read one that is the administrator's, as a secret of Kubernetes is.
func ReadPrivate(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	owner := -1
	if s, ok := stat.Sys().(*syscall.Stat_t); ok {
		owner = int(s.Uid)
	}
	if mode := stat.Mode().Perm(); !private(mode, owner, os.Geteuid()) {
		return nil, fmt.Errorf("%s: mode %04o lets others in; chmod 600 it", path, mode)
	}
	return readAtMost(f, limit)
}

// private reports that a file of a mode is kept from others than its owner; or that root owns it and lets one group
// read it, of which user is.
func private(mode fs.FileMode, owner, user int) bool {
	return mode&0o077 == 0 || mode&0o037 == 0 && owner == 0 && user != 0
}

// Read reads a small file whose mode does not matter.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, limit)
}

func readAtMost(f *os.File, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: longer than %v", f.Name(), size.Bytes(limit))
	}
	return text, err
}

// DraftPrefix begins the name of a file that is not whole yet. A process that is killed leaves one behind.
const DraftPrefix = ".draft-"

// Create makes a private file, or leaves the one that is there. The name appears only when every byte is on the disk.
func Create(path string, text []byte) error {
	return write(path, text, func(draft string) error {
		// A link, unlike a rename, never takes the place of a file.
		if err := os.Link(draft, path); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		return nil
	})
}

// Unchecked is a check of Replace that accepts every file.
func Unchecked(string) error { return nil }

// Replace replaces a private file, once every byte of the new one is on the disk and check has accepted it there.
func Replace(path string, text []byte, check func(draft string) error) error {
	return write(path, text, func(draft string) error {
		if err := check(draft); err != nil {
			return err
		}
		return os.Rename(draft, path)
	})
}

// write writes a draft beside path, which publish gives its name.
func write(path string, text []byte, publish func(draft string) error) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, DraftPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := publish(f.Name()); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
