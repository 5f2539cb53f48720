package tuning

import (
	"runtime"
	"runtime/metrics"
	"sync"
)

// HeapRoom keeps the heap below the runtime's limit where single objects are large. The runtime
// starts a collection by what was allocated before: an object of 64 MiB exceeds the limit by its
// size, since it is allocated at once. Any goroutine may use a HeapRoom.
type HeapRoom struct {
	mu      sync.Mutex
	collect func()
	read    func() heapUse
}

// heapUse is what the runtime counts against its limit, and the limit.
type heapUse struct{ used, limit uint64 }

// NewHeapRoom makes the room of this process.
func NewHeapRoom() *HeapRoom {
	sample := []metrics.Sample{
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	return &HeapRoom{collect: runtime.GC, read: func() heapUse {
		metrics.Read(sample)
		v := func(i int) uint64 { return sample[i].Value.Uint64() }
		return heapUse{limit: v(0), used: v(1) - v(2) - v(3)} // free pages are used before others are mapped
	}}
}

// For makes room for an object of so many bytes: it collects the heap if the object would exceed
// the limit.
func (r *HeapRoom) For(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if u := r.read(); u.used+uint64(bytes) > u.limit {
		r.collect()
	}
}
