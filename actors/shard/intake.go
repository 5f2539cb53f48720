package shard

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// intake is what a shard has read of its journal and not yet applied. It is owned by the shard.
type intake struct {
	fetcher *journal.Fetcher // nil: the journal is not read
	queue   pageQueue
	gap     *domain.GapError // that the fetcher met after the queue; nil: none
}

// start begins to read.
func (i *intake) start(r journal.Reader, next int64, epoch int32, send func(any)) {
	i.fetcher = journal.StartFetcher(context.Background(), r, next, epoch, send)
}

// of reports that a message is of the fetcher that reads now.
func (i *intake) of(f *journal.Fetcher) bool { return f == i.fetcher }

// stop ends reading, and forgets what is not yet applied.
func (i *intake) stop() {
	if i.fetcher != nil {
		i.fetcher.Stop()
		i.fetcher = nil
	}
	i.queue.drop()
	i.gap = nil
}

// pageQueue is the pages of the journal that were read and are not yet applied. It is owned by
// the shard.
type pageQueue struct {
	pages      []*journal.Page // the first from at on
	at         int
	creditsDue []*journal.Page // applied, their credits not yet given back
}

func (q *pageQueue) empty() bool { return len(q.pages) == 0 }

func (q *pageQueue) push(p *journal.Page) { q.pages = append(q.pages, p) }

// next is the next records, at most so many, all of one page.
func (q *pageQueue) next(maxRecords int) []domain.Record {
	records := q.pages[0].Records
	return records[q.at:min(q.at+maxRecords, len(records))]
}

// advance notes that the next records were applied, and gives the page that ended with them;
// nil: it has more.
func (q *pageQueue) advance(records int) *journal.Page {
	p := q.pages[0]
	if q.at += records; q.at < len(p.Records) {
		return nil
	}
	q.pages[0] = nil
	q.pages, q.at = q.pages[1:], 0
	p.Memory.Release(p.Kept)
	q.creditsDue = append(q.creditsDue, p)
	if journal.Readable(len(p.Records), p.Next, p.End) >= journal.CoalesceBelow {
		q.returnCredits()
	}
	return p
}

// returnCredits gives credits back: that of a page of few records after its commit, so that the
// next page has all that came meanwhile.
func (q *pageQueue) returnCredits() {
	for i, p := range q.creditsDue {
		p.Fetcher.GiveBack(journal.Spare(p.Records))
		q.creditsDue[i] = nil
	}
	q.creditsDue = q.creditsDue[:0]
}

// keep says that strings of the page being applied live on: its memory is not read into
// again. What needs an activity's strings longer copies them.
func (q *pageQueue) keep() { q.pages[0].Kept = true }

// drop forgets what is not yet applied.
func (q *pageQueue) drop() {
	q.pages = nil
	q.at = 0
}
