package shard

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// traces are the activities that are traced and applied, but not visible yet. They are owned by the shard.
type traces struct {
	records *trace.Records // nil: none is traced
	shard   int
	pending []appliedActivity // of the commit under way, whose records bound them
}

// appliedActivity is a traced activity between its apply and the commit that shows it.
type appliedActivity struct {
	origin domain.Origin // in the public topic
	offset int64         // in the journal
	read   time.Time     // from the journal
	began  time.Time     // its micro-batch
	ended  time.Time     // its micro-batch
}

// clock is the time, where any record is traced.
func (t *traces) clock() (now time.Time) {
	if t.records != nil {
		now = time.Now()
	}
	return now
}

// applied notes the records of a micro-batch that are traced. What was forwarded by another shard has the trace of
// the activity that it is.
func (t *traces) applied(records []domain.Record, page *journal.Page, began time.Time) {
	if t.records == nil {
		return
	}
	ended := time.Now()
	for i := range records {
		r := &records[i]
		origin := &r.Origin
		switch r.Kind {
		case domain.KindActivity:
		case domain.KindForward:
			origin = &r.Activity.Cause
		default:
			continue
		}
		if t.records.Sampled(origin) {
			t.pending = append(t.pending, appliedActivity{*origin, r.Offset, page.ReadAt, began, ended})
		}
	}
}

// visible records what was applied before a commit that is visible now. What a shard applies before it serves has no
// trace: it was visible long ago, on this node or on another.
func (t *traces) visible(serving bool) {
	if len(t.pending) == 0 {
		return
	}
	if serving {
		now := time.Now()
		for i := range t.pending {
			a := &t.pending[i]
			s := t.records.Applied(&a.origin, a.read)
			s.Int("ovation.shard", int64(t.shard))
			s.Int("ovation.offset", a.offset)
			s.StartAt("micro-batch", a.began).EndAt(a.ended)
			s.StartAt("commit", a.ended).EndAt(now)
			s.EndAt(now)
		}
	}
	t.forget()
}

// forget drops what was applied and not committed.
func (t *traces) forget() {
	clear(t.pending)
	t.pending = t.pending[:0]
}
