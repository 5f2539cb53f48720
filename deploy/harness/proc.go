package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc: the kernel shows them in hundredths of a
// second whatever its own clock is.
const tick = 10 * time.Millisecond

// CPU is the user and system time of all threads of a process so far.
func CPU(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(string(text))
}

// parseStat reads utime and stime. The name before them is in brackets and may hold
// anything, brackets too.
func parseStat(text string) (time.Duration, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return 0, errors.New("stat: no name in brackets")
	}
	fields := strings.Fields(text[end+1:])
	const utime, stime = 11, 12 // fields 14 and 15 of the line, two of them before the bracket's end
	if len(fields) <= stime {
		return 0, errors.New("stat: too few fields")
	}
	var sum int64
	for _, f := range fields[utime : stime+1] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("stat: %w", err)
		}
		sum += n
	}
	return time.Duration(sum) * tick, nil
}

// Memory is a figure of /proc/PID/status in bytes: VmRSS is the resident memory, VmHWM the
// most of it so far.
func Memory(pid int, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return ParseKB(string(text), name)
}

// ParseKB reads "Name:   123 kB" as bytes.
func ParseKB(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		return n << 10, nil
	}
	return 0, fmt.Errorf("%s is not there", name)
}

// DirBytes is the size of all files below a directory.
func DirBytes(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
