package tuning

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// An activity or a question touches objects all over the heap, and with pages of 4 KiB nearly
// every access misses the TLB: pages of 2 MiB took a sixth off an activity's CPU. Where the
// machine leaves it to the program (Linux: transparent huge pages on "madvise"), a large busy
// heap is collapsed into them.
//
// Only a part of 2 MiB that is resident as a whole is collapsed, and the kernel is not advised
// to make huge pages by itself: either would make resident what the runtime has released, and
// that stays resident until the runtime uses it again. 240 MiB of a heap of 650 were so after
// a load, an idle moment and a load, and the heap's limit was lower by as much.

// hugeFrom is the live heap from which on it is collapsed.
const hugeFrom = 128 << 20

// hugeSwitch has the machine's setting of transparent huge pages.
const hugeSwitch = "/sys/kernel/mm/transparent_hugepage/enabled"

// adviseCollapse is madvise(2)'s MADV_COLLAPSE, of Linux 6.1.
const adviseCollapse = 25

// hugePages are the parts of the heap that were collapsed. One goroutine.
type hugePages struct {
	log       *slog.Logger
	collapsed map[uintptr]bool
	resident  []byte // as of mincore(2): a byte for each page
	off       bool   // the machine has none, or refused
}

func newHugePages(log *slog.Logger) hugePages {
	setting, err := os.ReadFile(hugeSwitch)
	off := err != nil || !strings.Contains(string(setting), "[madvise]") ||
		madvise(0, 0, adviseCollapse) != nil // an older kernel does not know the advice
	return hugePages{log: log, collapsed: make(map[uintptr]bool), off: off}
}

// Collapsing copies and blocks all allocation of pages: a little at a time, so that a heap of
// a gigabyte takes seconds and never blocks for a whole one.
const (
	hugePage       = 2 << 20
	collapsePause  = 5 * time.Millisecond
	collapseAtOnce = 64 // by a call of extend
)

// extend collapses what has become resident as a whole: at most collapseAtOnce parts.
func (h *hugePages) extend() {
	if h.off {
		return
	}
	heap, err := ownHeap()
	if err != nil {
		h.refused(err)
		return
	}
	left := collapseAtOnce
	for _, m := range heap {
		left, err = h.collapse(m, left)
		if err != nil {
			h.refused(err)
			return
		}
	}
}

// collapse collapses up to most resident parts of a mapping, and gives how many more may be.
func (h *hugePages) collapse(m mapping, most int) (left int, err error) {
	m.from = (m.from + hugePage - 1) / hugePage * hugePage
	m.to = m.to / hugePage * hugePage
	if m.from >= m.to {
		return most, nil
	}
	if err := h.sample(m); err != nil {
		return 0, err
	}
	each := hugePage / os.Getpagesize()
	for i, from := 0, m.from; from < m.to; i, from = i+each, from+hugePage {
		whole := bytes.IndexByte(h.resident[i:i+each], 0) < 0
		if !whole {
			delete(h.collapsed, from)
			continue
		}
		if h.collapsed[from] || most == 0 {
			continue
		}
		// There may be no free huge page, or a page was released meanwhile: no retry.
		_ = madvise(from, hugePage, adviseCollapse)
		h.collapsed[from] = true
		most--
		time.Sleep(collapsePause)
	}
	return most, nil
}

// sample reads which pages of a mapping are resident.
func (h *hugePages) sample(m mapping) error {
	pages := int(m.to-m.from) / os.Getpagesize()
	h.resident = slices.Grow(h.resident[:0], pages)[:pages]
	to := uintptr(unsafe.Pointer(unsafe.SliceData(h.resident)))
	if _, _, errno := syscall.Syscall(syscall.SYS_MINCORE, m.from, m.to-m.from, to); errno != 0 {
		return errno
	}
	return nil
}

func (h *hugePages) refused(err error) {
	h.log.Warn("no huge pages for the heap", "error", err)
	h.off = true
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

func madvise(from, bytes uintptr, advice int) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, bytes, uintptr(advice)); errno != 0 {
		return errno
	}
	return nil
}

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
