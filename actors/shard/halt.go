package shard

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/shard/core"
)

// How a shard stops, visibly, and how it starts again.

// quiesce stops what runs beside the shard; what is staged is thrown away, since
// the log has it. The view stays.
func (s *shard) quiesce() {
	s.intake.stop()
	s.resume()
	s.machine.Quiesce()
	s.env.Handle.Duties.stopped()
	s.running = false
	s.commits.waiting.Drop()
}

func (s *shard) close() {
	if err := s.machine.Close(); err != nil {
		s.env.Log.Warn("closing the store", "shard", s.env.ID, "err", err)
	}
}

// halt stops the shard visibly: status and readiness say why. It has no view any more.
func (s *shard) halt(ctx actor.Context, err error) {
	served := Behaviour(s.env.Handle.Behaviour.Load()) == Serving
	s.become(Stopped, s.stopped)
	s.shows = false
	var crash *crash.Error
	if errors.As(err, &crash) {
		s.broken = true
		s.env.Log.Error("a shard panicked", "shard", s.env.ID, "err", err, "stack", crash.Stack)
	}
	s.env.Log.Error("shard stopped", "shard", s.env.ID, "next", s.machine.State.Shard.Next, "err", err)
	s.quiesce()
	s.env.Handle.View.Retract()
	s.close()
	s.tellStopped(err)
	if newer := s.env.Hooks.Newer; newer != nil && !served && errors.Is(err, domain.ErrNewer) {
		newer(err)
	}
}

// hold stops the shard visibly at what the log has next, and has it answer from its last commit: what other nodes of
// the installation may have passed ends no questions here.
func (s *shard) hold(ctx actor.Context, err error) {
	s.quiesce()
	s.close()
	if unread := s.load(); unread != nil {
		if s.env.Lifetime.Ctx.Err() == nil { // else the node stops
			s.halt(ctx, fmt.Errorf("%w; then open the store: %w", err, unread))
		}
		return
	}
	s.become(Stopped, s.stopped)
	s.shows = true
	s.env.Log.Error("shard stopped, questions are answered from its last commit",
		"shard", s.env.ID, "next", s.machine.State.Shard.Next, "err", err)
	s.tellStopped(err)
}

// tellStopped says why the shard stopped, and what an operator may accept.
func (s *shard) tellStopped(err error) {
	accept := s.machine.Position.Place().Acceptance(err)
	s.env.Handle.Gap.Store(accept)
	var gap *domain.GapError
	if accept != nil && errors.As(err, &gap) {
		s.env.Handle.Met.Store(gap)
	}
	s.env.Handle.Poisoned.Store(s.env.restarts.poisoned)
	why := s.env.stopText(err, s.shows && !s.commits.hidden)
	s.env.Handle.Stopped.Store(&why)
	s.env.Handle.Progress.Wake()
}

// crashed stops the shard for the rest of the process, after a panic anywhere but in a
// record, for which see failed. What was not committed is in the log.
func (s *shard) crashed(ctx actor.Context, err *crash.Error) {
	defer func() {
		if r := recover(); r != nil { // what runs beside it may be in any state: the store is given back all the same
			s.env.Log.Error("a shard panicked while it was stopped", "shard", s.env.ID, "err", r)
			s.close()
		}
	}()
	why := s.env.stopText(err, false)
	s.env.Handle.Stopped.Store(&why)
	s.halt(ctx, err)
}

// again forgets everything in memory and starts from the last commit, of which the view stays.
func (s *shard) again(ctx actor.Context) {
	s.quiesce()
	s.close()
	s.start(ctx)
}

// failed distinguishes a panic in a record, which is applied once more alone, from a store that fails, which stops
// the shard.
func (s *shard) failed(ctx actor.Context, err error) {
	var p *core.PanicError
	if !errors.As(err, &p) {
		s.halt(ctx, err)
		return
	}
	s.env.Handle.Panics.Add(1)
	s.env.Log.Error("applying panicked", "shard", s.env.ID, "offset", p.Offset, "err", p.Cause, "stack", p.Stack)
	if s.env.restarts.retry(p) {
		s.again(ctx)
		return
	}
	at := catalog.RecordPlace{Topic: s.machine.State.Shard.Journal, Partition: s.env.ID, Offset: p.Offset, Epoch: p.Epoch}
	s.env.restarts.poisoned = &at
	if !s.env.Duty.Alone() {
		s.hold(ctx, &poisonError{at.Offset, errUndecided})
		return
	}
	s.halt(ctx, s.setAside())
}

// setAside has the record at which the shard stopped be set aside, and says what the shard waits for then.
func (s *shard) setAside() error {
	at := *s.env.restarts.poisoned
	if err := s.env.Hooks.SetAside(at); err != nil {
		return &poisonError{at.Offset, fmt.Errorf("it is not set aside: %w", err)}
	}
	return &poisonError{at.Offset, errSettingAside}
}

// Reopen has a shard close its part of the store and open it again.
type Reopen struct{ Done chan struct{} } // closed when it has

// reopen starts the shard from what the store has now. Nothing reads its part of the store
// meanwhile: the store may put another one in its place.
func (s *shard) reopen(ctx actor.Context, m *Reopen) {
	defer close(m.Done)
	s.env.restarts.reopened(s.env.Handle.Applied.Load())
	s.become(Recovering, s.recovering)
	s.quiesce()
	s.env.Handle.View.Retract()
	s.close()
	s.env.Handle.View.Wait()
	s.broken = false
	s.start(ctx)
}
