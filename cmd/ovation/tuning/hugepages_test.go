package tuning

import (
	"bytes"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"syscall"
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

// What is resident as a whole is collapsed; a part of which a page was released stays as it is, so
// that nothing becomes resident.
func TestHugePages_CollapseWholePartsOnly(t *testing.T) {
	h := newHugePages(slog.New(slog.DiscardHandler))
	if h.off {
		t.Skip("this machine has no huge pages that a program may make")
	}
	const parts = 3
	data, err := syscall.Mmap(-1, 0, (parts+1)*hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(data) })
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	first := (at + hugePage - 1) / hugePage * hugePage
	data = data[first-at:][:parts*hugePage]
	page := os.Getpagesize()
	for i := 0; i < len(data); i += page {
		data[i] = 1
	}
	if err := syscall.Madvise(data[hugePage:][:page], syscall.MADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	m := mapping{first, first + parts*hugePage}
	h.collapse(m)
	in, err := h.resident.of(m)
	if err != nil || h.off {
		t.Fatal(err, h.off)
	}
	if n, want := bytes.Count(in, []byte{1}), parts*hugePage/page-1; n != want {
		t.Errorf("%d pages are resident, want %d", n, want)
	}
}

// Of the heap as much is resident beyond what the runtime knows of as it believes released and
// is not.
func TestResidency_Regained(t *testing.T) {
	object := make([]byte, 16*hugePage)
	for i := 0; i < len(object); i += os.Getpagesize() {
		object[i] = 1
	}
	var r residency
	const believed = 1 << 40
	all, err := r.regained(believed)
	if err != nil {
		t.Fatal(err)
	}
	less, err := r.regained(believed - 8*hugePage)
	if err != nil {
		t.Fatal(err)
	}
	if all-less < 7*hugePage || all-less > 9*hugePage {
		t.Errorf("%d bytes are regained of what is believed released, %d of 16 MiB less", all, less)
	}
	if none, err := r.regained(0); err != nil || none != 0 {
		t.Errorf("%d bytes are regained where nothing was released: %v", none, err)
	}
	runtime.KeepAlive(object)
}
