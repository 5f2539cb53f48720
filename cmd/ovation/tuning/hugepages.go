package tuning

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"
)

// An activity or a question touches objects all over the heap, and with pages of 4 KiB nearly
// every access misses the TLB: pages of 2 MiB took a sixth off an activity's CPU. Where the
// machine leaves it to the program (Linux: transparent huge pages on "madvise"), they are
// asked for while a large heap is busy.
//
// The kernel makes huge pages also of what the runtime has released, which is resident then
// until the runtime uses it again: at most as many of the heap's addresses are asked for as the
// heap may take, only what is resident as a whole is collapsed, and an idle node gives its huge
// pages up before it releases memory. What is resident all the same is counted as the heap's
// (HeapKeeper): 240 MiB of a heap of 650 were so after a load, an idle moment and a load, and
// the heap's limit was lower by as much.

// hugeFrom is the live heap from which on huge pages are asked for.
const hugeFrom = 128 << 20

// hugeSwitch has the machine's setting of transparent huge pages.
const hugeSwitch = "/sys/kernel/mm/transparent_hugepage/enabled"

// Advice of madvise(2): from now on; no longer; and, from Linux 6.1, what is mapped already.
const (
	adviseHuge     = 14
	adviseNotHuge  = 15
	adviseCollapse = 25
)

// hugePages are the parts of the heap that were asked for. One goroutine.
type hugePages struct {
	log      *slog.Logger
	asked    []mapping // ascending
	off      bool      // the machine has none, or refused
	resident residency
	regained int64 // as of the last sample
}

func newHugePages(log *slog.Logger) hugePages {
	setting, err := os.ReadFile(hugeSwitch)
	return hugePages{log: log, off: err != nil || !strings.Contains(string(setting), "[madvise]")}
}

// Collapsing copies what is mapped already and blocks all allocation of pages: a little at a
// time, so that a heap of a gigabyte takes seconds and never blocks for a whole one.
const (
	hugePage       = 2 << 20
	collapsePause  = 5 * time.Millisecond
	collapseAtOnce = 64 * hugePage // by a call of extend
)

// extend asks for what the heap has grown by, as long as all that was asked for is within
// the limit: at most collapseAtOnce bytes.
func (h *hugePages) extend(limit int64) {
	if h.off {
		return
	}
	heap, err := ownHeap()
	if err != nil {
		h.refused(err)
		return
	}
	left := uintptr(min(max(limit-h.bytes(), 0), collapseAtOnce)) / hugePage * hugePage
	for _, m := range heap {
		m.from = max(m.from, h.end())
		if m.from >= m.to || left == 0 {
			continue
		}
		m.to = min(m.to, m.from+left)
		left -= m.to - m.from
		if err := advise(m.from, m.to, adviseHuge); err != nil {
			h.refused(err)
			return
		}
		h.asked = append(h.asked, m)
		h.collapse(m)
	}
}

// collapse makes huge pages of what is mapped already and resident as a whole, as far as the
// kernel can: an older one cannot, or has no free huge page. Later allocations get huge pages
// all the same.
func (h *hugePages) collapse(m mapping) {
	pages, err := h.resident.of(m)
	if err != nil {
		h.refused(err)
		return
	}
	each := hugePage / os.Getpagesize()
	for from := m.from; from+hugePage <= m.to; from += hugePage {
		if bytes.IndexByte(pages[:each], 0) < 0 {
			_ = advise(from, from+hugePage, adviseCollapse)
			time.Sleep(collapsePause)
		}
		pages = pages[each:]
	}
}

// release gives all up: what the runtime releases from now on stays released.
func (h *hugePages) release() {
	for _, m := range h.asked {
		if err := advise(m.from, m.to, adviseNotHuge); err != nil {
			h.refused(err)
			break
		}
	}
	h.asked = h.asked[:0]
}

// regain samples what huge pages have made resident though the runtime released it: it stays so
// after they were given up, until the runtime uses it.
func (h *hugePages) regain(released int64) (bytes int64, err error) {
	if len(h.asked) > 0 || h.regained > 0 {
		h.regained, err = h.resident.regained(released)
	}
	return h.regained, err
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

// end is the end of the highest mapping that was asked for: the heap grows upwards.
func (h *hugePages) end() uintptr {
	if n := len(h.asked); n > 0 {
		return h.asked[n-1].to
	}
	return 0
}

func advise(from, to uintptr, advice int) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, to-from, uintptr(advice)); errno != 0 {
		return errno
	}
	return nil
}
