package shard

import "time"

// openCommit is what was applied since the last commit.
type openCommit struct {
	records int
	since   time.Time // of the last commit
	meter   meter
}

// commitInterval is the longest time between commits while records keep coming;
// commitMost the most records in one.
const (
	commitInterval     = 10 * time.Millisecond
	commitIntervalBusy = 50 * time.Millisecond
	busyRate           = 4000 // records in 200 ms: 20,000 a second
	commitMost         = 20_000
)

// due reports that so many records, or so much time, came since the last commit.
func (c *openCommit) due(rate int64) bool {
	interval := commitInterval
	if rate > busyRate {
		interval = commitIntervalBusy
	}
	return c.records >= commitMost || time.Since(c.since) >= interval
}
