package main

import (
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

func TestTheHeapsMappingsAreToldFromOthers(t *testing.T) {
	got, err := heapMappings(strings.NewReader(someMaps), 0xc000012345)
	want := []mapping{{0xc000000000, 0xc000400000}, {0xc000400000, 0xc002800000}, {0xc004000000, 0xc008000000}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%x, %v; want %x", got, err, want)
	}
	if _, err := heapMappings(strings.NewReader("neither here nor there\n"), 0xc000012345); err == nil {
		t.Error("nonsense was taken for a mapping")
	}
}

// The kernel says of a mapping that huge pages were asked for: "hg".
func TestTheHeapIsAskedToBeOfHugePages(t *testing.T) {
	if said, err := os.ReadFile(hugeSwitch); err != nil || strings.Contains(string(said), "[never]") {
		t.Skip("this machine has no huge pages to be asked for")
	}
	var h hugePages
	if err := h.grown(t.Context()); err != nil {
		t.Fatal(err)
	}
	object := new([64]uint64)
	if h.upTo <= uintptr(unsafe.Pointer(object)) {
		t.Fatalf("asked up to %x, there is an object at %p", h.upTo, object)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`(?m)^VmFlags:.*\bhg\b`)
	if !flags.Match(smaps) {
		t.Error("no mapping is of huge pages")
	}
	upTo := h.upTo
	if err := h.grown(t.Context()); err != nil || h.upTo < upTo {
		t.Errorf("%v, up to %x after %x", err, h.upTo, upTo)
	}
}
