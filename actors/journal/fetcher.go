package journal

import (
	"context"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// credits is the number of pages of one fetcher in flight: with the Kafka fetch behind them the
// only back-pressure there is (I8). A credit that comes back brings the memory of a page that
// was applied: the next page is read into the processor's cache, and costs no collection.
const credits = 2

// CoalesceBelow is the number of records below which one page is in flight: under light load
// pages grow instead of multiplying.
const CoalesceBelow = 1024

// The messages of a fetcher to its receiver. A page in flight holds a credit, which the receiver
// gives back when the page is applied; pages of one fetcher come in order.
type (
	// Page is what the log gave.
	Page struct {
		domain.Page
		Fetcher *Fetcher
		ReadAt  time.Time // when End was seen
		Kept    bool      // strings of it live on
	}
	// FetchFailed says that a fetch failed; the fetcher retries.
	FetchFailed struct {
		Fetcher  *Fetcher
		Err      error
		Failures int // in a row
	}
	// GapFound says that the log is not the one that was read before; the fetcher has stopped.
	GapFound struct {
		Fetcher *Fetcher
		Gap     *domain.GapError
	}
	// FetcherCrashed says that reading panicked; the fetcher has stopped.
	FetcherCrashed struct {
		Fetcher *Fetcher
		Err     error
	}
)

// Fetcher reads one partition for an actor, on a goroutine of its own.
type Fetcher struct {
	reader Reader
	send   func(any)
	credit chan []domain.Record
	cancel context.CancelFunc
	done   chan struct{}
}

// StartFetcher reads from next on and passes its messages to send.
func StartFetcher(ctx context.Context, r Reader, next int64, epoch int32, send func(any)) *Fetcher {
	ctx, cancel := context.WithCancel(ctx)
	f := &Fetcher{
		reader: r, send: send, credit: NewCredits[domain.Record](), cancel: cancel, done: make(chan struct{}),
	}
	go f.run(ctx, next, epoch)
	return f
}

// Stop ends the fetcher. Pages on their way may still arrive.
func (f *Fetcher) Stop() {
	f.cancel()
	<-f.done
}

// GiveBack returns a page's credit, with its memory unless something of it is kept.
func (f *Fetcher) GiveBack(records []domain.Record) { f.credit <- records }

// NewCredits are the credits of a fetcher that starts.
func NewCredits[T any]() chan []T {
	c := make(chan []T, credits)
	for range credits {
		c <- nil
	}
	return c
}

// TakeCredit waits for a credit, and for all of them where the last page and what was readable
// after it were fewer than CoalesceBelow records. False when ctx ended; then none is taken.
func TakeCredit[T any](ctx context.Context, credit chan []T, last int64) (spare []T, ok bool) {
	select {
	case spare = <-credit:
	case <-ctx.Done():
		return nil, false
	}
	for range credits - 1 {
		if last >= CoalesceBelow {
			break
		}
		select {
		case other := <-credit:
			defer func() { credit <- other }()
		case <-ctx.Done():
			credit <- spare
			return nil, false
		}
	}
	return spare, true
}

// Readable is the number of records that were readable when a page was read, its own among them.
func Readable(records int, next, end int64) int64 { return int64(records) + max(end-next, 0) }

// idleRecords is the number of records whose memory an idle reader keeps.
const idleRecords = 64

// Spare is the memory of a page if the page used it, or if it is small; else nil, so that an
// idle reader keeps no more.
func Spare[T any](page []T) []T {
	if cap(page) > idleRecords && 32*len(page) < cap(page) {
		return nil
	}
	return page
}

// run reads until ctx ends. A panic, as of decoding, is the actor's.
func (f *Fetcher) run(ctx context.Context, next int64, epoch int32) {
	defer close(f.done)
	err := crash.Guard("the reader of the log", func() error {
		f.read(ctx, next, epoch)
		return nil
	})
	if err != nil {
		f.send(&FetcherCrashed{f, err})
	}
}

func (f *Fetcher) read(ctx context.Context, next int64, epoch int32) {
	for failures, last := 0, int64(CoalesceBelow); ; {
		spare, ok := TakeCredit(ctx, f.credit, last)
		if !ok {
			return
		}
		pg, err := f.reader.Read(ctx, next, epoch, spare)
		if ctx.Err() != nil {
			return
		}
		var gap *domain.GapError
		switch {
		case errors.As(err, &gap):
			f.send(&GapFound{f, gap})
			return
		case err != nil:
			f.GiveBack(nil)
			failures++
			f.send(&FetchFailed{f, err, failures})
			if !retry.Backoff(ctx, failures) {
				return
			}
			continue
		}
		failures = 0
		next, epoch, last = pg.Next, pg.Epoch, Readable(len(pg.Records), pg.Next, pg.End)
		f.send(&Page{Page: pg, Fetcher: f, ReadAt: time.Now()})
	}
}
