package wire

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A read ends just when the deadline does that was set last, however often it was moved
// before.
func TestPipe_LastDeadlineCounts(t *testing.T) {
	t.Parallel()
	for range 50 {
		seed := rand.Uint64()
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			a, b := pipe()
			defer b.Close()
			defer a.Close()
			for range 20 {
				var until time.Time
				for range 1 + r.IntN(6) {
					if until = (time.Time{}); r.IntN(4) > 0 {
						until = time.Now().Add(time.Duration(r.IntN(100)) * time.Second)
					}
					if err := a.SetDeadline(until); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Duration(r.IntN(60)) * time.Second)
				}
				var sent time.Time
				if due := time.Duration(r.IntN(100)) * time.Second; until.IsZero() || time.Now().Add(due).Before(until) {
					sent = time.Now().Add(due)
					go func() {
						time.Sleep(due)
						_, _ = b.Write([]byte{7})
					}()
				}
				want := until // it may have passed
				if now := time.Now(); want.Before(now) {
					want = now
				}
				if !sent.IsZero() {
					want = sent
				}
				n, err := a.Read(make([]byte, 8))
				if now := time.Now(); !now.Equal(want) {
					t.Fatalf("seed %d: read until %s, want %s", seed, now, want)
				}
				if sent.IsZero() != errors.Is(err, os.ErrDeadlineExceeded) || (n == 1) == sent.IsZero() {
					t.Fatalf("seed %d: %d bytes, %v", seed, n, err)
				}
			}
		})
	}
}
