package actors

import (
	"context"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// credits is the number of pages of one pump in flight: with the Kafka fetch
// behind them the only back-pressure there is (I8). A credit that comes back brings
// the memory of a page that was applied: what is read next stands in the processor's
// cache, and a page costs no collection.
const credits = 2

// pump reads one partition for an actor, on a goroutine of its own.
type pump struct {
	reader Reader
	send   func(any)
	credit chan []domain.Record
	cancel context.CancelFunc
	done   chan struct{}
}

// startPump reads from next on; the pages go to send.
func startPump(ctx context.Context, r Reader, next int64, epoch int32, send func(any)) *pump {
	ctx, cancel := context.WithCancel(ctx)
	p := &pump{reader: r, send: send, credit: make(chan []domain.Record, credits), cancel: cancel, done: make(chan struct{})}
	for range credits {
		p.credit <- nil
	}
	go p.run(ctx, next, epoch)
	return p
}

// stop ends the pump. Pages on their way may still arrive.
func (p *pump) stop() {
	p.cancel()
	<-p.done
}

// giveBack returns a page's credit, and its records if nobody keeps one.
func (p *pump) giveBack(records []domain.Record) { p.credit <- records }

// few records make a page that is not worth to be read beside another: until the one
// before is done with, more of them come, and the next page has them all. So it is the
// slower that somebody is, the fewer his pages are.
const few = 1024

// credited waits for a credit, and if few records were there to be read when the last page
// was, its own among them, until all are there. False when ctx ended.
func credited[T any](ctx context.Context, credit chan []T, last int64) (spare []T, ok bool) {
	select {
	case spare = <-credit:
	case <-ctx.Done():
		return nil, false
	}
	for range credits - 1 {
		if last >= few {
			break
		}
		select {
		case other := <-credit:
			defer func() { credit <- other }()
		case <-ctx.Done():
			return nil, false
		}
	}
	return spare, true
}

// readable is how many records there were to be read when a page was, its own among them.
func readable(records int, next, end int64) int64 { return int64(records) + max(end-next, 0) }

// little is how many records an idle reader keeps the memory of.
const little = 64

// filled is the memory of a page if the page needed it, or if it is little: an idle reader
// keeps no more.
func filled[T any](page []T) []T {
	if cap(page) > little && 32*len(page) < cap(page) {
		return nil
	}
	return page
}

// run reads until ctx ends. A panic, as of decoding, is the actor's.
func (p *pump) run(ctx context.Context, next int64, epoch int32) {
	defer close(p.done)
	err := guarded("the reader of the log", func() error {
		p.read(ctx, next, epoch)
		return nil
	})
	if err != nil {
		p.send(&pumpCrashed{p, err})
	}
}

func (p *pump) read(ctx context.Context, next int64, epoch int32) {
	for failures, last := 0, int64(few); ; {
		spare, ok := credited(ctx, p.credit, last)
		if !ok {
			return
		}
		pg, err := p.reader.Read(ctx, next, epoch, spare)
		if ctx.Err() != nil {
			return
		}
		var gap *domain.GapError
		switch {
		case errors.As(err, &gap):
			p.send(&gapFound{p, gap})
			return
		case err != nil:
			p.giveBack(nil)
			failures++
			p.send(&pumpFailed{p, err, failures})
			if !retry.Backoff(ctx, failures) {
				return
			}
			continue
		}
		failures = 0
		next, epoch, last = pg.Next, pg.Epoch, readable(len(pg.Records), pg.Next, pg.End)
		p.send(&page{Page: pg, pump: p, readAt: time.Now()})
	}
}
