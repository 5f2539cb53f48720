package main

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// What an activity or a question looks at is all over the heap, and in pages of 4 KiB nearly
// every look is one at the page tables too: pages of two megabytes took a sixth off an
// activity's CPU. Where the machine leaves it to the program (Linux: transparent huge pages
// on "madvise"), they are asked for while a large heap is busy.
//
// The kernel makes huge pages of what the runtime has released too, so that it is resident
// again: no more of the heap's addresses are asked for than the heap may take, and an idle
// node gives its huge pages up before it releases memory.

// hugeFrom is how much must live in the heap.
const hugeFrom = 128 << 20

// hugeSwitch is where the machine says whether huge pages are had by asking.
const hugeSwitch = "/sys/kernel/mm/transparent_hugepage/enabled"

// Advice of madvise(2): from now on, no longer, and, from Linux 6.1, what is there already.
const (
	adviseHuge     = 14
	adviseNotHuge  = 15
	adviseCollapse = 25
)

// hugePages is what has been asked for. One goroutine.
type hugePages struct {
	log   *slog.Logger
	asked []mapping // ascending
	off   bool      // the machine has none, or refused
}

func newHugePages(log *slog.Logger) hugePages {
	said, err := os.ReadFile(hugeSwitch)
	return hugePages{log: log, off: err != nil || !strings.Contains(string(said), "[madvise]")}
}

// What is there already is copied, while all that needs memory waits: a little at a time, so
// that a heap of a gigabyte takes seconds and not one in which nothing else happens.
const (
	hugePage       = 2 << 20
	collapsePause  = 5 * time.Millisecond
	collapseAtOnce = 64 * hugePage // by a call of grown
)

// grown asks for what the heap has grown by, as long as all that was asked for is within
// the limit: at most collapseAtOnce bytes.
func (h *hugePages) grown(limit int64) {
	if h.off {
		return
	}
	heap, err := ownHeap()
	if err != nil {
		h.refused(err)
		return
	}
	room := uintptr(min(max(limit-h.bytes(), 0), collapseAtOnce)) / hugePage * hugePage
	for _, m := range heap {
		m.from = max(m.from, h.end())
		if m.from >= m.to || room == 0 {
			continue
		}
		m.to = min(m.to, m.from+room)
		room -= m.to - m.from
		if err := advise(m.from, m.to, adviseHuge); err != nil {
			h.refused(err)
			return
		}
		h.asked = append(h.asked, m)
		collapse(m)
	}
}

// collapse makes huge pages of what is there already, as far as the kernel can: an older
// one cannot, or finds no room. What comes later is of huge pages all the same.
func collapse(m mapping) {
	for from := m.from; from < m.to; from += hugePage {
		_ = advise(from, min(m.to, from+hugePage), adviseCollapse)
		time.Sleep(collapsePause)
	}
}

// leave gives all up: what is released from now on stays so.
func (h *hugePages) leave() {
	for _, m := range h.asked {
		if err := advise(m.from, m.to, adviseNotHuge); err != nil {
			h.refused(err)
			break
		}
	}
	h.asked = h.asked[:0]
}

func (h *hugePages) refused(err error) {
	h.log.Warn("no huge pages for the heap", "error", err)
	h.off = true
}

func (h *hugePages) bytes() (n int64) {
	for _, m := range h.asked {
		n += int64(m.to - m.from)
	}
	return n
}

// end is where the highest that was asked for ends: the heap grows upwards.
func (h *hugePages) end() uintptr {
	if n := len(h.asked); n > 0 {
		return h.asked[n-1].to
	}
	return 0
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

func advise(from, to uintptr, advice int) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, to-from, uintptr(advice)); errno != 0 {
		return errno
	}
	return nil
}

// mapping is a part of the address space.
type mapping struct{ from, to uintptr }

// nearBits is how near mappings are to a heap object that are of the heap: the runtime
// has 256 GiB there for itself.
const nearBits = 38

// heapMappings is what of /proc/self/maps is of the heap that has the address, and in
// use, in ascending order.
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
