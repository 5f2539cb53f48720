package tuning

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"unsafe"
)

// mapping is a part of the address space.
type mapping struct{ from, to uintptr }

// nearBits: mappings of the heap share the address bits above these with any heap object; the
// runtime reserves 256 GiB there.
const nearBits = 38

// heapMappings are the mappings in /proc/self/maps that are in use by the heap with that
// address, in ascending order.
func heapMappings(maps io.Reader, address uintptr) (heap []mapping, err error) {
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		var m mapping
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &m.from, &m.to, &rights); err != nil {
			return nil, err
		}
		if rights == "rw-p" && m.from>>nearBits == address>>nearBits {
			heap = append(heap, m)
		}
	}
	return heap, lines.Err()
}

// ownHeap is the mappings of this process's heap.
func ownHeap() ([]mapping, error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return heapMappings(f, uintptr(unsafe.Pointer(new(mapping))))
}

// residency is which pages are resident, as of mincore(2): a byte for each page.
type residency []byte

// of gives the bytes of a mapping's pages. They are valid until the next call.
func (r *residency) of(m mapping) ([]byte, error) {
	n := int(m.to-m.from) / os.Getpagesize()
	*r = slices.Grow((*r)[:0], n)[:n]
	to := uintptr(unsafe.Pointer(unsafe.SliceData(*r)))
	if _, _, errno := syscall.Syscall(syscall.SYS_MINCORE, m.from, m.to-m.from, to); errno != 0 {
		return nil, errno
	}
	return *r, nil
}

// regained is what the heap has in memory beyond what the runtime knows of: it released that, and
// a huge page made it resident again. The runtime uses it before it maps more. A heap of 1 GiB
// takes 0.4 ms, once a second.
func (r *residency) regained(released int64) (int64, error) {
	heap, err := ownHeap()
	if err != nil {
		return 0, err
	}
	pages := int64(0)
	mapped := int64(0)
	for _, m := range heap {
		in, err := r.of(m)
		if err != nil {
			return 0, err
		}
		pages += int64(bytes.Count(in, []byte{1}))
		mapped += int64(m.to - m.from)
	}
	return max(pages*int64(os.Getpagesize())-(mapped-released), 0), nil
}
