package actors

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/store"
)

// A shard that is opened again as of an earlier record answers no question before it is
// where it was, and no earlier answer is taken for unchanged.
func TestReopen_ShowsNothingEarlierThanWasShown(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	const acts = 3000
	r.publishOf(r.register(0), acts)
	r.settled()
	r.wantActions(acts)
	replacement, err := r.store.Replace(0, store.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	r.must(err)
	shadow, err := r.node.Replay(t.Context(), 0, replay.Options{Open: func() (shard.Store, error) {
		sh, err := replacement.Shard()
		return checkedStore{sh, r}, err
	}})
	r.must(err)
	r.must(shadow.To(t.Context(), 100))
	shadow.Stop()
	r.must(replacement.Complete(nil))
	mark, over := r.node.Versions(), make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		q := &domain.Question{
			Account: 1, Brand: 1, Shape: domain.ShapeTally, Range: domain.Range{From: 0, To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100, Group: 100}},
		}
		for {
			a, err := r.node.Ask(t.Context(), q, domain.Position{})
			switch {
			case err == nil && a.Tally.Total.Actions != acts:
				t.Errorf("%d actions are shown", a.Tally.Total.Actions)
				return
			case err != nil && !errors.Is(err, domain.ErrUnavailable):
				t.Error(err)
				return
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	err = r.node.Reopen(t.Context(), 0)
	close(over)
	asking.Wait()
	r.must(err)
	r.wantActions(acts)
	if _, unchanged := r.node.Unchanged(1, mark, &domain.ReadSet{Rows: []domain.RowsOf{{Brand: 1}}}, []domain.Range{{}}); unchanged {
		t.Error("an earlier answer is taken for unchanged")
	}
	r.replaysEqual(t)
	if err := r.node.Reopen(t.Context(), 1); !errors.Is(err, shard.ErrNotHere) {
		t.Errorf("a shard that is not there: %v", err)
	}
}

// How far a replay has to go is not known while the shard reads its store: a replacement
// that is built up to nothing would be an empty shard.
func TestRebuildable_WaitsUntilTheShardHasReadItsStore(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	r.register(0)
	r.settled()
	want, err := r.node.Applied(0)
	if err != nil || want == 0 {
		t.Fatalf("%d applied: %v", want, err)
	}
	r.close()
	gate := make(chan struct{})
	r.bar = func(int) error {
		<-gate
		return nil
	}
	r.boot()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.node.Rebuildable(ended, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("rebuildable while the store is being opened: %v", err)
	}
	if to, err := r.node.Reached(ended, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("reached %d while the store is being opened: %v", to, err)
	}
	close(gate)
	if err := r.node.Rebuildable(t.Context(), 0); err != nil {
		t.Error(err)
	}
	if to, err := r.node.Reached(t.Context(), 0); err != nil || to < want {
		t.Errorf("reached %d of %d: %v", to, want, err)
	}
}

// I4: what an answer has counted is counted in every later one, also when the power was
// cut before the store had made it durable.
func TestI4_ShardServesNotBeforeWhatWasServedIsApplied(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	const acts = shard.NearEnd - 100
	r.publishOf(r.register(0), acts)
	r.settled()
	want := domain.Count{Actions: acts, Members: 1}
	if got := r.tally(1).Total; got != want {
		t.Fatalf("counted %+v, not %+v", got, want)
	}
	left := r.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	r.close()
	below, end := 0, r.end(0) // commits of what is below the end
	r.fs, r.wrap = left, func(_ int, s shard.Store) shard.Store {
		return hookedStore{Store: s, commit: func(domain.ShardState) {
			for !r.node.shards.started.Load() {
				time.Sleep(time.Millisecond)
			}
			if s := r.node.running[0]; s.Applied.Load() < end {
				if below++; shard.Behaviour(s.Behaviour.Load()) == shard.Serving {
					t.Errorf("it serves, with %d of %d applied", s.Applied.Load(), end)
				}
			}
		}}
	}
	r.open()
	if got := r.tally(1).Total; got != want {
		t.Errorf("counted %+v after the cut, not %+v", got, want)
	}
	if below < 2 {
		t.Errorf("all was applied in %d commits: nothing was tried", below)
	}
}
