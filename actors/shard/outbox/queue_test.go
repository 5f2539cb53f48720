package outbox

import (
	"context"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// sequencesOf are those of items.
func sequencesOf(items []item) (all []uint64) {
	for _, i := range items {
		all = append(all, i.Sequence)
	}
	return all
}

// Entries come in order, and stay until they are dropped by their sequence; what was peeked is not changed by a drop.
func TestQueue_KeepsOrderAndWhatIsNotDropped(t *testing.T) {
	q := newQueue()
	ctx, cancel := context.WithCancel(context.Background())
	const n = 10_000
	go func() {
		for i := range uint64(n) {
			q.held.Add(64)
			q.push(item{Outgoing: &domain.Outgoing{Sequence: 3 * (i + 1)}})
		}
	}()
	for next := uint64(1); next <= n; {
		got := sequencesOf(q.peek(ctx, nil, 7))
		for i, v := range got {
			if v != 3*(next+uint64(i)) {
				t.Fatalf("%d instead of %d", v, 3*(next+uint64(i)))
			}
		}
		items := q.peek(ctx, nil, len(got))
		if again := sequencesOf(items); !slices.Equal(got, again) {
			t.Fatalf("%v, then %v: a peek took something away", got, again)
		}
		q.drop(got[len(got)-1] + 1) // sequences of other kinds lie between
		q.drop(got[0])              // which is gone already
		if again := sequencesOf(items); !slices.Equal(got, again) {
			t.Fatalf("%v, then %v: a drop changed what was peeked", got, again)
		}
		next += uint64(len(got))
	}
	if q.len() != 0 || q.held.Load() != 0 {
		t.Fatalf("%d values left, of %d bytes", q.len(), q.held.Load())
	}
	cancel()
	if got := q.peek(ctx, nil, 1); got != nil {
		t.Fatal(got)
	}
}
