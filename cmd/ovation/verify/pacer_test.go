package verify

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// All shards of a run together do in a second what the rate allows one.
func TestPacer_BoundsAllShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const shards, records, rate = 5, 400, 1000
		p, began := &pacer{rate: rate}, time.Now()
		var side sync.WaitGroup
		for range shards {
			side.Go(func() {
				for range records / 10 {
					if err := p.wait(t.Context(), 10); err != nil {
						t.Error(err)
					}
				}
			})
		}
		side.Wait()
		if took, want := time.Since(began), shards*records*time.Second/rate; took > want || took < want-50*time.Millisecond {
			t.Errorf("%d records took %v at %d a second", shards*records, took, rate)
		}
	})
	free, ctx := &pacer{}, t.Context()
	if err := free.wait(ctx, 1<<40); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	for _, p := range []*pacer{free, {rate: 1}} {
		if err := p.wait(ctx, 1000); err == nil {
			t.Error("waiting does not end with the run")
		}
	}
}
