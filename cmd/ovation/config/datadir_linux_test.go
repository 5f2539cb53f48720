package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What this user may not read and write is named with its owner and mode.
func TestUsable_TellsOwnerAndMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		path string
		mode os.FileMode
	}{{"closed", 0}, {"read", 0o555}, {"hidden/data", 0o600}, {"fine", 0o777}} {
		path := filepath.Join(dir, c.path)
		top := filepath.Join(dir, strings.Split(c.path, "/")[0])
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(top, c.mode); err != nil {
			t.Fatal(err)
		}
		err := unprivileged(func() error { return usable(path) })
		if err := os.Chmod(top, 0o700); err != nil {
			t.Fatal(err)
		}
		if c.path == "fine" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), top) || !strings.Contains(err.Error(), "mode "+modeText(c.mode)) || !strings.Contains(err.Error(), "owner ") {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

func modeText(m os.FileMode) string {
	return "0" + string([]byte{byte('0' + m>>6&7), byte('0' + m>>3&7), byte('0' + m&7)})
}

// unprivileged runs f as an owner for whom modes hold: root has two capabilities that pass them.
func unprivileged(f func() error) (err error) {
	if os.Geteuid() != 0 {
		return f()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if err = dropOverride(); err == nil {
			err = f()
		}
	}()
	<-done
	return err
}

// dropOverride takes from the calling thread the capabilities to pass over modes.
func dropOverride() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	return unix.Capset(&header, &data[0])
}
