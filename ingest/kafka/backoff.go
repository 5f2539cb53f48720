package kafka

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Pauses between attempts: short enough that a leader's move is not noticed,
// long enough that a broker that starts is left alone.
const (
	minPause = 25 * time.Millisecond
	maxPause = 800 * time.Millisecond
)

// Backoff spaces attempts at something that may pass. The zero value is ready.
type Backoff struct{ attempt int }

// Next is how long to wait now: 25 ms, doubled with every call up to 800 ms, and up
// to a quarter less, so that many that wait do not return at once.
func (b *Backoff) Next() time.Duration {
	d := min(minPause<<min(b.attempt, 16), maxPause)
	b.attempt++
	return d - rand.N(d/4)
}

// Wait waits that long, or until ctx ends, whose error it gives.
func (b *Backoff) Wait(ctx context.Context) error {
	t := time.NewTimer(b.Next())
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended is the end of the caller's context; the last failure is text only,
// so that the error is not taken for one that passes.
func ended(ctx context.Context, last error) error {
	return fmt.Errorf("%w, last: %v", ctx.Err(), last) //nolint:errorlint // on purpose
}

// Persist repeats an attempt while it fails in a way that may pass, until ctx ends.
func Persist(ctx context.Context, attempt func() error) error {
	var backoff Backoff
	for {
		err := attempt()
		if err == nil || !Retriable(err) {
			return err
		}
		if backoff.Wait(ctx) != nil {
			return ended(ctx, err)
		}
	}
}
