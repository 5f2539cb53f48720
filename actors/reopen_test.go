package actors

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/store"
)

// A shard that is opened again as of an earlier record answers no question before it is
// where it was, and what was answered before does not stand.
func TestReopen_ShowsNothingEarlierThanWasShown(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
	r.register(0)
	const acts = 3000
	var all []domain.Activity
	for i := range uint64(acts) {
		all = append(all, domain.Activity{Identity: identityOf(0), Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: i})
	}
	r.publish(all...)
	r.settled()
	if got := r.tally(1).Total.Actions; got != acts {
		t.Fatalf("%d actions", got)
	}
	replacement, err := r.store.Replace(0, store.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	shadow, err := r.node.Shadow(t.Context(), 0, ShadowOptions{Open: func() (shard.Store, error) {
		sh, err := replacement.Shard()
		return rigStore{sh, r}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := shadow.To(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	shadow.Stop()
	if err := replacement.Complete(nil); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	if got := r.tally(1).Total.Actions; got != acts {
		t.Errorf("%d actions", got)
	}
	if _, stands := r.node.Unchanged(1, mark, &domain.ReadSet{Rows: []domain.RowsOf{{Brand: 1}}}, []domain.Range{{}}); stands {
		t.Error("an answer of before stands")
	}
	r.replaysEqual(t)
	if err := r.node.Reopen(t.Context(), 1); !errors.Is(err, ErrNoShard) {
		t.Errorf("a shard that is not there: %v", err)
	}
}

// How far a replay has to go is not known while the shard reads its store: a replacement
// that is built up to nothing would be an empty shard.
func TestRebuildable_WaitsUntilTheShardHasReadItsStore(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
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
