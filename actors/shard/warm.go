package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// keepLess evicts at once what no longer fits, and publishes views without it.
func (s *shard) keepLess(ctx actor.Context) {
	s.columns.fit()
	if len(s.views.touched) == 0 {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
	}
}

// bytesPerRow is about what a resident row takes.
const bytesPerRow = 18

// warm brings a cold brand back, if there is room or others were not asked about since it
// was the time before. It is read from the snapshot of a commit, on a goroutine of its own.
func (s *shard) warm(ctx actor.Context, m *Warm) {
	a := s.accounts[m.Account]
	if a == nil {
		return
	}
	c := a.table.Target(m.Dense)
	if _, _, own := c.Brand(); !own || !c.Cold() || !s.columns.makeRoom(bytesPerRow*c.Rows(), a.access.Of(m.Dense).Before) {
		return
	}
	if err := s.commit(ctx); err != nil {
		s.failed(ctx, err)
		return
	}
	reload := a.table.Reload(m.Dense)
	v := s.env.Handle.View.Acquire()
	if reload == nil || v == nil {
		if v != nil {
			v.Release()
		}
		return
	}
	_, id, _ := c.Brand()
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go func() {
		defer v.Release()
		err := v.Snapshot.Rows(m.Account, id, domain.Range{To: 1<<32 - 1}, func(rows []domain.Row) error {
			reload.Add(rows)
			return nil
		})
		root.Send(self, &warmed{m.Account, m.Dense, reload, err})
	}()
}

// warmed puts a brand's rows in.
func (s *shard) warmed(m *warmed) {
	a := s.accounts[m.account]
	if a == nil {
		return
	}
	if m.err != nil {
		a.table.Abandon(m.reload)
		s.env.Log.Warn("a cold brand cannot be read", "shard", s.env.ID, "err", m.err)
		return
	}
	if a.table.Restore(m.reload) {
		s.views.touch(m.account, a)
	}
}
