package verify

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// Verifier replays journals beside the running node, some shards side by side, and compares
// what is stored with what comes out.
type Verifier struct {
	cfg Config
	job[Verification]

	dir  string // of the shadow stores, removed at the end of a run
	file string // the last run, read by the next Open
}

// Order says what a verification does.
type Order struct {
	Stored bool  `json:"stored"` // no replay
	Rate   int   `json:"rate"`   // records replayed a second at most; 0: no bound
	Shards []int `json:"shards"` // none given: all
}

// Start begins a verification. While one is under way, or a rebuild, it is a Conflict.
func (v *Verifier) Start(o Order) error {
	if err := v.cfg.check(o.Shards, o.Rate); err != nil {
		return err
	}
	return v.begin(func() *Verification { return v.describe(o) }, func(ctx context.Context, r *Verification) {
		v.work(ctx, o, len(r.Shards), r.SideBySide)
	})
}

// describe is a run before it begins.
func (v *Verifier) describe(o Order) *Verification {
	run := &Verification{State: Running, Stored: o.Stored, Started: time.Now().UTC()}
	for i := range v.cfg.Shards {
		if len(o.Shards) > 0 && !slices.Contains(o.Shards, i) {
			continue
		}
		s := VerifiedShard{Shard: i, State: Waiting}
		if !o.Stored {
			s.Records, _ = v.cfg.Node.Applied(i) // the replay gives the reason of an error
		}
		run.Records += s.Records
		run.Shards = append(run.Shards, s)
	}
	run.SideBySide = min(v.cfg.SideBySide, len(run.Shards))
	return run
}

// Last is a copy of the run under way, or of the last; nil: there was none.
func (v *Verifier) Last() *Verification {
	return v.last(func(r *Verification, underWay bool) *Verification {
		run := *r
		run.Shards = slices.Clone(r.Shards)
		if underWay {
			run.Seconds = time.Since(r.Started).Seconds()
			run.Remaining = run.remaining()
		}
		run.Replayed = 0
		for i := range run.Shards {
			run.Replayed += run.Shards[i].Replayed
		}
		return &run
	})
}

// work verifies the shards, some at once.
func (v *Verifier) work(ctx context.Context, o Order, count, atOnce int) {
	w := newReplays(ctx, v.cfg, o.Rate, atOnce)
	next := make(chan int, count)
	for i := range count {
		next <- i
	}
	close(next)
	var working sync.WaitGroup
	for range atOnce {
		working.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					v.workOn(w, i, o.Stored)
				}
			}
		})
	}
	working.Wait()
	w.cache.Close()
	if err := os.RemoveAll(v.dir); err != nil {
		v.cfg.Log.Warn("the shadow stores of a verification cannot be removed", "err", err)
	}
	v.end(func(r *Verification) {
		r.conclude(ctx.Err() != nil)
		v.keep(r)
		v.report(r)
	})
}

// workOn verifies the i-th shard of the run.
func (v *Verifier) workOn(w *replays, i int, stored bool) {
	var s VerifiedShard
	v.update(func(r *Verification) {
		r.Shards[i].State = Running
		s = r.Shards[i]
	})
	began := time.Now()
	err := v.verify(w, &s, stored, func(at int64, replaying bool) {
		took := time.Since(began).Seconds()
		v.update(func(r *Verification) {
			r.Shards[i].Replayed = at
			r.Shards[i].Seconds = took
			if replaying {
				r.Shards[i].ReplaySeconds = took
				s.ReplaySeconds = took
			}
		})
	})
	s.Seconds = time.Since(began).Seconds()
	switch {
	case errors.Is(err, context.Canceled):
		s.State = Cancelled
		s.Why = ""
	case err != nil:
		s.State = Failed
		s.Why = err.Error()
	}
	v.update(func(r *Verification) { r.Shards[i] = s })
}

// keep writes the run for the next Open.
func (v *Verifier) keep(r *Verification) {
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(v.file+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(v.file+".new", v.file)
	}
	if err != nil {
		v.cfg.Log.Warn("the verification's result cannot be kept", "err", err)
	}
}

// report logs what came out.
func (v *Verifier) report(r *Verification) {
	level := slog.LevelInfo
	switch r.State {
	case Different:
		level = slog.LevelError
	case Incomplete, Failed:
		level = slog.LevelWarn
	}
	v.cfg.Log.Log(context.Background(), level, "verified",
		"state", r.State, "compared", r.Compared, "differences", r.Differences, "seconds", r.Seconds)
	for i := range r.Shards {
		s := &r.Shards[i]
		if s.State == Failed {
			v.cfg.Log.Error("a shard cannot be verified", "shard", s.Shard, "err", s.Why)
		}
		for _, d := range s.First {
			v.cfg.Log.Error("the store is not what was recorded", "shard", s.Shard, "key", d.Key, "what", d.What)
		}
	}
}
