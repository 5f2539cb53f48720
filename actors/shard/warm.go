package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

type (
	// Warm asks for a cold brand that a question met.
	Warm struct{ accounts.Cold }
	// EvictColumns has a shard evict columns beyond the budget: an idle one would not look.
	EvictColumns struct{}
	// warmed is a cold brand's rows, read.
	warmed struct {
		reload *accounts.Reload
		err    error
	}
)

// keepLess evicts at once what no longer fits, and publishes views without it.
func (s *shard) keepLess(ctx actor.Context) {
	s.machine.State.Accounts.Fit()
	if s.machine.State.Accounts.Changed() {
		s.commit(ctx)
	}
}

// warm brings a cold brand back, if there is room or others were not asked about since it
// was the time before. It is read from the snapshot of a commit, on a goroutine of its own.
func (s *shard) warm(ctx actor.Context, m *Warm) {
	if !s.machine.State.Accounts.MakeRoom(m.Cold) || !s.commit(ctx) {
		return
	}
	v := s.env.Handle.View.Acquire()
	if v == nil {
		return
	}
	reload := s.machine.State.Accounts.Reload(m.Cold)
	if reload == nil {
		v.Release()
		return
	}
	tell := s.tell
	go func() {
		defer v.Release()
		tell(&warmed{reload, reload.Read(v.Snapshot)})
	}()
}

// restore puts the rows in.
func (m *warmed) restore(to *accounts.Accounts, env *Config) {
	if m.err != nil {
		env.Log.Warn("a cold brand cannot be read", "shard", env.ID, "err", m.err)
	}
	to.Restore(m.reload, m.err)
}
