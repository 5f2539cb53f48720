package ingest

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
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

	memory *domain.Memory      // of all
	home   chan *domain.Memory // what nobody uses any more
}

// memories is how many stretches of memory wait to be read into: what a page in
// flight and the one being read leave behind.
const memories = 3

func newPager(f *kafka.Fetcher) pager {
	return pager{fetcher: f, home: make(chan *domain.Memory, memories)}
}

// piece is records of one page: they are the caller's until the next read, their keys
// and values until memory is released.
type piece struct {
	records []kafka.Record
	memory  *domain.Memory
	next    place // where to read on
	end     int64
}

// place is where to read on: an offset, and the leader epoch of the batch before it.
type place struct {
	next  int64
	epoch int32
}

// read gives the records at and after a place, where to read on, and the log's end
// as it was when they were fetched.
func (p *pager) read(ctx context.Context, at place) (piece, error) {
	if len(p.rest) == 0 || at != p.from {
		if 32*len(p.all) < cap(p.all) {
			p.all = nil // an idle reader keeps no memory
		}
		p.memory.Release(false)
		p.memory = nil
		p.fetcher.Reuse(p.all, p.spare())
		p.all, p.rest = nil, nil
		page, err := p.fetcher.Fetch(ctx, at.next, at.epoch)
		if err != nil {
			return piece{}, err
		}
		p.all, p.rest, p.to, p.end = page.Records, page.Records, place{page.Next, page.Epoch}, page.Stable
		if cap(page.Arena) > 0 {
			p.memory = domain.NewMemory(page.Arena, p.homing)
		}
	}
	n := min(len(p.rest), pageRecords)
	out := piece{records: p.rest[:n], memory: p.memory, end: p.end}
	p.rest, p.from = p.rest[n:], p.to
	if len(p.rest) > 0 {
		p.from = place{out.records[n-1].Offset + 1, out.records[n-1].LeaderEpoch}
	}
	out.next = p.from
	p.memory.Hold()
	return out, nil
}

// homing takes memory back; what there is no room for, the collector takes.
func (p *pager) homing(m *domain.Memory) {
	select {
	case p.home <- m:
	default:
	}
}

// spare is memory that nobody uses any more.
func (p *pager) spare() []byte {
	select {
	case m := <-p.home:
		return m.Bytes()
	default:
		return nil
	}
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
