package view

import (
	"context"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/broadcast"
	"github.com/ovation-analytics/ovation/actors/member"
)

// closed is a snapshot that counts that it is closed.
type closed struct {
	Snapshot
	all *sync.WaitGroup
}

func (s closed) Close() error {
	s.all.Done()
	return nil
}

// A reader gets a view as soon as one that it can use is published, none where the shard stops or its
// context ends first, and holds no view while it waits.
func TestHolder_Await(t *testing.T) {
	var h Holder
	var open sync.WaitGroup
	w := NewWriter(&h, 1, 0)
	roster := member.NewRoster(0, 1)
	publish := func(next int64) {
		open.Add(1)
		w.Publish(next, []domain.Handover{{Shard: 1, Sent: uint64(next)}}, roster, closed{all: &open})
	}
	from := func(next int64, seen chan<- int64) func(*View) bool {
		return func(v *View) bool {
			if seen != nil {
				seen <- v.Next
			}
			return v.Next >= next
		}
	}
	if v := h.Await(context.Background(), from(0, nil)); v != nil {
		t.Fatal("a shard without a view has one")
	}
	publish(1)
	ctx, cancel := context.WithCancel(context.Background())
	const waiters = 200
	var readers sync.WaitGroup
	for reader := range int64(8) {
		readers.Go(func() {
			for next := reader % 3; next < waiters; next += 3 {
				v := h.Await(ctx, from(next, nil))
				if v.Next < next || v.Handovers[0].Sent != uint64(v.Next) {
					t.Errorf("waited for %d, got %d, %+v", next, v.Next, v.Handovers)
				}
				v.Release()
			}
		})
	}
	for next := range int64(waiters) {
		publish(next)
	}
	readers.Wait()

	for name, end := range map[string]func(){"the context ends": cancel, "the shard stops": h.Retract} {
		seen, got, of := make(chan int64, 1), make(chan *View), ctx
		if name == "the shard stops" {
			of = context.Background()
		}
		publish(waiters)
		go func() { got <- h.Await(of, from(1<<40, seen)) }()
		<-seen
		end()
		if v := <-got; v != nil {
			t.Errorf("%s: a view of %d", name, v.Next)
		}
	}
	h.Retract()
	h.Wait()
	open.Wait() // every snapshot is closed
}

// Who waits for a change of many shards' views is woken by that of any.
func TestHolder_SharedChanges(t *testing.T) {
	var all broadcast.Signal
	holders := make([]Holder, 3)
	for i := range holders {
		holders[i].Shared = &all
		w := NewWriter(&holders[i], 1, 0)
		changed := all.Next()
		select {
		case <-changed:
			t.Fatal("woken before a change")
		default:
		}
		w.Publish(1, nil, nil, &commit{})
		select {
		case <-changed:
		default:
			t.Errorf("the view of shard %d is published, and nobody is woken", i)
		}
	}
}

// BenchmarkHolder_WakeNobody is what a commit pays where no reader waits.
func BenchmarkHolder_WakeNobody(b *testing.B) {
	h := Holder{Shared: new(broadcast.Signal)}
	for b.Loop() {
		h.wake()
	}
}
