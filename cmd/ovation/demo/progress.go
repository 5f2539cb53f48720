package demo

import (
	"context"
	"log/slog"
	"time"
)

// progress is how far a part of the first run is. Its functions are called by one goroutine.
type progress struct {
	log   *slog.Logger
	what  string
	done  func() int64 // may grow over total: what an earlier run left is done again
	total func() int64
}

// tellEvery is how often progress is logged.
const tellEvery = time.Second

// during logs that the part begins, and its progress each second while do runs.
func (p progress) during(ctx context.Context, do func(context.Context) error) error {
	p.log.Info(p.what, "of", p.total())
	ctx, cancel := context.WithCancel(ctx)
	told := make(chan struct{})
	go func() {
		defer close(told)
		p.tell(ctx)
	}()
	err := do(ctx)
	cancel()
	<-told
	return err
}

// tell logs until ctx ends.
func (p progress) tell(ctx context.Context) {
	began, first := time.Now(), p.done()
	second := time.NewTicker(tellEvery)
	defer second.Stop()
	for {
		select {
		case at := <-second.C:
			p.line(at.Sub(began), p.done()-first)
		case <-ctx.Done():
			return
		}
	}
}

// line logs that so many were done in a time: with the rate, and the time left at that rate.
func (p progress) line(took time.Duration, done int64) {
	total := max(p.total(), done)
	rate := float64(done) / took.Seconds()
	args := []any{"done", done, "of", total, "perSecond", int64(rate)}
	if rate > 0 {
		args = append(args, "left", time.Duration(float64(total-done)/rate*float64(time.Second)).Round(time.Second).String())
	}
	p.log.Info(p.what, args...)
}

// constant is a total that is known.
func constant(n int) func() int64 { return func() int64 { return int64(n) } }
