package serve

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/api/problem"
)

// LatencyBounds are the upper bounds of the latency buckets; one more bucket holds
// what took longer.
var LatencyBounds = [...]time.Duration{
	500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 10 * time.Second,
}

// statuses are those that a server answers with, ascending.
var statuses = func() []int {
	all := []int{200, 202, 204, 301, 304, 307}
	for _, c := range problem.Codes() {
		all = append(all, problem.Status(c))
	}
	slices.Sort(all)
	return slices.Compact(all)
}()

// unmatched counts requests that found no operation.
const unmatched = "none"

// counters are one operation's. Any goroutine may add.
type counters struct {
	name     string
	byStatus []atomic.Uint64 // as statuses
	latency  [len(LatencyBounds) + 1]atomic.Uint64
	nanos    atomic.Uint64
}

func newCounters(name string) *counters {
	return &counters{name: name, byStatus: make([]atomic.Uint64, len(statuses))}
}

func (c *counters) add(status int, took time.Duration) {
	if i, ok := slices.BinarySearch(statuses, status); ok {
		c.byStatus[i].Add(1)
	}
	i, _ := slices.BinarySearch(LatencyBounds[:], took)
	c.latency[i].Add(1)
	c.nanos.Add(uint64(max(took, 0)))
}

// OperationStats is what one operation has counted since the start.
type OperationStats struct {
	Operation string // method and path; "none" for what matched no operation
	Requests  map[int]uint64
	Latency   []uint64 // by LatencyBounds, not summed up, and one for longer
	Total     time.Duration
}

// snapshot is what each of the counters has counted, in their order.
func snapshot(counted []*counters) (out []OperationStats) {
	for _, c := range counted {
		s := OperationStats{Operation: c.name, Requests: map[int]uint64{}, Total: time.Duration(c.nanos.Load())}
		for i := range c.byStatus {
			if n := c.byStatus[i].Load(); n > 0 {
				s.Requests[statuses[i]] = n
			}
		}
		for i := range c.latency {
			s.Latency = append(s.Latency, c.latency[i].Load())
		}
		out = append(out, s)
	}
	return out
}
