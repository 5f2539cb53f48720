package actors

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A caller gets a reading that began after its call, shares it with others that wait, and readings are made one
// after the other, with pauses between them.
func TestSharedReading_BeginsAfterTheCall(t *testing.T) {
	const took = 5 * time.Millisecond // of a reading
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var began []time.Time
		var running bool
		var beside sync.WaitGroup
		s := sharedReading{ctx: t.Context(), beside: beside.Go, read: func(ctx context.Context) error {
			mu.Lock()
			if running {
				t.Error("two readings at once")
			}
			running, began = true, append(began, time.Now())
			mu.Unlock()
			time.Sleep(took)
			mu.Lock()
			running = false
			mu.Unlock()
			return nil
		}}
		var callers sync.WaitGroup
		for i := range 300 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * 7 * time.Millisecond)
				called := time.Now()
				if err := s.wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if last := began[len(began)-1]; last.Before(called) {
					t.Errorf("a call at %v got the reading of %v", called, last)
				}
				if waited := time.Since(called); waited > readingPause+2*took {
					t.Errorf("a call waited %v", waited)
				}
			})
		}
		callers.Wait()
		beside.Wait()
		for i := range began[1:] {
			if d := began[i+1].Sub(began[i]); d < 10*took {
				t.Errorf("a reading began %v after the one before", d)
			}
		}
		if maxReads := 300*7/50 + 2; len(began) > maxReads {
			t.Errorf("%d readings for 2.1 s of calls, want at most %d", len(began), maxReads)
		}
	})
}

// A reading that fails, takes too long, or ends with the node is Unavailable; the next one is made all the same.
func TestSharedReading_Fails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node, stop := context.WithCancel(t.Context())
		var beside sync.WaitGroup
		read := func(context.Context) error { return nil }
		s := sharedReading{ctx: node, beside: beside.Go, read: func(ctx context.Context) error { return read(ctx) }}
		check := func(what string, unavailable bool) {
			t.Helper()
			if err := s.wait(t.Context()); (domain.CodeOf(err) == domain.Unavailable) != unavailable || (err != nil) != unavailable {
				t.Errorf("%s: %v", what, err)
			}
			synctest.Wait()
		}
		check("at its end", false)
		read = func(context.Context) error { return errors.New("on purpose") }
		check("the log is away", true)
		read = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		began := time.Now()
		check("no answer", true)
		if d := time.Since(began); d > readingPause+readingLimit {
			t.Errorf("no answer took %v", d)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.wait(gone); domain.CodeOf(err) != domain.Unavailable {
			t.Errorf("of a caller that is gone: %v", err)
		}
		beside.Wait()
		read = func(context.Context) error { return nil }
		check("back", false)
		stop()
		check("the node stops", true)
		beside.Wait()
	})
}
