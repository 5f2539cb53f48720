package actors

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// trimmer decides how far the embedded log's public topic may be cut: what was
// routed an hour ago, when all that was in the journal then is applied, and only
// below the oldest dead letter whose bytes are still to be published.
type trimmer struct {
	keep  time.Duration
	marks []trimMark // oldest first
	cut   map[int]int64
}

// trimMark is how far the routers and the journal had come at a moment.
type trimMark struct {
	at     time.Time
	routed map[int]int64 // by source partition: next
	ends   []int64       // by journal partition
}

func newTrimmer(keep time.Duration) *trimmer { return &trimmer{keep: keep, cut: map[int]int64{}} }

// note keeps a mark.
func (t *trimmer) note(m trimMark) { t.marks = append(t.marks, m) }

// due are the partitions that can be cut further, and below which offset. applied is
// by journal partition; letters is the oldest unpublished dead letter's offset by
// source partition.
func (t *trimmer) due(now time.Time, applied []int64, letters map[int]int64) map[int]int64 {
	var last *trimMark
	for len(t.marks) > 0 && now.Sub(t.marks[0].at) >= t.keep && reachedAll(applied, t.marks[0].ends) {
		last, t.marks = &t.marks[0], t.marks[1:]
	}
	if last == nil {
		return nil
	}
	out := map[int]int64{}
	for partition, next := range last.routed {
		if oldest, ok := letters[partition]; ok {
			next = min(next, oldest)
		}
		if next > t.cut[partition] {
			t.cut[partition], out[partition] = next, next
		}
	}
	return out
}

func reachedAll(applied, ends []int64) bool {
	for i, end := range ends {
		if applied[i] < end {
			return false
		}
	}
	return true
}

// trimEvery is how often marks are made.
const trimEvery = time.Minute

// retention cuts the public topic and the dead letters of a node.
type retention struct {
	o       *Options
	shards  *shards
	routers *router.Handles
	trimmer *trimmer
}

// run cuts again and again.
func (r *retention) run(ctx context.Context) {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		r.trim(ctx)
		r.trimLetters(ctx)
	}
}

// trimLetters cuts the dead letters that are old.
func (r *retention) trimLetters(ctx context.Context) {
	before := r.o.Now().Add(-r.o.TrimLettersAfter)
	if err := r.o.TrimLetters(ctx, before); err != nil && ctx.Err() == nil {
		r.o.Log.Warn("the dead letters cannot be cut", "before", before, "err", err)
	}
}

// trim makes a mark and cuts what is due. Of a shard that does not serve it is not known
// which letters it still has to publish, those of what it has not applied among them: as
// long as there is one, nothing is marked and nothing is cut.
func (r *retention) trim(ctx context.Context) {
	applied := make([]int64, r.shards.count)
	for i, s := range r.shards.here() {
		if shard.Behaviour(s.Behaviour.Load()) != shard.Serving {
			return
		}
		applied[i] = s.Applied.Load()
	}
	progress := map[int]int64{}
	for _, from := range r.routers.List() {
		progress[from.Partition] = from.Next.Load()
	}
	now, ends := r.o.Now(), make([]int64, r.shards.count)
	for i := range ends { // after routed: all that was routed by then is below
		var err error
		if ends[i], err = r.o.Journal.End(ctx, i); err != nil {
			return // the broker is away: what is due waits, too
		}
	}
	r.trimmer.note(trimMark{now, progress, ends})
	for partition, before := range r.trimmer.due(now, applied, r.oldestLetters()) {
		if err := r.o.Trim(ctx, partition, before); err != nil {
			r.o.Log.Warn("the public topic cannot be cut", "partition", partition, "before", before, "err", err)
		}
	}
}

// oldestLetters are the lowest offsets of dead letters that are not yet published, by
// partition of the public topic.
func (r *retention) oldestLetters() map[int]int64 {
	out := map[int]int64{}
	for _, s := range r.shards.here() {
		s.Outbox.Unpublished(r.o.Source.Topic(), func(o domain.Origin) {
			p := int(o.Partition)
			if old, ok := out[p]; !ok || o.Offset < old {
				out[p] = o.Offset
			}
		})
	}
	return out
}
