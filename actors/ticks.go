package actors

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

const (
	// tickAfter is how long a shard has applied nothing when the node of rank 0 appends a Tick.
	tickAfter = time.Hour
	// tickDelay is by how much the node of each further rank waits longer. Nodes see the same record applied within
	// two looks of each other: a Tick of a lower rank is applied before the next rank's is due.
	tickDelay = 10 * time.Second
	// tickLook is how often the node looks whether its shards applied anything.
	tickLook = time.Second
)

// ticks appends a Tick to the partition of each shard that has applied no record for an hour, so that the clock of an
// idle shard advances: by the log's time of the Tick, not by this node's. Of several nodes the one of the lowest rank
// that sees the silence appends.
func (s *shards) ticks(ctx context.Context, current func() *nodes.Snapshot) {
	silences := make([]silence, s.count)
	for retry.Pause(ctx, tickLook) {
		if !s.started.Load() {
			continue
		}
		now, ranks := time.Now(), current()
		for id, r := range s.here() {
			q := &silences[id]
			q.look(r.Applied.Load(), now)
			if q.due(now, ranks.Rank(nodes.Ticking, id)) {
				q.ticked = s.appenders[id].Post(domain.Record{
					Kind: domain.KindTick, Command: &domain.Tick{Hour: hourOf(s.o.timeOfDay()), Partition: uint32(id)},
				}, nil)
			}
		}
	}
}

// silence is for how long a shard has applied nothing, by the monotonic clock of this node: the time of day may leap.
// Its owner looks again and again.
type silence struct {
	applied int64     // offset after the last record
	since   time.Time // zero: not looked yet
	looked  time.Time
	ticked  bool // its Tick is on its way
}

// look notes how far the shard is. The time in which the process was paused does not count: what another node
// appended meanwhile is not read yet.
func (q *silence) look(applied int64, now time.Time) {
	if q.since.IsZero() || q.applied != applied {
		*q = silence{applied: applied, since: now}
	} else if now.Sub(q.looked) > tickDelay/2 {
		q.since = now
	}
	q.looked = now
}

// due reports that a node of that rank appends a Tick. Only one is on its way while the log or the shard takes none.
func (q *silence) due(now time.Time, rank int) bool {
	return !q.ticked && now.Sub(q.since) >= tickAfter+time.Duration(rank)*tickDelay
}
