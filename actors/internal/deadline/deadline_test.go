package deadline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What is left is counted to the deadline, is never nothing, and is bounded without one.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got := Left(t.Context()); got != Usual {
			t.Errorf("without a deadline %s", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, want := range []time.Duration{time.Minute, 40 * time.Second, 20 * time.Second, time.Millisecond, time.Millisecond} {
			if got := Left(ctx); got != want {
				t.Errorf("%s are left, want %s", got, want)
			}
			time.Sleep(20 * time.Second)
		}
	})
}
