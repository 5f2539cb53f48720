package shard

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

// How a shard stops, visibly, and how it goes on.

// quiesce stops what runs beside the shard; what is staged is thrown away, since
// the log has it.
func (s *shard) quiesce(ctx actor.Context) {
	if s.fetcher != nil {
		s.fetcher.Stop()
		s.fetcher = nil
	}
	if s.machine.effects.outbox != nil {
		s.machine.effects.outbox.Stop()
	}
	if s.machine.awake != nil {
		s.machine.awake.Clear(ctx)
	}
	s.queue.drop()
	s.running, s.gap = false, nil
	s.waiting.Drop()
	s.env.Handle.View.Retract()
}

func (s *shard) close() {
	store := s.machine.store
	if store == nil {
		return
	}
	s.machine.store = nil
	if err := store.Close(); err != nil {
		s.env.Log.Warn("closing the store", "shard", s.env.ID, "err", err)
	}
}

// halt stops the shard visibly: status and readiness say why.
func (s *shard) halt(ctx actor.Context, err error) {
	s.become(Stopped, s.held)
	var crash *crash.Error
	if errors.As(err, &crash) {
		s.broken = true
		s.env.Log.Error("a shard panicked", "shard", s.env.ID, "err", err, "stack", crash.Stack)
	}
	s.env.Log.Error("shard stopped", "shard", s.env.ID, "next", s.machine.state.Next, "err", err)
	s.quiesce(ctx)
	s.close()
	var behind *accounts.BehindError
	if errors.As(err, &behind) {
		s.env.restarts.lacks = behind.Brand
	}
	word := s.machine.journal.place().Acceptance(err)
	s.env.Handle.Gap.Store(word)
	var gap *domain.GapError
	if word != nil && errors.As(err, &gap) {
		s.env.Handle.Met.Store(gap)
	}
	why := s.stopText(err)
	s.env.Handle.Stopped.Store(&why)
}

// crashed stops the shard for the rest of the process, after a panic anywhere but in a
// record, which failed sees to. What was not committed is in the log.
func (s *shard) crashed(ctx actor.Context, err *crash.Error) {
	defer func() {
		if r := recover(); r != nil { // what runs beside it may be in any state: the store is given back all the same
			s.env.Log.Error("a shard panicked while it was stopped", "shard", s.env.ID, "err", r)
			s.close()
		}
	}()
	why := s.stopText(err)
	s.env.Handle.Stopped.Store(&why)
	s.halt(ctx, err)
}

// again forgets everything in memory and starts from the last commit.
func (s *shard) again(ctx actor.Context) {
	s.quiesce(ctx)
	s.close()
	s.start(ctx)
}

// failed tells a panic in a record, which is tried once more alone, from a catalog that
// is behind and from a store that fails: these stop the shard.
func (s *shard) failed(ctx actor.Context, err error) {
	var p *panicError
	if !errors.As(err, &p) {
		s.halt(ctx, err)
		return
	}
	s.env.Handle.Stats.Panics.Add(1)
	s.env.Log.Error("applying panicked", "shard", s.env.ID, "offset", p.offset, "err", p.cause, "stack", p.stack)
	if p.offset >= s.env.restarts.singly { // not by what was applied: a panic may come behind that
		s.env.restarts.singly = p.end
		s.again(ctx)
		return
	}
	s.env.restarts.poisoned = &catalog.RecordPlace{Topic: s.machine.state.Journal, Partition: s.env.ID, Offset: p.offset, Epoch: p.epoch}
	if err := s.env.SetAside(*s.env.restarts.poisoned); err != nil {
		s.halt(ctx, fmt.Errorf("record %d cannot be applied and is not set aside: %w", p.offset, err))
		return
	}
	s.halt(ctx, fmt.Errorf("record %d cannot be applied: %w", p.offset, errSettingAside))
}

// errSettingAside passes with the catalog's next record.
var errSettingAside = errors.New("waiting for it to be set aside")

// resume looks whether the catalog now says how to go on.
func (s *shard) resume(ctx actor.Context) {
	if s.broken {
		return
	}
	v := s.env.Catalog.View()
	if s.env.restarts.poisoned != nil && v.SetsAside(*s.env.restarts.poisoned) {
		s.env.restarts.poisoned = nil
		s.start(ctx)
		return
	}
	if s.env.restarts.lacks != 0 && v.BrandByID(s.env.restarts.lacks) != nil {
		s.env.restarts.lacks = 0
		s.start(ctx)
		return
	}
	if s.env.Handle.Gap.Load() != nil && s.machine.journal.lifted() {
		s.start(ctx)
	}
}

// stopText is what is read of a shard that stopped.
func (s *shard) stopText(err error) string {
	effect := fmt.Sprintf("shard %d applies nothing and questions that need it are refused; other shards go on, and what is published waits in the journal", s.env.ID)
	var behind *accounts.BehindError
	switch {
	case errors.As(err, &behind):
		return remedy.Text(err, effect, "nothing: the shard goes on when the catalog has been read so far")
	case errors.Is(err, errSettingAside):
		return remedy.Text(err, effect, "nothing: the shard goes on when the catalog has the word, and the record becomes a dead letter")
	}
	return remedy.Text(err, effect, s.env.Remedy(err, s.env.ID, s.env.Handle.Gap.Load()))
}

// Reopen has a shard close its part of the store and open it again.
type Reopen struct{ Done chan struct{} } // closed when it has

// reopen starts the shard from what the store has now. Nothing reads its part of the store
// meanwhile: the store may put another one in its place.
func (s *shard) reopen(ctx actor.Context, m *Reopen) {
	defer close(m.Done)
	s.env.restarts.floor = max(s.env.restarts.floor, s.env.Handle.Applied.Load())
	s.become(Recovering, s.recovering)
	s.quiesce(ctx)
	s.close()
	s.env.Handle.View.Wait()
	s.broken, s.env.restarts.singly, s.env.restarts.poisoned, s.env.restarts.lacks = false, 0, nil, 0
	s.start(ctx)
}

// behindItself reports that the shard was further already, before it was reopened: it shows
// nothing until it is there again.
func (s *shard) behindItself() bool { return s.machine.state.Next < s.env.restarts.floor }
