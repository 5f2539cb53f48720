package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Choose is --memory where none is given, and what it was chosen by: two thirds of the
// nearest limit of a cgroup, else a quarter of the machine. System is the root of the file
// system.
func Choose(system fs.FS) (memory int64, by string, err error) { return choose(system, installed) }

// choose is Choose, asking the kernel where /proc is not there.
func choose(system fs.FS, kernel func() (int64, error)) (memory int64, by string, err error) {
	machine, err := machineMemory(system)
	if err != nil {
		var unknown error
		if machine, unknown = kernel(); unknown != nil {
			return 0, "", fmt.Errorf("--memory: how much the machine has cannot be read, a size is required: %w", errors.Join(err, unknown))
		}
	}
	chosen := machine / 4
	by = fmt.Sprintf("a quarter of the machine's %d MiB", machine/MiB)
	if limit, ok := groupLimit(system); ok && limit < machine {
		chosen = limit / 3 * 2
		by = fmt.Sprintf("two thirds of the cgroup's limit of %d MiB", limit/MiB)
	}
	chosen = chosen / MiB * MiB
	if chosen < MinMemory {
		return 0, "", fmt.Errorf(
			"--memory: %s is %d MiB, less than the %dMiB that a node needs: raise the limit to %d MiB, or set --memory",
			by, chosen/MiB, MinMemory/MiB, MinMemory/MiB*3/2)
	}
	return chosen, by, nil
}

// machineMemory is what the machine has, in bytes.
func machineMemory(system fs.FS) (int64, error) {
	text, err := fs.ReadFile(system, "proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kb int64
		if _, err := fmt.Sscanf(line, "MemTotal: %d kB", &kb); err == nil {
			return kb << 10, nil
		}
	}
	return 0, errors.New("/proc/meminfo has no MemTotal")
}
