package tuning

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"reflect"
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

// Huge pages are made of what is resident as a whole. What the heap has released stays
// released: no later call makes it resident.
func TestHugePages_ReleasedStaysReleased(t *testing.T) {
	h := newHugePages(slog.New(slog.DiscardHandler))
	if h.off {
		t.Skip("this machine has no huge pages that a program may make")
	}
	const parts = 4
	data, m := mmap(t, parts)
	touch(data)
	page := os.Getpagesize()
	release := func(part int) {
		if err := syscall.Madvise(data[part*hugePage:][:page], syscall.MADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
	}
	release(1)
	part := func(i uintptr) uintptr { return m.from + i*hugePage }
	want := map[uintptr]bool{part(0): true, part(2): true, part(3): true}
	resident := parts*hugePage/page - 1
	check := func() {
		t.Helper()
		for range 2 {
			if _, err := h.collapse(m, 2); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(h.collapsed, want) {
			t.Errorf("collapsed %v, want %v", h.collapsed, want)
		}
		if err := h.sample(m); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(h.resident, []byte{1}); n != resident {
			t.Errorf("%d pages are resident, want %d", n, resident)
		}
	}
	check()
	release(2)
	delete(want, part(2))
	resident--
	check()
	touch(data[hugePage:][:page])
	want[part(1)] = true
	resident++
	check()
}

// The parts of this process's own heap can be sampled and collapsed.
func TestHugePages_OfTheHeap(t *testing.T) {
	h := newHugePages(slog.New(slog.DiscardHandler))
	if h.off {
		t.Skip("this machine has no huge pages that a program may make")
	}
	object := make([]byte, 8*hugePage)
	touch(object)
	h.extend()
	if h.off || len(h.collapsed) < 7 {
		t.Errorf("%d parts are collapsed, off %v", len(h.collapsed), h.off)
	}
	runtime.KeepAlive(object)
}

// mmap maps so many parts outside of the heap.
func mmap(t *testing.T, parts uintptr) ([]byte, mapping) {
	const rights, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_ANON | syscall.MAP_PRIVATE
	data, err := syscall.Mmap(-1, 0, int(parts+1)*hugePage, rights, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(data) })
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	first := (at + hugePage - 1) / hugePage * hugePage
	return data[first-at:][:parts*hugePage], mapping{first, first + parts*hugePage}
}

func touch(data []byte) {
	for i := 0; i < len(data); i += os.Getpagesize() {
		data[i] = 1
	}
}
