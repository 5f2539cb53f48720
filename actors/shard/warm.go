package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

type (
	// Warm asks for a cold brand that a question met.
	Warm struct{ accounts.Cold }
	// KeepLess tells a shard that its columns take more than they may: one in which nothing
	// happens would not look.
	KeepLess struct{}
	// warmed is a cold brand's rows, read.
	warmed struct {
		reload *accounts.Reload
		err    error
	}
)

// keepLess evicts at once what no longer fits, and publishes views without it.
func (s *shard) keepLess(ctx actor.Context) {
	s.machine.accounts.Fit()
	if !s.machine.accounts.Changed() {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
	}
}

// warm brings a cold brand back, if there is room or others were not asked about since it
// was the time before. It is read from the snapshot of a commit, on a goroutine of its own.
func (s *shard) warm(ctx actor.Context, m *Warm) {
	if !s.machine.accounts.MakeRoom(m.Cold) {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
		return
	}
	v := s.env.Handle.View.Acquire()
	if v == nil {
		return
	}
	reload := s.machine.accounts.Reload(m.Cold)
	if reload == nil {
		v.Release()
		return
	}
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() {
		defer v.Release()
		root.Send(self, &warmed{reload, reload.Read(v.Snapshot)})
	}()
}

// warmed puts a brand's rows in.
func (s *shard) warmed(m *warmed) {
	if m.err != nil {
		s.env.Log.Warn("a cold brand cannot be read", "shard", s.env.ID, "err", m.err)
	}
	s.machine.accounts.Restore(m.reload, m.err)
}
