package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Rebuilder builds shards from the journal beside the running node, one after the other, and
// replaces by each what the store has.
type Rebuilder struct {
	cfg Config
	job[Rebuild]
}

// States of a rebuild and of a shard in it. A shard is the old one before Replacing; from
// then on it is the new one, at the node's next start at the latest.
const (
	Replaying = "replaying"
	Writing   = "writing"
	Replacing = "replacing"
	Rebuilt   = "rebuilt"
	Refused   = "refused" // the journal lacks records that the shard has applied
)

// Rebuild is a run of a rebuilder.
type Rebuild struct {
	State   string         `json:"state"`
	Started time.Time      `json:"started"`
	Seconds float64        `json:"seconds"`
	Shards  []RebuiltShard `json:"shards"`
}

// RebuiltShard is one shard of a rebuild.
type RebuiltShard struct {
	Shard    int     `json:"shard"`
	State    string  `json:"state"`
	Why      string  `json:"why,omitempty"` // it was refused, or failed
	Records  int64   `json:"records"`       // to be replayed, as the run began
	Replayed int64   `json:"replayed"`
	Seconds  float64 `json:"seconds"`
}

// RebuildOrder says what a rebuild does.
type RebuildOrder struct {
	Rate   int   `json:"rate"` // records replayed a second at most; 0: no bound
	Shards []int `json:"shards"`
}

// Start begins a rebuild. While one is under way, or a verification, it is a Conflict.
func (b *Rebuilder) Start(o RebuildOrder) error {
	if len(o.Shards) == 0 {
		return domain.Bad(domain.InvalidParameter, "shards", "which shards?")
	}
	if err := b.cfg.check(o.Shards, o.Rate); err != nil {
		return err
	}
	return b.begin(func() *Rebuild { return b.describe(o) }, func(ctx context.Context, r *Rebuild) {
		b.work(ctx, o.Rate, len(r.Shards))
	})
}

// describe is a run before it begins.
func (b *Rebuilder) describe(o RebuildOrder) *Rebuild {
	run := &Rebuild{State: Running, Started: time.Now().UTC()}
	for _, i := range slices.Compact(slices.Sorted(slices.Values(o.Shards))) {
		s := RebuiltShard{Shard: i, State: Waiting}
		s.Records, _ = b.cfg.Node.Applied(i)
		run.Shards = append(run.Shards, s)
	}
	return run
}

// Last is a copy of the run under way, or of the last of this process; nil: there was none.
func (b *Rebuilder) Last() *Rebuild {
	return b.last(func(r *Rebuild, underWay bool) *Rebuild {
		run := *r
		run.Shards = slices.Clone(r.Shards)
		if underWay {
			run.Seconds = time.Since(r.Started).Seconds()
		}
		return &run
	})
}

func (b *Rebuilder) work(ctx context.Context, rate, count int) {
	w := newReplays(ctx, b.cfg, rate, 1)
	for i := range count {
		if ctx.Err() == nil {
			b.workOn(w, i)
		}
	}
	w.cache.Close()
	b.end(func(r *Rebuild) {
		r.conclude(ctx.Err() != nil)
		b.cfg.Log.Info("rebuild ended", "state", r.State, "seconds", r.Seconds)
	})
}

// workOn rebuilds the i-th shard of the run.
func (b *Rebuilder) workOn(w *replays, i int) {
	var shard int
	b.update(func(r *Rebuild) { shard = r.Shards[i].Shard })
	began := time.Now()
	err := b.rebuild(w, shard, func(state string, replayed int64) {
		b.update(func(r *Rebuild) {
			s := &r.Shards[i]
			s.State = state
			s.Seconds = time.Since(began).Seconds()
			s.Replayed = max(s.Replayed, replayed)
		})
	})
	b.update(func(r *Rebuild) {
		s := &r.Shards[i]
		s.Seconds = time.Since(began).Seconds()
		var refused *refusedError
		switch {
		case err == nil:
			s.State = Rebuilt
			b.cfg.Log.Info("shard rebuilt", "shard", shard, "records", s.Replayed, "seconds", s.Seconds)
			return
		case errors.Is(err, context.Canceled):
			s.State = Cancelled
			return
		case errors.As(err, &refused):
			s.State = Refused
		default:
			s.State = Failed
		}
		s.Why = err.Error()
		b.cfg.Log.Error("shard not rebuilt", "shard", shard, "state", s.State, "err", err)
	})
}

// conclude derives the run's state from its shards'.
func (r *Rebuild) conclude(cancelled bool) {
	r.Seconds = time.Since(r.Started).Seconds()
	r.State = Rebuilt
	for i := range r.Shards {
		switch s := r.Shards[i].State; {
		case s == Failed, s == Refused && r.State != Failed:
			r.State = s
		}
	}
	if cancelled && r.State == Rebuilt {
		r.State = Cancelled
	}
}

// refusedError is why a shard cannot be built from the journal. The shard is as it was.
type refusedError struct{ why string }

// Error is the reason.
func (e *refusedError) Error() string { return e.why + "; the shard is as it was" }

// rebuildProgress notes a shard's state and the offset up to which its journal is replayed.
type rebuildProgress func(state string, replayed int64)

// rebuild builds one shard and puts it in its place.
func (b *Rebuilder) rebuild(w *replays, shard int, progress rebuildProgress) error {
	progress(Replaying, 0)
	if err := b.cfg.Node.Rebuildable(w.ctx, shard); err != nil {
		var other *replay.Error
		if errors.As(err, &other) {
			return &refusedError{other.Why}
		}
		return err
	}
	r, err := b.cfg.Store.Replace(shard, w.options())
	if !errors.Is(err, store.ErrReplaced) { // by a run that ended before the shard was opened
		if err != nil {
			return err
		}
		if err := b.build(w, shard, r, progress); err != nil {
			return errors.Join(err, r.Drop())
		}
	}
	progress(Replacing, 0)
	return b.cfg.Node.Reopen(w.ctx, shard)
}

// build replays the journal into a replacement and completes it.
func (b *Rebuilder) build(w *replays, shard int, r *store.Replacement, progress rebuildProgress) error {
	if err := b.replay(w, shard, r, progress); err != nil {
		var stopped *replay.Error
		if errors.As(err, &stopped) && stopped.Gap != nil {
			return &refusedError{whyRefused(stopped.Gap)}
		}
		return err
	}
	progress(Writing, 0)
	return r.Complete(w.pace)
}

// whyRefused is what the journal lacks.
func whyRefused(g *domain.GapError) string {
	if g.Want < g.Start {
		return fmt.Sprintf("the journal has no record of partition %d from offset %d on, the first that it has is %d, "+
			"and no word of the operator covers that: a rebuild would be without them", g.Partition, g.Want, g.Start)
	}
	return "the journal cannot be replayed: " + g.Error()
}

func (b *Rebuilder) replay(w *replays, shard int, r *store.Replacement, progress rebuildProgress) error {
	shadow, err := w.shadow(shard, r.Shard)
	if err != nil {
		return err
	}
	defer shadow.Stop()
	stop := reporting(func() { progress(Replaying, shadow.Applied()) })
	defer stop()
	return w.catchUp(shadow, func() (int64, error) { return b.cfg.Node.Reached(w.ctx, shard) })
}
