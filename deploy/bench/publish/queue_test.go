package publish

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// membersOf is the members of each batch.
func membersOf(batches [][]Item) (all [][]int) {
	for _, b := range batches {
		var who []int
		for i := range b {
			who = append(who, b[i].Member)
		}
		all = append(all, who)
	}
	return all
}

func TestQueue_TakesBatchesAndWhatLingered(t *testing.T) {
	q, now := newQueue(2), time.Now()
	put := func(who int, due time.Duration) { q.put(Item{Member: who, Due: now.Add(due)}, 3) }
	take := func(linger time.Duration, want ...[]int) {
		t.Helper()
		got, err := q.take(t.Context(), 3, linger)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, membersOf(got)); diff != "" {
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
	q.close()
	take(time.Hour, []int{16}, nil)
	take(time.Hour)
}

func TestQueue_Waits(t *testing.T) {
	q := newQueue(1)
	got := make(chan []Item)
	go func() {
		for {
			batches, err := q.take(context.Background(), 2, time.Hour)
			if err != nil || batches == nil {
				close(got)
				return
			}
			got <- batches[0]
		}
	}()
	due := time.Now().Add(time.Hour)
	for i := range 5 {
		q.put(Item{Member: i, Due: due}, 2)
	}
	for i := 0; i < 4; i += 2 {
		if b := <-got; len(b) != 2 || b[0].Member != i || b[1].Member != i+1 {
			t.Fatalf("%+v", b)
		}
	}
	q.close()
	if b := <-got; len(b) != 1 || b[0].Member != 4 {
		t.Fatalf("%+v", b)
	}
	if _, more := <-got; more {
		t.Error("a closed queue has more")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newQueue(1).take(ctx, 2, time.Hour); err == nil {
		t.Error("take of an empty queue outlives its context")
	}
}
