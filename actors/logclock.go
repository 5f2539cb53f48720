package actors

import (
	"sync/atomic"
	"time"
)

// logClock is the clock of a log's broker, as outcomes show it: those of commands that this node appended a moment
// before. It goes on by monotonic time; no clock of this machine is asked for the time. Any goroutine may use it.
type logClock struct{ last atomic.Pointer[logMoment] }

// logMoment is a time of the log's, in ms since 1970, and when it was that time.
type logMoment struct {
	ms int64
	at time.Time
}

// show notes what the clock is now; 0: not known.
func (c *logClock) show(ms int64) {
	if ms > 0 {
		c.last.Store(&logMoment{ms, time.Now()})
	}
}

// in is the clock's time after d, in ms since 1970; 0: not known.
func (c *logClock) in(d time.Duration) int64 {
	last := c.last.Load()
	if last == nil {
		return 0
	}
	return last.ms + (time.Since(last.at) + d).Milliseconds()
}
