package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// The runtime keeps the heap under a limit: what --memory leaves beside all else that is
// resident, such as the store's cache and write buffers, which are C's. Under the limit the
// heap grows to five times what lives before it is collected: with twice, a tenth to a sixth
// of the CPU was the collector's. What lives is kept to a part of the limit, since columns
// are evicted: the closer it comes, the more often is collected. Without a part for the holes
// that a load leaves in the heap a node of 256 MiB spent half of its CPU on that.
const (
	gcPercent = 400
	holesPart = 16 // of --memory the runtime's limit is above the heap's part: objects leave holes in the heap
	heapLeast = 3  // the heap gets a third of --memory, whatever else is resident
	liveShare = 2  // of the limit what lives may take a half, before columns are evicted
	leastKept = 12
)

// heapLimit is what the heap may take of a budget beside so many bytes that are resident.
func heapLimit(memory, beside int64) int64 {
	return max(memory-beside, memory/heapLeast)
}

// columnsBeside is how much columns may take of a heap beside so much else that lives: what
// it leaves, and a little in any case, so that what is asked about all the time stays.
func columnsBeside(limit, rest int64) int64 {
	return max(limit/liveShare-min(rest, limit), limit/leastKept)
}

// rests is what lived beside the columns at the last few looks, the newest first; zero
// where there was none yet.
type rests [4]int64

// least is the least of them and of this one, which is the newest from now on. What the
// collector calls living holds all that was made while it marked, pages and answers of a
// moment, now much and now little: columns are not evicted for that.
func (r *rests) least(rest int64) int64 {
	copy(r[1:], r[:])
	r[0] = rest
	for _, was := range r {
		if was > 0 {
			rest = min(rest, was)
		}
	}
	return rest
}

// columnKeeper is the part of a node that holds the columns.
type columnKeeper interface {
	Resident() (bytes int64)
	KeepResident(bytes int64)
}

// heapEvery is how often the limit and the columns' part are set anew.
const heapEvery = time.Second

// heapKeeper keeps the process in its budget.
type heapKeeper struct {
	memory  int64
	columns columnKeeper
	limits  bool // GOMEMLIMIT does not say otherwise

	sample []metrics.Sample
	limit  int64  // as set last
	cycles uint64 // at the last look at what lives
	lately rests
	idle   idleness
	huge   hugePages
}

// The samples.
const (
	sampleLive = iota
	sampleCycles
	sampleTotal
	sampleReleased
	sampleAllocated
)

func newHeapKeeper(memory int64, columns columnKeeper, log *slog.Logger) *heapKeeper {
	k := &heapKeeper{memory: memory, columns: columns, huge: newHugePages(log), limits: os.Getenv("GOMEMLIMIT") == ""}
	for _, name := range []string{
		"/gc/heap/live:bytes", "/gc/cycles/total:gc-cycles", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes", "/gc/heap/allocs:bytes",
	} {
		k.sample = append(k.sample, metrics.Sample{Name: name})
	}
	return k
}

// boundHeap sets the percentage and a first limit, and gives how to undo it: what a start
// reads is under it already. Where GOGC or GOMEMLIMIT is set, that holds.
func boundHeap(memory int64) (undo func()) {
	percent, limit := 0, debug.SetMemoryLimit(-1)
	gogc, golimit := os.Getenv("GOGC") == "", os.Getenv("GOMEMLIMIT") == ""
	if gogc {
		percent = debug.SetGCPercent(gcPercent)
	}
	if golimit {
		debug.SetMemoryLimit(memory * 3 / 4)
	}
	return func() {
		if gogc {
			debug.SetGCPercent(percent)
		}
		if golimit {
			debug.SetMemoryLimit(limit)
		}
	}
}

// run keeps the budget until ctx ends.
func (k *heapKeeper) run(ctx context.Context) {
	t := time.NewTicker(heapEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			k.look()
		case <-ctx.Done():
			return
		}
	}
}

func (k *heapKeeper) value(i int) int64 { return int64(k.sample[i].Value.Uint64()) }

func (k *heapKeeper) look() {
	metrics.Read(k.sample)
	mapped := k.value(sampleTotal) - k.value(sampleReleased)
	if resident, err := residentBytes(); err == nil {
		k.bound(heapLimit(k.memory, resident-min(mapped, resident)))
	}
	live := k.value(sampleLive)
	// What is evicted is garbage only for the collection after the next.
	if cycles := uint64(k.value(sampleCycles)); cycles >= k.cycles+2 {
		k.cycles = cycles
		rest := live - min(k.columns.Resident(), live)
		k.columns.KeepResident(columnsBeside(k.limit, k.lately.least(rest)))
	}
	if k.idle.began(k.value(sampleAllocated), mapped, live) {
		k.huge.leave()
		runtime.GC() // pools keep what is in them over one collection
		debug.FreeOSMemory()
		trimMalloc()
	} else if live >= hugeFrom && k.idle.looks == 0 {
		k.huge.grown(k.limit)
	}
}

// bound sets the limit, but not for a small difference: that stops the world for a moment.
func (k *heapKeeper) bound(limit int64) {
	if limit > k.limit*33/32 || limit < k.limit*31/32 {
		k.limit = limit
		if k.limits {
			debug.SetMemoryLimit(limit + k.memory/holesPart)
		}
	}
}

// idleness notices that little is allocated: then the collector would not come for long,
// and what a load has left behind is given back to the machine.
type idleness struct {
	allocated int64 // as of the last look
	looks     int   // since more than little was allocated, or since memory was given back
	given     bool  // memory was given back at the last look
	kept      int64 // mapped right after that; 0: nothing was given back yet
}

const (
	idleLooks  = 5       // in a row
	idleAlloc  = 4 * mib // allocated in a second is little
	idleExcess = 16 * mib
)

// began reports that idleness has lasted long enough to give memory back, and that there is
// some: more is mapped than lives, and more than was left the last time.
func (i *idleness) began(allocated, mapped, live int64) bool {
	busy := allocated-i.allocated > idleAlloc
	i.allocated = allocated
	if i.given {
		i.given, i.kept = false, mapped
	}
	if busy {
		i.looks = 0
		return false
	}
	if i.looks++; i.looks < idleLooks || mapped < max(live, i.kept)+idleExcess {
		return false
	}
	i.looks, i.given = 0, true
	return true
}

// residentBytes is what the process has in memory.
func residentBytes() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, strconv.ErrSyntax
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}
