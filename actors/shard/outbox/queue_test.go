package outbox

import (
	"context"
	"slices"
	"testing"
)

func TestQueue_KeepsOrderAndWhatIsNotDropped(t *testing.T) {
	q := newQueue[int]()
	ctx, cancel := context.WithCancel(context.Background())
	const n = 10_000
	go func() {
		for i := range n {
			q.push(i)
		}
	}()
	for next := 0; next < n; {
		got := q.peek(ctx, 7)
		for i, v := range got {
			if v != next+i {
				t.Fatalf("%d instead of %d", v, next+i)
			}
		}
		if again := q.peek(ctx, len(got)); !slices.Equal(got, again) {
			t.Fatalf("%v, then %v: a peek took something away", got, again)
		}
		q.drop(len(got))
		next += len(got)
	}
	if q.len() != 0 {
		t.Fatalf("%d values left", q.len())
	}
	cancel()
	if got := q.peek(ctx, 1); got != nil {
		t.Fatal(got)
	}
}
