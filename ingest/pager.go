package ingest

import (
	"context"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Bounds of one read. A decoded record is several times as large as its bytes, and a
// fetch of few bytes may unpack to many records: they are handed on in pages.
const (
	fetchBytes  = 512 << 10
	pageRecords = 2048
)

// pager reads a partition in pages of at most pageRecords. One goroutine at a time.
// It keeps what a fetch brought beyond a page, for a caller that reads on where the
// page ended; any other fetches.
type pager struct {
	fetcher *kafka.Fetcher
	all     []kafka.Record // of the last fetch
	rest    []kafka.Record // of these, not yet handed on
	from    place          // of rest
	to      place          // behind rest
	end     int64
}

// place is where to read on: an offset, and the leader epoch of the batch before it.
type place struct {
	next  int64
	epoch int32
}

// read gives the records at and after a place, where to read on, and the log's end
// as it was when they were fetched. The records are the caller's until the next call,
// their keys and values for good.
func (p *pager) read(ctx context.Context, at place) (records []kafka.Record, next place, end int64, err error) {
	if len(p.rest) == 0 || at != p.from {
		if 32*len(p.all) < cap(p.all) {
			p.all = nil // an idle reader keeps no memory
		}
		p.fetcher.Reuse(p.all)
		p.all, p.rest = nil, nil
		page, err := p.fetcher.Fetch(ctx, at.next, at.epoch)
		if err != nil {
			return nil, at, 0, err
		}
		p.all, p.rest, p.to, p.end = page.Records, page.Records, place{page.Next, page.Epoch}, page.Stable
	}
	n := min(len(p.rest), pageRecords)
	records, p.rest, p.from = p.rest[:n], p.rest[n:], p.to
	if len(p.rest) > 0 {
		p.from = place{records[n-1].Offset + 1, records[n-1].LeaderEpoch}
	}
	return records, p.from, p.end, nil
}

// persist repeats what may pass, until ctx ends.
func persist(ctx context.Context, attempt func() error) error {
	var backoff kafka.Backoff
	for {
		err := attempt()
		if err == nil || !kafka.Retriable(err) {
			return err
		}
		if backoff.Wait(ctx) != nil {
			return err
		}
	}
}
