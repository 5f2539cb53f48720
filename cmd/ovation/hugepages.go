package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/metrics"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// What an activity or a question looks at stands all over the heap, and in pages of
// 4 KiB nearly every look is one at the page tables too: two megabytes a page took a
// sixth of an activity's CPU away. Where the machine leaves it to the program (Linux:
// transparent huge pages on "madvise"), it is asked for once the heap is large; a small
// node stays as small as it is.

// hugeFrom is how much must live in the heap.
const hugeFrom = 128 << 20

// hugeSwitch is where the machine says whether huge pages are had by asking.
const hugeSwitch = "/sys/kernel/mm/transparent_hugepage/enabled"

// Advice of madvise(2): from now on, and, from Linux 6.1, what is there already.
const (
	adviseHuge     = 14
	adviseCollapse = 25
)

// askHugePages asks for huge pages as the heap grows, until ctx ends.
func askHugePages(ctx context.Context, log *slog.Logger) {
	said, err := os.ReadFile(hugeSwitch)
	if err != nil || !strings.Contains(string(said), "[madvise]") {
		return
	}
	t := time.NewTicker(heapEvery)
	defer t.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var h hugePages
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		if metrics.Read(sample); sample[0].Value.Uint64() < hugeFrom {
			continue
		}
		if err := h.grown(ctx); err != nil {
			log.Warn("no huge pages for what the heap grows by", "error", err)
			return
		}
	}
}

// hugePages is what has been asked for.
type hugePages struct {
	upTo uintptr // the heap grows upwards
}

// What is there already is copied, while whoever needs memory waits: a little at a time,
// so that a heap of a gigabyte takes seconds and not one in which nothing else goes on.
const (
	collapseAtOnce = 2 << 20
	collapsePause  = 5 * time.Millisecond
)

// grown asks for what the heap has grown by.
func (h *hugePages) grown(ctx context.Context) error {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer f.Close()
	heap, err := heapMappings(f, uintptr(unsafe.Pointer(h)))
	if err != nil {
		return err
	}
	for _, s := range heap {
		from := max(s.from, h.upTo)
		if from >= s.to {
			continue
		}
		if err := advise(from, s.to, adviseHuge); err != nil {
			return err
		}
		h.upTo = s.to
		collapse(ctx, from, s.to)
	}
	return nil
}

// collapse makes huge pages of what is there already, as far as the kernel can: an older
// one cannot, or finds no room. What comes later is of huge pages all the same.
func collapse(ctx context.Context, from, to uintptr) {
	for from < to && ctx.Err() == nil {
		end := min(to, (from/collapseAtOnce+1)*collapseAtOnce)
		_ = advise(from, end, adviseCollapse)
		from = end
		pause(ctx, collapsePause)
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
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
