package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage"
)

// verifier replays the journal beside the running node, some shards side by side, and
// compares what is stored with what comes out. One run at a time.
type verifier struct {
	node   *actors.Node
	store  *storage.Store
	shards int
	memory int64 // of its stores
	side   int   // shards side by side, at most
	sole   *soleReplay
	dir    string // of the shadow stores, removed at the end of a run
	file   string // the last run, for after a restart
	log    *slog.Logger

	running sync.WaitGroup
	mu      sync.Mutex // the admin port reads while a run writes
	run     *verifyRun // under way, or the last; nil: there was none
	cancel  context.CancelFunc
}

// States of a run and of a shard in it.
const (
	verifyWaiting     = "waiting"
	verifyRunning     = "running"
	verifyEqual       = "equal"        // what is stored is what a replay gives
	verifyConsistent  = "consistent"   // not replayed: what is stored does not contradict itself
	verifyDifferent   = "different"    // it is not, or does
	verifyNotReplayed = "not replayed" // the journal is not whole
	verifyIncomplete  = "incomplete"   // some shard is not replayed, or failed
	verifyFailed      = "failed"
	verifyCancelled   = "cancelled"
)

// verifyRun is a run, of the admin port's answers, of /status and of --output json alike.
type verifyRun struct {
	State       string        `json:"state"`
	Stored      bool          `json:"stored,omitempty"` // compared with itself only
	Started     time.Time     `json:"started"`
	Seconds     float64       `json:"seconds"`
	Remaining   float64       `json:"remaining"` // seconds, about; 0: not known, or over
	Side        int           `json:"side"`      // shards side by side
	Records     int64         `json:"records"`   // that the journal had when it began, of all shards
	Replayed    int64         `json:"replayed"`
	Compared    int           `json:"compared"` // shards with a verdict of a replay
	Differences int           `json:"differences"`
	Shards      []verifyShard `json:"shards"`
}

// verifyShard is one shard in a run.
type verifyShard struct {
	Shard         int                `json:"shard"`
	State         string             `json:"state"`
	Why           string             `json:"why,omitempty"` // why it is not replayed, or failed
	Records       int64              `json:"records"`       // to be replayed, as the run began
	Replayed      int64              `json:"replayed"`      // offset up to which it is
	Position      int64              `json:"position"`      // offset at which both are compared
	Seconds       float64            `json:"seconds"`
	ReplaySeconds float64            `json:"replaySeconds"`    // the replay's part of them
	Facts         string             `json:"facts,omitempty"`  // the state hash there
	Replay        string             `json:"replay,omitempty"` // that of the replay
	Stretch       *verifyStretch     `json:"stretch,omitempty"`
	Differences   int                `json:"differences"`
	First         []verifyDifference `json:"first,omitempty"`
}

// verifyStretch are the offsets [from, to) of the journal in which the state hashes went
// apart.
type verifyStretch struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// verifyDifference is a key that is not as it should be; never its value.
type verifyDifference struct {
	Family string `json:"family"`
	Key    string `json:"key"`
	What   string `json:"what"`
}

// verifyOrder is what a run is asked for.
type verifyOrder struct {
	Stored bool  `json:"stored"` // no replay
	Rate   int   `json:"rate"`   // records replayed a second at most; 0: no bound
	Shards []int `json:"shards"` // none given: all
}

func newVerifier(p *program) (*verifier, error) {
	v := &verifier{
		node: p.node, store: p.store, shards: p.topics.journal.Partitions(), memory: p.budget.Replay, side: p.budget.Replays(), sole: &p.sole, log: p.log,
		dir: filepath.Join(p.cfg.Data, "verify.tmp"), file: filepath.Join(p.cfg.Data, "verify.json"),
	}
	if err := os.RemoveAll(v.dir); err != nil { // of a run that was killed
		return nil, err
	}
	text, err := os.ReadFile(v.file)
	var last verifyRun
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, err
	case json.Unmarshal(text, &last) == nil:
		v.run = &last
	}
	return v, nil
}

// Start begins a run. While one is under way, or a rebuild, it is a Conflict.
func (v *verifier) Start(o verifyOrder) error {
	for _, i := range o.Shards {
		if i < 0 || i >= v.shards {
			return domain.Bad(domain.NotFound, "shards", "there is no shard "+strconv.Itoa(i))
		}
	}
	if o.Rate < 0 {
		return domain.Bad(domain.InvalidParameter, "rate", "a rate is 0 or more records a second")
	}
	if err := v.sole.take("a verification"); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	run := &verifyRun{State: verifyRunning, Stored: o.Stored, Started: time.Now().UTC()}
	for i := range v.shards {
		if len(o.Shards) > 0 && !slices.Contains(o.Shards, i) {
			continue
		}
		s := verifyShard{Shard: i, State: verifyWaiting}
		if !o.Stored {
			s.Records, _ = v.node.Applied(i) // of one that does not run the replay says why
		}
		run.Records += s.Records
		run.Shards = append(run.Shards, s)
	}
	run.Side = min(v.side, len(run.Shards))
	ctx, cancel := context.WithCancel(context.Background())
	v.run, v.cancel = run, cancel
	v.running.Go(func() { v.work(ctx, o) })
	return nil
}

// Cancel ends the run under way; it is over when Last says so.
func (v *verifier) Cancel() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cancel != nil {
		v.cancel()
	}
}

// Close ends the run under way and waits for it.
func (v *verifier) Close() error {
	v.Cancel()
	v.running.Wait()
	return nil
}

// Last is the run under way, or the last; nil: there was none. It is the caller's.
func (v *verifier) Last() *verifyRun {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.run == nil {
		return nil
	}
	run := *v.run
	run.Shards = slices.Clone(run.Shards)
	if v.cancel != nil {
		run.Seconds = time.Since(run.Started).Seconds()
		run.Remaining = run.remaining()
	}
	run.Replayed = 0
	for i := range run.Shards {
		run.Replayed += run.Shards[i].Replayed
	}
	return &run
}

// update changes the run under way.
func (v *verifier) update(f func(*verifyRun)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f(v.run)
}

// work verifies the shards, the next one whenever one is done.
func (v *verifier) work(ctx context.Context, o verifyOrder) {
	var count, side int
	v.update(func(r *verifyRun) { count, side = len(r.Shards), r.Side })
	w := newVerifyWork(ctx, o, side, v.memory)
	next := make(chan int, count)
	for i := range count {
		next <- i
	}
	close(next)
	var working sync.WaitGroup
	for range side {
		working.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					v.workOn(w, i)
				}
			}
		})
	}
	working.Wait()
	w.cache.Close()
	if err := os.RemoveAll(v.dir); err != nil {
		v.log.Warn("what a verification has made cannot be removed", "err", err)
	}
	v.end(ctx)
	v.sole.give()
}

// workOn verifies the i-th shard of the run.
func (v *verifier) workOn(w *verifyWork, i int) {
	var s verifyShard
	v.update(func(r *verifyRun) { r.Shards[i].State = verifyRunning; s = r.Shards[i] })
	began := time.Now()
	err := v.verify(w, &s, func(at int64, replaying bool) {
		took := time.Since(began).Seconds()
		v.update(func(r *verifyRun) {
			r.Shards[i].Replayed, r.Shards[i].Seconds = at, took
			if replaying {
				r.Shards[i].ReplaySeconds = took
				s.ReplaySeconds = took
			}
		})
	})
	if s.Seconds = time.Since(began).Seconds(); err != nil {
		if s.State, s.Why = verifyFailed, err.Error(); errors.Is(err, context.Canceled) {
			s.State, s.Why = verifyCancelled, ""
		}
	}
	v.update(func(r *verifyRun) { r.Shards[i] = s })
}

// end says what came out, in the log and in the file for the next life.
func (v *verifier) end(ctx context.Context) {
	v.mu.Lock()
	r := v.run
	r.Seconds = time.Since(r.Started).Seconds()
	for i := range r.Shards {
		r.Replayed += r.Shards[i].Replayed
	}
	r.conclude(ctx.Err() != nil)
	v.cancel()
	v.cancel = nil
	text, err := json.Marshal(r)
	v.mu.Unlock()
	if err == nil {
		if err = os.WriteFile(v.file+".new", text, 0o600); err == nil {
			err = os.Rename(v.file+".new", v.file)
		}
	}
	if err != nil {
		v.log.Warn("the verification's result cannot be kept", "err", err)
	}
	level := slog.LevelInfo
	switch r.State {
	case verifyDifferent:
		level = slog.LevelError
	case verifyIncomplete, verifyFailed:
		level = slog.LevelWarn
	}
	v.log.Log(context.Background(), level, "verified", "state", r.State, "compared", r.Compared, "differences", r.Differences, "seconds", r.Seconds)
	for i := range r.Shards {
		if s := &r.Shards[i]; s.State == verifyFailed {
			v.log.Error("a shard cannot be verified", "shard", s.Shard, "err", s.Why)
		}
		for _, d := range r.Shards[i].First {
			v.log.Error("the store is not what was recorded", "shard", r.Shards[i].Shard, "key", d.Key, "what", d.What)
		}
	}
}

// conclude makes the run's state of its shards'.
func (r *verifyRun) conclude(cancelled bool) {
	states := map[string]int{}
	for i := range r.Shards {
		s := &r.Shards[i]
		states[s.State]++
		r.Differences += s.Differences
		if s.State != verifyWaiting && s.Replay != "" {
			r.Compared++
		}
	}
	switch {
	case r.Differences > 0:
		r.State = verifyDifferent
	case states[verifyFailed] > 0 && states[verifyFailed]+states[verifyWaiting] == len(r.Shards):
		r.State = verifyFailed
	case cancelled:
		r.State = verifyCancelled
	case states[verifyFailed]+states[verifyNotReplayed] > 0:
		r.State = verifyIncomplete
	case r.Stored:
		r.State = verifyConsistent
	default:
		r.State = verifyEqual
	}
}

// fine reports that the run found what it should.
func (r *verifyRun) fine() bool { return r.State == verifyEqual || r.State == verifyConsistent }

// notReplayed says why there is no replay of a shard.
func notReplayed(why string) string {
	return fmt.Sprintf("the journal cannot be replayed from its start (%s); what is stored was compared with itself only", why)
}
