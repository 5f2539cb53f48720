package tuning

import (
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unsafe"
)

const someMaps = `00400000-00e3c000 r-xp 00000000 fe:00 1311 /usr/bin/ovation
00e3c000-00e7c000 rw-p 00a3b000 fe:00 1311 /usr/bin/ovation
2b0c1000-2b0e2000 rw-p 00000000 00:00 0    [heap]
c000000000-c000400000 rw-p 00000000 00:00 0    [anon: Go: heap]
c000400000-c002800000 rw-p 00000000 00:00 0
c002800000-c004000000 ---p 00000000 00:00 0
c004000000-c008000000 rw-p 00000000 00:00 0
7f3a40000000-7f3a40021000 rw-p 00000000 00:00 0
`

// The heap's mappings are those in use near a heap object, no other mapping of the process.
func TestHeapMappings_OfTheHeapOnly(t *testing.T) {
	got, err := heapMappings(strings.NewReader(someMaps), 0xc000012345)
	want := []mapping{{0xc000000000, 0xc000400000}, {0xc000400000, 0xc002800000}, {0xc004000000, 0xc008000000}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%x, %v; want %x", got, err, want)
	}
	if _, err := heapMappings(strings.NewReader("neither here nor there\n"), 0xc000012345); err == nil {
		t.Error("a line that is no mapping was read")
	}
}

// Huge pages are asked for up to the limit, until release. Of a mapping the kernel says "hg":
// they were asked for, or "nh": they are not to be made.
func TestHugePages_UpToTheLimitUntilRelease(t *testing.T) {
	setting, err := os.ReadFile(hugeSwitch)
	if err != nil || !strings.Contains(string(setting), "[madvise]") {
		t.Skip("this machine has no huge pages to be asked for")
	}
	flagged := func(flag string) bool {
		smaps, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?m)^VmFlags:.*\b` + flag + `\b`).Match(smaps)
	}
	h := newHugePages(slog.New(slog.DiscardHandler))
	h.extend(hugePage - 1)
	if n := h.bytes(); n != 0 {
		t.Fatalf("%d bytes were asked for with a limit below one huge page", n)
	}
	h.extend(hugePage)
	if n := h.bytes(); n != hugePage || !flagged("hg") {
		t.Fatalf("%d bytes were asked for with a limit of one huge page", n)
	}
	h.extend(1 << 40)
	h.extend(1 << 40)
	if object := new([64]uint64); h.end() <= uintptr(unsafe.Pointer(object)) {
		t.Errorf("asked up to %x, there is an object at %p", h.end(), object)
	}
	h.release()
	if n := h.bytes(); n != 0 || flagged("hg") || h.off {
		t.Errorf("%d bytes are of huge pages still", n)
	}
}
