package shard

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// clockShared is a shard's clock: the highest time of the broker's that was applied. A
// broker's clock that leapt forward and was put right holds it, until real time catches
// up: what ends by it, such as the memory of a request, ends later; nothing is lost. One
// goroutine writes, any reads.
type clockShared struct {
	ms     atomic.Int64 // since 1970
	warned bool         // owned by the writer
}

// clocksDiffer is how far the clocks of two machines may be apart.
const clocksDiffer = time.Minute

// applied notes the clock of a commit, and warns once that it is ahead of the node's.
func (c *clockShared) applied(log *slog.Logger, shard int, ms int64, now time.Time) {
	c.ms.Store(ms)
	skew := time.UnixMilli(ms).Sub(now)
	switch {
	case skew > clocksDiffer && !c.warned:
		log.Warn("the broker's clock is ahead of this node's: the shard's clock waits for real time",
			"shard", shard, "ahead", skew.Round(time.Second))
		c.warned = true
	case skew <= clocksDiffer && c.warned:
		log.Info("recovered: the broker's clock is ahead of this node's", "shard", shard)
		c.warned = false
	}
}

// at is the clock, and by how much it is ahead of now, if clocks do not differ by so much.
func (c *clockShared) at(now time.Time) (clock time.Time, aheadMs int64) {
	ms := c.ms.Load()
	if ms == 0 {
		return clock, 0
	}
	clock = time.UnixMilli(ms).UTC()
	if skew := clock.Sub(now); skew > clocksDiffer {
		aheadMs = skew.Milliseconds()
	}
	return clock, aheadMs
}
