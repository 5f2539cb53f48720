package shard

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

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
func (q *pageQueue) next(most int) []domain.Record {
	records := q.pages[0].Records
	return records[q.at:min(q.at+most, len(records))]
}

// advance notes that the next records were applied, and gives the page that ended with them;
// nil: it goes on.
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

// journalEnds is the journal's end as pages showed it, until the shard has applied so far. It
// is owned by the shard.
type journalEnds struct{ marks []endMark }

// endMark is a log end and when it was seen.
type endMark struct {
	end int64
	at  time.Time
}

// seen notes the log's end as a page showed it.
func (p *journalEnds) seen(end int64, at time.Time) {
	if n := len(p.marks); n > 0 && p.marks[n-1].end == end {
		p.marks[n-1].at = at
		return
	}
	p.marks = append(p.marks, endMark{end, at})
}

// fresh moves the moment up to which everything is applied.
func (p *journalEnds) fresh(s *Handle, next int64) {
	n := 0
	for n < len(p.marks) && p.marks[n].end <= next {
		s.Fresh.Applied(p.marks[n].end, next, p.marks[n].at)
		n++
	}
	p.marks = append(p.marks[:0], p.marks[n:]...)
}
