package log

import (
	"fmt"
	"sync"
	"time"
)

// Bounds of what a clock that is right may show.
const (
	maxLeap = time.Hour           // against the time that has passed since the opening, and behind the last append
	maxRest = 90 * 24 * time.Hour // between the last append of one opening and the first of the next
)

// clock compares the log's time with one that cannot be set. LogAppendTime is the time of the
// state that is made of a topic, and never goes back: a stamp of a clock that was set wrong
// holds that time until real time is there.
type clock struct {
	now     func() time.Time
	since   func() time.Duration // since the opening, by the clock that cannot be set
	refusal refusal

	mu     sync.Mutex
	opened time.Time // when the opening was, by the clock
	newest time.Time // of the stamps before it; zero: none, or the clock was right since
}

// begin notes the clock at the opening, and the newest stamp before it, in ms; -1: none.
func (c *clock) begin(newest int64, trust bool) {
	c.opened = c.now().Round(0)
	if newest >= 0 && !trust {
		c.newest = time.UnixMilli(newest)
	}
}

// check refuses what the log would stamp while the clock cannot be right.
func (c *clock) check() error { return c.refusal.check(c.wrong()) }

// wrong is why the clock cannot be right; empty: it may be. What it shows when it is
// right for the first time is what leaps are measured against.
func (c *clock) wrong() string {
	now := c.now().Round(0)
	passed := c.since()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.newest.IsZero() {
		switch rest := now.Sub(c.newest); {
		case rest < -maxLeap:
			return fmt.Sprintf("the last record is of %s, the clock shows %s: %s", stamped(c.newest), stamped(now), setRight)
		case rest-passed > maxRest:
			days := rest / (24 * time.Hour)
			return fmt.Sprintf("the clock shows %s, %d days behind the last record: %s", stamped(now), days, setRight)
		}
		c.newest = time.Time{}
		c.opened = now.Add(-passed)
	}
	if leap := now.Sub(c.opened) - passed; leap > maxLeap || leap < -maxLeap {
		return fmt.Sprintf("the clock leapt by %v: set it right, or start again if it is", leap.Round(time.Second))
	}
	return ""
}

const setRight = "set the clock right, or start with --trust-clock if it is"

func stamped(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// elapsed is the time since a moment by a clock that cannot be set: that of the process, and
// what the machine slept.
func elapsed() func() time.Duration {
	began, slept := time.Now(), asleep()
	return func() time.Duration { return time.Since(began) + asleep() - slept }
}
