package replay

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// ceiling is how far a replay may go, and how fast.
type ceiling struct {
	to     atomic.Int64
	raised chan struct{} // holds one token after to was raised
	pace   func(ctx context.Context, records int) error
}

func (c *ceiling) raise(to int64) {
	c.to.Store(to)
	select {
	case c.raised <- struct{}{}:
	default:
	}
}

// limitedLog is a journal up to a ceiling, to which nothing can be appended.
type limitedLog struct {
	journal.Log
	limit *ceiling
}

// Reader reads one partition up to the ceiling.
func (l limitedLog) Reader(partition int) journal.Reader {
	return &limitedReader{l.Log.Reader(partition), l.limit}
}

// Appender appends nowhere.
func (limitedLog) Appender() journal.Appender { return nowhere{} }

type limitedReader struct {
	reader journal.Reader
	limit  *ceiling
}

// Read gives what is below the ceiling, and nothing, after a short while, at it.
func (r *limitedReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	to := r.limit.to.Load()
	if next >= to {
		t := time.NewTimer(100 * time.Millisecond)
		defer t.Stop()
		select {
		case <-r.limit.raised:
		case <-t.C:
		case <-ctx.Done():
			return domain.Page{}, ctx.Err()
		}
		return domain.Page{Records: spare[:0], Next: next, Epoch: epoch, End: to}, nil
	}
	page, err := r.reader.Read(ctx, next, epoch, spare)
	if err != nil {
		return page, err
	}
	page.End = to
	if page.Next > to {
		page = below(page, to, epoch)
	}
	if r.limit.pace != nil {
		err = r.limit.pace(ctx, len(page.Records))
	}
	return page, err
}

// below is what a page has below an offset; epoch is that of the batch before the page.
func below(page domain.Page, to int64, epoch int32) domain.Page {
	n := len(page.Records)
	for n > 0 && page.Records[n-1].Offset >= to {
		n--
	}
	page.Records, page.Next, page.Epoch = page.Records[:n], to, epoch
	if n > 0 {
		page.Epoch = page.Records[n-1].Epoch
	}
	return page
}
