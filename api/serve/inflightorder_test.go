package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// entrant is a request that waits for its part, or has it.
type entrant struct {
	bytes int64
	end   context.CancelFunc
	done  chan struct{}
	got   int64
	err   error
}

// enter has a request ask for its part, and waits until it has it or waits for it.
func enter(f *inflight, bytes int64) *entrant {
	ctx, end := context.WithCancel(context.Background())
	e := &entrant{bytes: bytes, end: end, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		e.got, e.err = f.acquire(func() context.Context { return ctx }, bytes)
	}()
	synctest.Wait()
	return e
}

// entered reports that a request is not waiting any more.
func (e *entrant) entered() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// queue is a bound with the requests that must have their parts, and those that must wait.
type queue struct {
	*inflight
	having, waiting []*entrant
}

// admit moves those that now fit, in order.
func (q *queue) admit() {
	used := int64(0)
	for _, e := range q.having {
		used += min(e.bytes, q.most)
	}
	for len(q.waiting) > 0 && used+min(q.waiting[0].bytes, q.most) <= q.most {
		used += min(q.waiting[0].bytes, q.most)
		q.having, q.waiting = append(q.having, q.waiting[0]), q.waiting[1:]
	}
}

// step has a request come, be answered, or give up where the step is odd; and says what is wrong then.
func (q *queue) step(step int64) error {
	at := int(-step / 2)
	switch {
	case step >= 0:
		q.waiting = append(q.waiting, enter(q.inflight, step))
	case step%2 == 0 && len(q.having) > 0:
		at %= len(q.having)
		q.release(q.having[at].got)
		q.having = slices.Delete(q.having, at, at+1)
	case step%2 != 0 && len(q.waiting) > 0:
		at %= len(q.waiting)
		gone := q.waiting[at]
		q.waiting = slices.Delete(q.waiting, at, at+1)
		gone.end()
		<-gone.done
		if !errors.Is(gone.err, domain.ErrUnavailable) || gone.got != 0 {
			return fmt.Errorf("one that gave up has %d bytes, %v", gone.got, gone.err)
		}
	}
	q.admit()
	synctest.Wait()
	for _, e := range q.having {
		if !e.entered() || e.err != nil || e.got != min(e.bytes, q.most) {
			return fmt.Errorf("a request of %d of %d bytes waits, or got %d, %v", e.bytes, q.most, e.got, e.err)
		}
	}
	if slices.ContainsFunc(q.waiting, (*entrant).entered) {
		return errors.New("one that must wait has its part")
	}
	return nil
}

// Requests get their parts in the order in which they came, as soon as all before them have theirs
// and theirs fits; one that gives up is unavailable and holds up nothing behind it. A part is never
// more than there is.
func TestInflight_InOrderWithinTheBound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.Int64Range(1, 20).Draw(r, "most")
		steps := rapid.SliceOfN(rapid.Int64Range(-20, 30), 30, 90).Draw(r, "steps")
		var wrong error
		synctest.Test(t, func(*testing.T) {
			q := &queue{inflight: &inflight{most: most}}
			for i := 0; i < len(steps) && wrong == nil; i++ {
				wrong = q.step(steps[i])
			}
			for _, e := range append(q.waiting, q.having...) {
				e.end()
			}
		})
		if wrong != nil {
			r.Fatal(wrong)
		}
	})
}

// A request whose time ends just when it gets its part has it, and must give it back.
func TestInflight_PartAtTheLastMoment(t *testing.T) {
	for range 64 { // either case of the select is taken at times
		f := &inflight{most: 10, used: 10}
		ended, end := context.WithCancel(t.Context())
		got, err := f.acquire(func() context.Context {
			f.release(10)
			end()
			return ended
		}, 7)
		if err != nil || got != 7 || f.used != 7 || len(f.waiting) != 0 {
			t.Fatalf("%d bytes, %v; %d are used, %d wait", got, err, f.used, len(f.waiting))
		}
	}
}
