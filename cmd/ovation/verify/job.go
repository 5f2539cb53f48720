package verify

import (
	"context"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// States that runs of both kinds, and shards in them, have.
const (
	Waiting   = "waiting"
	Running   = "running"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// job is the run under way, or the last. Any goroutine.
type job[R any] struct {
	kind    string // in errors
	sole    *sole
	running sync.WaitGroup

	mu     sync.Mutex
	run    *R                 // nil: there was none
	cancel context.CancelFunc // nil: none is under way
}

// begin makes the run that describe gives the one under way, and works on it. While there is
// one of either kind it is a Conflict.
func (j *job[R]) begin(describe func() *R, work func(ctx context.Context, run *R)) error {
	if err := j.sole.acquire(j.kind); err != nil {
		return err
	}
	run := describe()
	ctx, cancel := context.WithCancel(context.Background())
	j.mu.Lock()
	defer j.mu.Unlock()
	j.run = run
	j.cancel = cancel
	j.running.Go(func() { work(ctx, run) })
	return nil
}

// end concludes the run under way. Another may begin from now on.
func (j *job[R]) end(conclude func(run *R)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	conclude(j.run)
	j.cancel()
	j.cancel = nil
	j.sole.release()
}

// update reads or changes the run.
func (j *job[R]) update(f func(run *R)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(j.run)
}

// Cancel ends the run under way; it has ended when Last says so.
func (j *job[R]) Cancel() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.cancel != nil {
		j.cancel()
	}
}

// Close ends the run under way and waits for it.
func (j *job[R]) Close() error {
	j.Cancel()
	j.running.Wait()
	return nil
}

// last is a copy of the run for the caller; nil: there was none.
func (j *job[R]) last(copied func(run *R, underWay bool) *R) *R {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.run == nil {
		return nil
	}
	return copied(j.run, j.cancel != nil)
}

// sole admits one run at a time, of either kind. Any goroutine.
type sole struct {
	mu   sync.Mutex
	kind string // under way; empty: none
}

// acquire admits a run; a Conflict while there is another.
func (s *sole) acquire(kind string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kind != "" {
		return domain.Fail(domain.Conflict, s.kind+" is under way")
	}
	s.kind = kind
	return nil
}

func (s *sole) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kind = ""
}
