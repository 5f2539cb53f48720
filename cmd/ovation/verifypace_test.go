package main

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// However many shards are verified side by side, together they do what one may do.
func TestVerify_RateBoundsAllShardsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const shards, records, rate = 5, 400, 1000
		p, began := &pacer{most: rate}, time.Now()
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
	for _, p := range []*pacer{free, {most: 1}} {
		if err := p.wait(ctx, 1000); err == nil {
			t.Error("what waits does not end with the run")
		}
	}
}

// A run tells how far it is, and how long it takes with shards side by side: each of what
// is left as long as it took until now.
func TestVerify_RemainingFollowsWhatItTook(t *testing.T) {
	r := verifyRun{State: verifyRunning, Side: 2, Seconds: 30, Records: 4000, Replayed: 2500, Shards: []verifyShard{
		{State: verifyEqual, Records: 1000, Replayed: 1000, ReplaySeconds: 10, Seconds: 15}, // compared in 5
		{State: verifyRunning, Records: 1000, Replayed: 1000, ReplaySeconds: 10, Seconds: 12},
		{State: verifyRunning, Records: 1000, Replayed: 500, ReplaySeconds: 5, Seconds: 5},
		{State: verifyWaiting, Records: 1000},
	}}
	if got, want := r.remaining(), (3.0+(5+5)+(10+5))/2; got != want {
		t.Errorf("%v seconds remain, want %v", got, want)
	}
	r.Remaining = r.remaining()
	if got, want := r.progress(), "1 of 4 shards are done, 2500 of 4000 records replayed (62 %, 83 a second), about 14s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r = verifyRun{State: verifyRunning, Side: 2, Shards: []verifyShard{{State: verifyRunning, Records: 10}}}
	if r.remaining() != 0 || strings.Contains(r.progress(), "left") {
		t.Errorf("nothing is known yet: %v %q", r.remaining(), r.progress())
	}
}
