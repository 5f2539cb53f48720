package tuning

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// machineOf is a machine of 8 GiB whose process is in such cgroups.
func machineOf(groups, mounts string, limits map[string]string) fstest.MapFS {
	files := fstest.MapFS{
		"proc/meminfo":        {Data: []byte("MemTotal:        8388608 kB\nMemFree:  1 kB\n")},
		"proc/self/cgroup":    {Data: []byte(groups)},
		"proc/self/mountinfo": {Data: []byte(mounts)},
	}
	for name, text := range limits {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

const (
	mountsV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountsV1 = "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	// A container's: the root of the mount is its own group.
	mountsV1Container = "32 23 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
)

// Without --memory a node takes two thirds of the least limit from its cgroup upwards, else
// a quarter of the machine.
func TestChoose_CgroupElseMachine(t *testing.T) {
	for _, c := range []struct {
		name, groups, mounts string
		limits               map[string]string
		want                 int64 // MiB
		by                   string
	}{
		{"no cgroups", "", "", nil, 2048, "quarter"},
		{"v2, no limit", "0::/a/b\n", mountsV2, map[string]string{"sys/fs/cgroup/a/b/memory.max": "max\n"}, 2048, "quarter"},
		{"v2, its own", "0::/a/b\n", mountsV2, map[string]string{"sys/fs/cgroup/a/b/memory.max": "1610612736\n"}, 1024, "cgroup"},
		{"v2, a parent's", "0::/a/b\n", mountsV2, map[string]string{"sys/fs/cgroup/a/memory.max": "1610612736\n", "sys/fs/cgroup/a/b/memory.max": "max"}, 1024, "cgroup"},
		{"v2, the parent's is less", "0::/a/b\n", mountsV2, map[string]string{"sys/fs/cgroup/a/memory.max": "1610612736", "sys/fs/cgroup/a/b/memory.max": "3221225472"}, 1024, "cgroup"},
		{"v2, a container's", "0::/\n", mountsV2, map[string]string{"sys/fs/cgroup/memory.max": "536870912"}, 341, "cgroup"},
		{"v1", "5:cpu:/c\n4:memory:/a/b\n", mountsV1, map[string]string{"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "1610612736\n", "sys/fs/cgroup/cpu/c/memory.limit_in_bytes": "1"}, 1024, "cgroup"},
		{"v1, no limit", "4:memory:/a\n", mountsV1, map[string]string{"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n"}, 2048, "quarter"},
		{"v1, a container's", "4:memory:/docker/abc\n", mountsV1Container, map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "1610612736\n"}, 1024, "cgroup"},
		{"both, v1 limits", "4:memory:/a\n0::/\n", mountsV1 + mountsV2, map[string]string{"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1610612736\n"}, 1024, "cgroup"},
		{"a limit above the machine", "0::/\n", mountsV2, map[string]string{"sys/fs/cgroup/memory.max": "17179869184"}, 2048, "quarter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, by, err := Choose(machineOf(c.groups, c.mounts, c.limits))
			if err != nil || got != c.want*MiB || !strings.Contains(by, c.by) {
				t.Errorf("%d MiB by %q, %v; want %d", got/MiB, by, err, c.want)
			}
		})
	}
}

// Too small a limit is refused with the flag that helps: the node is not killed later.
func TestChoose_RefusesASmallCgroup(t *testing.T) {
	_, _, err := Choose(machineOf("0::/\n", mountsV2, map[string]string{"sys/fs/cgroup/memory.max": "314572800"}))
	if err == nil || !strings.Contains(err.Error(), "300 MiB is 200 MiB, less than the 256MiB") || !strings.Contains(err.Error(), "384 MiB") {
		t.Error(err)
	}
}

// Where /proc is not there, the kernel is asked; where it does not say either, a size is required.
func TestChoose_WithoutProc(t *testing.T) {
	got, by, err := choose(fstest.MapFS{}, func() (int64, error) { return 8 << 30, nil })
	if err != nil || got != 2<<30 || !strings.Contains(by, "a quarter of the machine's 8192 MiB") {
		t.Errorf("%d %q %v", got, by, err)
	}
	_, _, err = choose(fstest.MapFS{}, func() (int64, error) { return 0, errors.ErrUnsupported })
	if err == nil || !strings.Contains(err.Error(), "a size is required") {
		t.Error("a machine of unknown memory got a budget:", err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	kernel, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := machineMemory(os.DirFS("/"))
	if err != nil || kernel < listed/2 || kernel > 2*listed {
		t.Errorf("the kernel says %d MiB, /proc/meminfo %d: %v", kernel/MiB, listed/MiB, err)
	}
}
