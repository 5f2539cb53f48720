package actors

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// trimmer decides how far the embedded log's public topic may be cut: what was
// routed an hour ago, when all that was in the journal then is applied, and only
// below the oldest dead letter whose bytes are still to be published. All of it comes of
// the journal, so that it does not matter which node routes and publishes.
type trimmer struct {
	keep  time.Duration
	marks []trimMark // oldest first
	cut   map[int]int64
}

// trimMark is how far the routers' marks and the journal had come at a moment.
type trimMark struct {
	at     time.Time
	routed map[int]int64 // by source partition: below it all is in the journal
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
	marks   func(context.Context) (map[int]int64, error) // how far the public topic was routed
	trimmer *trimmer
	waits   atomic.Pointer[string] // why nothing is cut for now; nil: it is
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
	before := r.o.timeOfDay().Add(-r.o.TrimLettersAfter)
	if err := r.o.TrimLetters(ctx, before); err != nil && ctx.Err() == nil {
		r.o.Log.Warn("the dead letters cannot be cut", "before", before, "err", err)
	}
}

// markWithin bounds how long a minute's mark may take.
const markWithin = 10 * time.Second

// trim makes a mark and cuts what is due.
func (r *retention) trim(ctx context.Context) {
	err := r.cut(ctx)
	if err == nil {
		r.waits.Store(nil)
		return
	}
	why := err.Error()
	r.waits.Store(&why)
}

// cut makes a mark and cuts what is due. Of a shard that does not serve it is not known
// which letters there still are to publish, those of what it has not applied among them: as
// long as there is one, nothing is marked and nothing is cut.
func (r *retention) cut(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, markWithin)
	defer cancel()
	applied := make([]int64, r.shards.count)
	for i, s := range r.shards.here() {
		if shard.Behaviour(s.Behaviour.Load()) != shard.Serving {
			return notServing(i)
		}
	}
	routed, err := r.marks(within)
	if err != nil {
		return fmt.Errorf("how far was routed is not known: %w", err)
	}
	now, ends := r.o.Now(), make([]int64, r.shards.count)
	for i := range ends { // after the marks: all that was routed by then is below
		if ends[i], err = r.o.Journal.End(within, i); err != nil {
			return err // the broker is away: what is due waits, too
		}
	}
	for i, s := range r.shards.here() {
		applied[i] = s.Applied.Load()
	}
	letters, err := r.oldestLetters() // of what is applied, and of more
	if err != nil {
		return err
	}
	r.trimmer.note(trimMark{now, routed, ends})
	for partition, before := range r.trimmer.due(now, applied, letters) {
		if err := r.o.Trim(ctx, partition, before); err != nil {
			r.o.Log.Warn("the public topic cannot be cut", "partition", partition, "before", before, "err", err)
		}
	}
	return nil
}

// oldestLetters are the lowest offsets of dead letters that are not yet published, by
// partition of the public topic: of those that are stored, whichever node publishes them.
func (r *retention) oldestLetters() (map[int]int64, error) {
	out := map[int]int64{}
	for i, s := range r.shards.here() {
		v := s.View.Acquire()
		if v == nil {
			return nil, notServing(i)
		}
		err := v.Snapshot.Outbox(domain.OutboxLetters, 0, func(e *domain.Outgoing) bool {
			if o := e.Dead.Origin; o.Topic == r.o.Source.Topic() {
				if old, ok := out[int(o.Partition)]; !ok || o.Offset < old {
					out[int(o.Partition)] = o.Offset
				}
			}
			return true
		})
		v.Release()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func notServing(shard int) error {
	return fmt.Errorf("shard %d does not serve, and may have dead letters whose originals are still to be published", shard)
}
