package tuning

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
// resident, such as the store's cache and write buffers, which C allocates. Under the limit
// the heap grows to five times the live heap before it is collected: with twice, the
// collector took a tenth to a sixth of the CPU. Columns are evicted to keep the live heap to
// a part of the limit: the closer it comes, the more often it is collected. Without a part
// for the holes that a load leaves in the heap a node of 256 MiB spent half of its CPU on
// that.
const (
	gcPercent = 400
	holesPart = 32 // of --memory the runtime's limit is above the heap's part: objects leave holes in the heap; with a 16th a node of 256 MiB passed its bound
	minHeap   = 3  // the heap gets a third of --memory, whatever else is resident
	liveShare = 2  // half of the limit may be live before columns are evicted
	minKept   = 12
)

// heapLimit is what the heap may take of a budget beside so many bytes that are resident.
func heapLimit(memory, beside int64) int64 {
	return max(memory-beside, memory/minHeap)
}

// columnsBeside is how much columns may take of a heap beside the rest of the live heap: what
// that leaves, and at least 1/minKept of the limit for columns in constant use.
func columnsBeside(limit, rest int64) int64 {
	return max(limit/liveShare-min(rest, limit), limit/minKept)
}

// restSamples are the last samples of the live heap beside the columns, the newest first;
// zero where there was none yet.
type restSamples [4]int64

// least adds a sample and is the least of all. What the collector calls live holds all that
// was allocated while it marked, such as pages and answers of a moment: columns are not
// evicted for that.
func (r *restSamples) least(rest int64) int64 {
	copy(r[1:], r[:])
	r[0] = rest
	for _, was := range r {
		if was > 0 {
			rest = min(rest, was)
		}
	}
	return rest
}

// Columns is the cache whose size follows the heap. The keeper's goroutine calls it.
type Columns interface {
	// Resident is what the columns take, in bytes.
	Resident() (bytes int64)
	// KeepResident sets what they may take.
	KeepResident(bytes int64)
}

// heapEvery is how often the limit and the columns' part are set.
const heapEvery = time.Second

// HeapKeeper keeps the process in its budget: it sets the runtime's limit and the columns'
// part by what is resident and live, asks for huge pages, and gives memory back when the
// node is idle. Its Run is the one goroutine that uses it.
type HeapKeeper struct {
	memory  int64
	columns Columns
	limits  bool // GOMEMLIMIT is not set

	sample []metrics.Sample
	limit  int64  // as set last
	cycles uint64 // as of the last sample of the live heap
	rests  restSamples
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

// NewHeapKeeper makes the keeper of a process with so much --memory.
func NewHeapKeeper(memory int64, columns Columns, log *slog.Logger) *HeapKeeper {
	k := &HeapKeeper{memory: memory, columns: columns, huge: newHugePages(log), limits: os.Getenv("GOMEMLIMIT") == ""}
	for _, name := range []string{
		"/gc/heap/live:bytes", "/gc/cycles/total:gc-cycles", "/memory/classes/total:bytes",
		"/memory/classes/heap/released:bytes", "/gc/heap/allocs:bytes",
	} {
		k.sample = append(k.sample, metrics.Sample{Name: name})
	}
	return k
}

// BoundHeap sets the GC percentage and a first limit, which hold for what a start reads, and
// gives how to undo it. Where GOGC or GOMEMLIMIT is set, that holds.
func BoundHeap(memory int64) (undo func()) {
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

// Run keeps the budget until ctx ends.
func (k *HeapKeeper) Run(ctx context.Context) {
	t := time.NewTicker(heapEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			k.adjust()
		case <-ctx.Done():
			return
		}
	}
}

func (k *HeapKeeper) value(i int) int64 { return int64(k.sample[i].Value.Uint64()) }

func (k *HeapKeeper) adjust() {
	metrics.Read(k.sample)
	mapped := k.value(sampleTotal) - k.value(sampleReleased)
	if beside, err := k.beside(mapped); err == nil {
		k.bound(heapLimit(k.memory, beside))
	}
	live := k.value(sampleLive)
	// What is evicted is garbage only for the collection after the next.
	if cycles := uint64(k.value(sampleCycles)); cycles >= k.cycles+2 {
		k.cycles = cycles
		rest := live - min(k.columns.Resident(), live)
		k.columns.KeepResident(columnsBeside(k.limit, k.rests.least(rest)))
	}
	if k.idle.began(k.value(sampleAllocated), mapped, live) {
		k.huge.release()
		runtime.GC() // pools keep what is in them over one collection
		debug.FreeOSMemory()
		trimMalloc()
	} else if live >= hugeFrom && k.idle.samples == 0 {
		k.huge.extend(k.limit)
	}
}

// beside is what is resident and not the heap's.
func (k *HeapKeeper) beside(mapped int64) (int64, error) {
	resident, err := residentBytes()
	if err != nil {
		return 0, err
	}
	regained, err := k.huge.regain(k.value(sampleReleased))
	return max(resident-mapped-regained, 0), err
}

// bound sets the limit, but not for a small difference: that stops the world for a moment.
func (k *HeapKeeper) bound(limit int64) {
	if limit > k.limit*33/32 || limit < k.limit*31/32 {
		k.limit = limit
		if k.limits {
			debug.SetMemoryLimit(limit + k.memory/holesPart)
		}
	}
}

// idleness notices that little is allocated: then the collector would not run for long, and
// what a load has left behind is given back to the machine.
type idleness struct {
	allocated int64 // as of the last sample
	samples   int   // since more than little was allocated, or since memory was given back
	given     bool  // memory was given back at the last sample
	kept      int64 // mapped right after that; 0: nothing was given back yet
}

const (
	idleSamples = 5       // in a row
	idleAlloc   = 4 * MiB // allocated in a second is little
	idleExcess  = 16 * MiB
)

// began reports that idleness has lasted long enough to give memory back, and that there is
// some: more is mapped than is live, and more than was left the last time.
func (i *idleness) began(allocated, mapped, live int64) bool {
	busy := allocated-i.allocated > idleAlloc
	i.allocated = allocated
	if i.given {
		i.given = false
		i.kept = mapped
	}
	if busy {
		i.samples = 0
		return false
	}
	i.samples++
	if i.samples < idleSamples || mapped < max(live, i.kept)+idleExcess {
		return false
	}
	i.samples = 0
	i.given = true
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
