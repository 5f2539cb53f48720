package shard

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// MicroBatch is the number of records applied before other messages get a turn: enough
// for what they look at to come side by side, and so few that it stays near.
const MicroBatch = 256

// microBatch is the scratch of applying: activities of one member go to its actor as
// one message, rows of one brand to its actor as one message. It is megabytes for all
// shards, and they share what of it is in the processor's cache.
type microBatch struct {
	approach approach
	members  *members.Batch
	changes  []domain.Change
	sends    []sending // not yet numbered
	done     applied
	current  int64                         // offset of the record being applied
	at       moment                        // of the record being applied or concluded
	asked    map[domain.RequestID]struct{} // of activities in groups: what becomes of them is not known yet
}

// applied is what a micro-batch applied.
type applied struct {
	passed  int  // records from the first on
	records int  // of them not applied before
	command bool // one of them has someone waiting
	kept    bool // strings of the page live on
}

// moment is a record's place in the journal, and the shard's clock then.
type moment struct{ offset, clock int64 }

// scratch is micro-batches that no shard uses now.
var scratch = sync.Pool{New: func() any {
	return &microBatch{
		asked: map[domain.RequestID]struct{}{}, members: members.NewBatch(),
	}
}}

// panicError is a panic while records were applied.
type panicError struct {
	offset int64 // of the record, exact when it was applied alone
	epoch  int32 // of the record
	end    int64 // after the micro-batch's last record
	cause  string
	stack  string
}

func (e *panicError) Error() string { return "panic: " + e.cause }

// apply applies records as one micro-batch, up to the first that needs a mark or begins another
// life of the journal.
func (s *machine) apply(ctx actor.Context, records []domain.Record) (done applied, err error) {
	batch := scratch.Get().(*microBatch)
	batch.done = applied{}
	s.effects.batch = batch
	defer func() { s.effects.batch = nil }() // that of a failure may hold anything
	defer func() {
		if r := recover(); r != nil {
			done, err = batch.done, s.panicked(r, records)
		}
	}()
	if len(records) > 0 {
		batch.current = records[0].Offset
	}
	if records, err = s.marks.cut(records); err != nil {
		return batch.done, err
	}
	records = s.journal.living(records)
	s.approach(records)
	for i := range records {
		r := &records[i]
		if r.Offset < s.state.Next {
			continue
		}
		batch.current = r.Offset
		if err := s.record(ctx, r); err != nil {
			return batch.done, err
		}
		// The record's own epoch, neither an earlier page's nor that of the page's last batch:
		// by either the log would seem to have been cut elsewhere.
		s.state.Next, s.state.Epoch = r.Offset+1, r.Epoch
		if batch.done.records++; batch.done.records%yield.Every == 0 {
			s.env.Yield.Yield()
		}
		batch.done.command = batch.done.command || !r.AskedBy().IsZero() || r.Kind == domain.KindClaim
	}
	if err := s.flush(ctx); err != nil {
		return batch.done, err
	}
	batch.done.passed = len(records)
	done = batch.done
	scratch.Put(batch)
	return done, nil
}

// panicked is the error of a panic while the micro-batch's records were applied.
func (s *machine) panicked(cause any, records []domain.Record) error {
	p := &panicError{
		offset: s.effects.batch.current, end: records[len(records)-1].Offset + 1,
		cause: fmt.Sprint(cause), stack: string(debug.Stack()),
	}
	for i := range records {
		if records[i].Offset == p.offset {
			p.epoch = records[i].Epoch
		}
	}
	return p
}
