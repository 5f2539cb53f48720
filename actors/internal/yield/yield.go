package yield

import (
	"runtime"
	"sync/atomic"
)

// Questions counts the questions that are being answered. Any goroutine may call.
type Questions struct{ open atomic.Int64 }

// Begin notes a question; End it.
func (q *Questions) Begin() { q.open.Add(1) }

// End ends a question.
func (q *Questions) End() { q.open.Add(-1) }

// Open is how many questions wait for their answers.
func (q *Questions) Open() int64 { return q.open.Load() }

// Yield lets questions run, if there are any.
func (q *Questions) Yield() {
	if q.Open() > 0 {
		runtime.Gosched()
	}
}

// Every is after how many records a shard yields, some 100 µs.
const Every = 16
