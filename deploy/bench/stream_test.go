package main

import (
	"context"
	"testing"
	"time"
)

func newLine() *line { return &line{ready: make(chan struct{}, 1)} }

func TestALineGivesWhatIsABatchOrHasLingered(t *testing.T) {
	l, now := newLine(), time.Now()
	for i := range 7 {
		l.put(item{who: i, due: now.Add(time.Hour)}, 3)
	}
	take := func(linger time.Duration, want ...int) {
		t.Helper()
		got, err := l.take(t.Context(), 3, linger)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d taken, %v", len(got), err)
		}
		for i := range want {
			if got[i].who != want[i] {
				t.Errorf("%d instead of %d", got[i].who, want[i])
			}
		}
	}
	take(time.Hour, 0, 1, 2)
	take(time.Hour, 3, 4, 5)
	take(-2*time.Hour, 6)                              // one that has lingered
	l.put(item{who: 7, due: now.Add(-time.Minute)}, 3) // from when it was due
	take(time.Minute, 7)
	l.put(item{who: 8, due: now.Add(time.Hour)}, 3)
	l.close()
	take(time.Hour, 8)
	take(time.Hour)
}

func TestALineWaitsForWhatIsPut(t *testing.T) {
	l := newLine()
	got := make(chan []item)
	go func() {
		for {
			batch, err := l.take(context.Background(), 2, time.Hour)
			if err != nil || len(batch) == 0 {
				close(got)
				return
			}
			got <- batch
		}
	}()
	due := time.Now().Add(time.Hour)
	for i := range 5 {
		l.put(item{who: i, due: due}, 2)
	}
	for i := 0; i < 4; i += 2 {
		if b := <-got; len(b) != 2 || b[0].who != i || b[1].who != i+1 {
			t.Fatalf("%+v", b)
		}
	}
	l.close()
	if b := <-got; len(b) != 1 || b[0].who != 4 {
		t.Fatalf("%+v", b)
	}
	if _, more := <-got; more {
		t.Error("a closed line gives more")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newLine().take(ctx, 2, time.Hour); err == nil {
		t.Error("an empty line is waited for though nobody waits")
	}
}
