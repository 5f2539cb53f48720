package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage"
)

// rebuilder builds shards anew from the journal beside the running node, one after the
// other, and puts what it has built in the place of what the store has. One run at a time.
type rebuilder struct {
	node   *actors.Node
	store  *storage.Store
	shards int
	memory int64 // of the replay's store
	sole   *soleReplay
	log    *slog.Logger

	running sync.WaitGroup
	mu      sync.Mutex  // the admin port reads while a run writes
	run     *rebuildRun // under way, or the last of this process; nil: there was none
	cancel  context.CancelFunc
}

// States of a run and of a shard in it. A shard is what it was up to rebuildReplacing; once
// that has begun it is the new one, at the node's next start at the latest.
const (
	rebuildWaiting   = "waiting"
	rebuildRunning   = "running"
	rebuildReplaying = "replaying"
	rebuildWriting   = "writing"
	rebuildReplacing = "replacing"
	rebuildDone      = "rebuilt"
	rebuildRefused   = "refused" // the journal does not have all that the shard was made of
	rebuildFailed    = "failed"
	rebuildCancelled = "cancelled"
)

// rebuildRun is a run, of the admin port's answers, of /status and of --output json alike.
type rebuildRun struct {
	State   string         `json:"state"`
	Started time.Time      `json:"started"`
	Seconds float64        `json:"seconds"`
	Shards  []rebuildShard `json:"shards"`
}

// rebuildShard is one shard in a run.
type rebuildShard struct {
	Shard    int     `json:"shard"`
	State    string  `json:"state"`
	Why      string  `json:"why,omitempty"` // why it was refused, or failed
	Records  int64   `json:"records"`       // to be replayed, as the run began
	Replayed int64   `json:"replayed"`
	Seconds  float64 `json:"seconds"`
}

// rebuildOrder is what a run is asked for.
type rebuildOrder struct {
	Rate   int   `json:"rate"` // records replayed a second at most; 0: no bound
	Shards []int `json:"shards"`
}

func newRebuilder(p *program) *rebuilder {
	return &rebuilder{
		node: p.node, store: p.store, shards: p.topics.journal.Partitions(), memory: p.budget.Replay, sole: &p.sole, log: p.log,
	}
}

// Start begins a run. While one is under way, or a verification, it is a Conflict.
func (b *rebuilder) Start(o rebuildOrder) error {
	if len(o.Shards) == 0 {
		return domain.Bad(domain.InvalidParameter, "shards", "which shards?")
	}
	for _, i := range o.Shards {
		if i < 0 || i >= b.shards {
			return domain.Bad(domain.NotFound, "shards", "there is no shard "+strconv.Itoa(i))
		}
	}
	if o.Rate < 0 {
		return domain.Bad(domain.InvalidParameter, "rate", "a rate is 0 or more records a second")
	}
	if err := b.sole.take("a rebuild"); err != nil {
		return err
	}
	run := &rebuildRun{State: rebuildRunning, Started: time.Now().UTC()}
	for _, i := range slices.Compact(slices.Sorted(slices.Values(o.Shards))) {
		s := rebuildShard{Shard: i, State: rebuildWaiting}
		s.Records, _ = b.node.Applied(i)
		run.Shards = append(run.Shards, s)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	b.run, b.cancel = run, cancel
	b.running.Go(func() { b.work(ctx, o, len(run.Shards)) })
	return nil
}

// Cancel ends the run under way; it is over when Last says so.
func (b *rebuilder) Cancel() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cancel != nil {
		b.cancel()
	}
}

// Close ends the run under way and waits for it.
func (b *rebuilder) Close() error {
	b.Cancel()
	b.running.Wait()
	return nil
}

// Last is the run under way, or the last; nil: there was none. It is the caller's.
func (b *rebuilder) Last() *rebuildRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run == nil {
		return nil
	}
	run := *b.run
	run.Shards = slices.Clone(run.Shards)
	if b.cancel != nil {
		run.Seconds = time.Since(run.Started).Seconds()
	}
	return &run
}

// update changes a shard of the run under way.
func (b *rebuilder) update(i int, f func(*rebuildShard)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.run.Shards[i])
}

func (b *rebuilder) work(ctx context.Context, o rebuildOrder, count int) {
	w := newVerifyWork(ctx, verifyOrder{Rate: o.Rate}, 1, b.memory)
	for i := range count {
		if ctx.Err() == nil {
			b.workOn(w, i)
		}
	}
	w.cache.Close()
	b.sole.give()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run.conclude(ctx.Err() != nil)
	b.cancel()
	b.cancel = nil
	b.log.Info("rebuild ended", "state", b.run.State, "seconds", b.run.Seconds)
}

// workOn rebuilds the i-th shard of the run.
func (b *rebuilder) workOn(w *verifyWork, i int) {
	var shard int
	b.update(i, func(s *rebuildShard) { shard = s.Shard })
	began := time.Now()
	err := b.rebuild(w, shard, func(state string, replayed int64) {
		b.update(i, func(s *rebuildShard) {
			s.State, s.Seconds = state, time.Since(began).Seconds()
			s.Replayed = max(s.Replayed, replayed)
		})
	})
	b.update(i, func(s *rebuildShard) {
		s.Seconds = time.Since(began).Seconds()
		var refused *refusedRebuild
		switch {
		case err == nil:
			s.State = rebuildDone
			b.log.Info("shard rebuilt", "shard", shard, "records", s.Replayed, "seconds", s.Seconds)
			return
		case errors.Is(err, context.Canceled):
			s.State = rebuildCancelled
			return
		case errors.As(err, &refused):
			s.State = rebuildRefused
		default:
			s.State = rebuildFailed
		}
		s.Why = err.Error()
		b.log.Error("shard not rebuilt", "shard", shard, "state", s.State, "err", err)
	})
}

// conclude makes the run's state of its shards'.
func (r *rebuildRun) conclude(cancelled bool) {
	r.Seconds, r.State = time.Since(r.Started).Seconds(), rebuildDone
	for i := range r.Shards {
		switch s := r.Shards[i].State; {
		case s == rebuildFailed, s == rebuildRefused && r.State != rebuildFailed:
			r.State = s
		}
	}
	if cancelled && r.State == rebuildDone {
		r.State = rebuildCancelled
	}
}

// refusedRebuild says why the journal does not make a shard anew. The shard is as it was.
type refusedRebuild struct{ why string }

// Error is the reason.
func (e *refusedRebuild) Error() string { return e.why + "; the shard is as it was" }

// rebuild builds one shard and puts it in its place; progress is told what it does and up to
// which offset the journal is replayed.
func (b *rebuilder) rebuild(w *verifyWork, shard int, progress func(state string, replayed int64)) error {
	progress(rebuildReplaying, 0)
	if err := b.node.Rebuildable(w.ctx, shard); err != nil {
		var other *actors.ReplayError
		if errors.As(err, &other) {
			return &refusedRebuild{other.Why}
		}
		return err
	}
	r, err := b.store.Replace(shard, storage.Options{Cache: w.cache, MemTableBytes: w.buffer, FilterBytes: min(verifyFilters, w.heap), MaxOpenFiles: 200})
	if !errors.Is(err, storage.ErrReplaced) { // by a run that ended before the shard was opened
		if err != nil {
			return err
		}
		if err := b.build(w, shard, r, progress); err != nil {
			return errors.Join(err, r.Drop())
		}
	}
	progress(rebuildReplacing, 0)
	return b.node.Reopen(w.ctx, shard)
}

// build replays the journal into a replacement and completes it.
func (b *rebuilder) build(w *verifyWork, shard int, r *storage.Replacement, progress func(state string, replayed int64)) error {
	if err := b.replay(w, shard, r, progress); err != nil {
		var stopped *actors.ReplayError
		if errors.As(err, &stopped) && stopped.Gap != nil {
			return &refusedRebuild{whyNotRebuilt(stopped.Gap)}
		}
		return err
	}
	progress(rebuildWriting, 0)
	return r.Complete(w.pace)
}

// whyNotRebuilt says what the journal lacks.
func whyNotRebuilt(g *domain.GapError) string {
	if g.Want < g.Start {
		return fmt.Sprintf("the journal has no record of partition %d from offset %d on, the first that it has is %d, and no word of the operator covers that: a rebuild would be without them", g.Partition, g.Want, g.Start)
	}
	return "the journal cannot be replayed: " + g.Error()
}

func (b *rebuilder) replay(w *verifyWork, shard int, r *storage.Replacement, progress func(state string, replayed int64)) error {
	shadow, err := b.node.Shadow(w.ctx, shard, actors.ShadowOptions{Pace: w.records.wait, ResidentBytes: verifyColumns, AwakeBytes: min(verifyAwake, w.heap), Open: func() (actors.ShardStore, error) {
		sh, err := r.Shard()
		if err != nil {
			return nil, err
		}
		return shardStore{sh}, nil
	}})
	if err != nil {
		return err
	}
	defer shadow.Stop()
	watched := watch(func() { progress(rebuildReplaying, shadow.Applied()) })
	defer watched.stop()
	return nearLive(w.ctx, shadow, func() (int64, error) { return b.node.Reached(w.ctx, shard) })
}

// soleReplay lets one of verification and rebuild go on at a time: they share memory, and a
// rebuild takes away what a verification reads. Any goroutine.
type soleReplay struct {
	mu   sync.Mutex
	what string // is under way; empty: nothing
}

// take begins one; a Conflict while there is another.
func (r *soleReplay) take(what string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.what != "" {
		return domain.Fail(domain.Conflict, r.what+" is under way")
	}
	r.what = what
	return nil
}

// give ends it.
func (r *soleReplay) give() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.what = ""
}
