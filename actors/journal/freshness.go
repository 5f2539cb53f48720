package journal

import (
	"sync/atomic"
	"time"
)

// Freshness is the latest moment at which the log's end then seen has since been applied.
// One goroutine writes, any reads. It keeps the process's own clock beside the time of day:
// a clock that is set back while the broker is away makes no lag 0.
type Freshness struct{ at atomic.Pointer[time.Time] } // nil: never

// Applied notes that a log whose end was seen at a moment is applied up to next.
func (f *Freshness) Applied(end, next int64, seen time.Time) {
	if next >= end {
		f.at.Store(&seen)
	}
}

// Reached reports that the end was reached in this process.
func (f *Freshness) Reached() bool { return f.at.Load() != nil }

// At is that moment; zero: the end was not reached in this process.
func (f *Freshness) At() time.Time {
	if at := f.at.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Lag is now − that moment. Until the log is first caught up, it is the time since the process
// began: a lower bound.
func (f *Freshness) Lag(now, began time.Time) time.Duration {
	at := f.at.Load()
	if at == nil {
		at = &began
	}
	return max(0, now.Sub(*at))
}
