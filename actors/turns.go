package actors

import (
	"runtime"
	"sync/atomic"
)

// turns lets questions overtake what is applied. A question is handed on a dozen times,
// from the request to every shard's desk, to a worker and back, and each time it stands
// behind whoever runs: that may be for 10 ms, and while records stream in a shard takes
// so long for a slice. While a question is asked, a shard gives way after every few
// records; it goes on when no question can.
//
// Any goroutine may call.
type turns struct{ asked atomic.Int64 }

// begin notes a question; end it.
func (t *turns) begin() { t.asked.Add(1) }

func (t *turns) end() { t.asked.Add(-1) }

// asking reports that an answer is waited for.
func (t *turns) asking() bool { return t.asked.Load() > 0 }

// give lets questions run, if there are any.
func (t *turns) give() {
	if t.asking() {
		runtime.Gosched()
	}
}

// giveEvery is after how many records a shard gives way, some 100 µs.
const giveEvery = 16
