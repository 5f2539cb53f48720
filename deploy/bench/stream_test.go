package main

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// whoOf is who each of the batches is of.
func whoOf(batches [][]item) (all [][]int) {
	for _, b := range batches {
		var who []int
		for i := range b {
			who = append(who, b[i].who)
		}
		all = append(all, who)
	}
	return all
}

func TestALineGivesWhatIsABatchOrHasLingered(t *testing.T) {
	l, now := newLine(2), time.Now()
	put := func(who int, due time.Duration) { l.put(item{who: who, due: now.Add(due)}, 3) }
	take := func(linger time.Duration, want ...[]int) {
		t.Helper()
		got, err := l.take(t.Context(), 3, linger)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, whoOf(got)); diff != "" {
			t.Error(diff)
		}
	}
	for _, who := range []int{0, 2, 1, 4, 6, 8} {
		put(who, time.Hour)
	}
	take(time.Hour, []int{0, 2, 4}, []int{1}) // a batch, and what another partition has
	put(10, time.Hour)
	take(time.Hour, []int{6, 8, 10}, nil)
	put(12, 3*time.Hour)
	put(3, time.Hour)
	take(-2*time.Hour, []int{12}, []int{3}) // one that has lingered
	put(14, -time.Minute)                   // from when it was due
	take(time.Minute, []int{14}, nil)
	put(16, time.Hour)
	l.close()
	take(time.Hour, []int{16}, nil)
	take(time.Hour)
}

func TestALineWaitsForWhatIsPut(t *testing.T) {
	l := newLine(1)
	got := make(chan []item)
	go func() {
		for {
			batches, err := l.take(context.Background(), 2, time.Hour)
			if err != nil || batches == nil {
				close(got)
				return
			}
			got <- batches[0]
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
	if _, err := newLine(1).take(ctx, 2, time.Hour); err == nil {
		t.Error("an empty line is waited for though nobody waits")
	}
}
