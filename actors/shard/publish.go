package shard

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// publisher makes the shard's views of the accounts that were touched.
type publisher struct {
	view.Writer
	touched map[domain.AccountID]*account
	ends    []endMark
}

// endMark is a log end and when it was seen.
type endMark struct {
	end int64
	at  time.Time
}

func newPublisher(h *view.Holder, version uint64) publisher {
	return publisher{Writer: view.NewWriter(h, version), touched: map[domain.AccountID]*account{}}
}

// touch has the next commit publish the account.
func (p *publisher) touch(id domain.AccountID, a *account) {
	if !a.dirty {
		a.dirty = true
		p.touched[id] = a
	}
}

// seen notes the log's end as a page showed it.
func (p *publisher) seen(end int64, at time.Time) {
	if n := len(p.ends); n > 0 && p.ends[n-1].end == end {
		p.ends[n-1].at = at
		return
	}
	p.ends = append(p.ends, endMark{end, at})
}

// settle puts the touched accounts into the coming view.
func (p *publisher) settle() {
	for id, a := range p.touched {
		a.dirty = false
		p.Set(id, &view.Account{Crowd: a.audience.Commit(), Rows: a.table.Commit(nil), Access: a.access, Versions: a.versions})
	}
	clear(p.touched)
}

// fresh moves the moment up to which everything is applied.
func (p *publisher) fresh(s *Handle, next int64) {
	n := 0
	for n < len(p.ends) && p.ends[n].end <= next {
		s.Fresh.Applied(p.ends[n].end, next, p.ends[n].at)
		n++
	}
	p.ends = append(p.ends[:0], p.ends[n:]...)
}
