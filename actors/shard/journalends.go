package shard

import "time"

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
