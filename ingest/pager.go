package ingest

import (
	"cmp"
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// PageSize bounds one read. A decoded record is several times as large as its bytes, and a
// fetch of few bytes may unpack to many records: they are handed on in pages. With the
// credits of the reader's caller it bounds what is read and not yet applied, so that
// pressure reaches the fetch (I8).
type PageSize struct {
	Bytes   int // of a fetch, as they come; 0: 512 KiB
	Records int // of a page; 0: 2,048
}

const (
	fetchBytes  = 512 << 10
	pageRecords = 2048

	minFetchBytes = 64 << 10
	minRecords    = 256
)

// PageSizeWithin is the size with which so many readers take so many bytes at most: each has
// two pages in flight and one that is decoded, which unpack to four times their bytes and
// as many again in records. It is never so small that each page is a few batches.
func PageSizeWithin(bytes int64, readers int) PageSize {
	fetch := min(max(int(bytes/int64(readers)/(3*8)), minFetchBytes), fetchBytes)
	return PageSize{Bytes: fetch, Records: min(max(fetch/256, minRecords), pageRecords)}
}

func (s PageSize) orDefault() PageSize {
	return PageSize{cmp.Or(s.Bytes, fetchBytes), cmp.Or(s.Records, pageRecords)}
}

// inflated is what a page may unpack to before it ends: batches that compress better than
// JSON are read one after the other.
func (s PageSize) inflated() int { return 16 * s.Bytes }

// pager reads a partition in pages of at most so many records. One goroutine at a time.
// It keeps what a fetch brought beyond a page, for a caller that reads on where the
// page ended; any other fetches.
type pager struct {
	fetcher *kafka.Fetcher
	records int            // of a page at most
	all     []kafka.Record // of the last fetch
	rest    []kafka.Record // of these, not yet handed on
	from    place          // of rest
	to      place          // after rest
	end     int64

	memory *domain.Memory      // of all
	free   chan *domain.Memory // what was released
}

// memories is how many stretches of memory wait to be read into: what a page in
// flight and the one being read leave behind.
const memories = 3

func newPager(c *kafka.Client, topic string, id domain.TopicID, partition int, size PageSize) (pager, error) {
	size = size.orDefault()
	f, err := c.Fetcher(kafka.FetchConfig{
		Topic: topic, ID: id, Partition: partition, MaxBytes: size.Bytes, MaxInflated: size.inflated(), Shared: true,
	})
	return pager{fetcher: f, records: size.Records, free: make(chan *domain.Memory, memories)}, err
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
			p.memory = domain.NewMemory(page.Arena, p.recycle)
		}
	}
	n := min(len(p.rest), p.records)
	out := piece{records: p.rest[:n], memory: p.memory, end: p.end}
	p.rest, p.from = p.rest[n:], p.to
	if len(p.rest) > 0 {
		p.from = place{out.records[n-1].Offset + 1, out.records[n-1].LeaderEpoch}
	}
	out.next = p.from
	p.memory.Hold()
	return out, nil
}

// recycle keeps released memory for the next page. Where free is full, the memory is garbage.
func (p *pager) recycle(m *domain.Memory) {
	select {
	case p.free <- m:
	default:
	}
}

// spare is memory that was released.
func (p *pager) spare() []byte {
	select {
	case m := <-p.free:
		return m.Bytes()
	default:
		return nil
	}
}
