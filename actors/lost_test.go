package actors

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// early is the store of a shard that must not serve while it commits what is below end.
type early struct {
	shard.Store
	shared func() *shard.Handle
	end    int64
	t      *testing.T
	below  int // commits
}

func (e *early) Commit(state domain.ShardState, origins []domain.Origin) error {
	if s := e.shared(); s.Applied.Load() < e.end {
		if e.below++; shard.Behaviour(s.Behaviour.Load()) == shard.Serving {
			e.t.Errorf("it serves, with %d of %d applied", s.Applied.Load(), e.end)
		}
	}
	return e.Store.Commit(state, origins)
}

// I4: what an answer has counted is counted in every later one, also when the power was
// cut before the store had made it durable.
func TestAShardServesNotBeforeAllIsAppliedThatSomebodyMayHaveSeen(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
	fan := r.register(0)
	acts := make([]domain.Activity, shard.NearEnd-100)
	for i := range acts {
		acts[i] = domain.Activity{Definition: 100, Brand: 1, Member: fan, Time: 1_600_000_000, Hash: uint64(i)}
	}
	r.publish(acts...)
	r.settled()
	want := domain.Count{Actions: uint64(len(acts)), Members: 1}
	if got := r.tally(1).Total; got != want {
		t.Fatalf("counted %+v, not %+v", got, want)
	}
	left := r.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	r.close()
	var watched *early
	end, _ := r.journal.End(context.Background(), 0)
	r.fs, r.spoil = left, func(_ int, s shard.Store) shard.Store {
		watched = &early{Store: s, shared: func() *shard.Handle { return r.node.running[0].Handle }, end: end, t: t}
		return watched
	}
	r.open()
	if got := r.tally(1).Total; got != want {
		t.Errorf("counted %+v after the cut, not %+v", got, want)
	}
	if watched.below < 2 {
		t.Errorf("all was applied in %d commits: nothing was tried", watched.below)
	}
}
