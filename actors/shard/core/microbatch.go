package core

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// microBatch is the scratch of applying: activities of one member go to its actor as
// one message, rows of one brand to its actor as one message. It is megabytes for all
// shards, and they share what of it is in the processor's cache.
type microBatch struct {
	tx         tx.Tx
	activities *activity.Batch
	prefetch   prefetch
}

// Applied is what a micro-batch applied.
type Applied struct {
	Passed  int            // records from the first on
	Records int            // of them not applied before
	Command bool           // one of them is a request's: its outcome is waited for
	Kept    bool           // strings of the page live on
	Lacks   domain.BrandID // that the first record names and the catalog at hand does not have; 0: none
	Commit  bool           // the first record reads what is stored: it is applied after a commit
}

// scratch is micro-batches that no shard uses now.
var scratch = sync.Pool{New: func() any { return &microBatch{activities: activity.NewBatch()} }}

// PanicError is a panic while records were applied.
type PanicError struct {
	Offset int64 // of the record, exact when it was applied alone
	Epoch  int32 // of the record
	End    int64 // after the micro-batch's last record
	Cause  string
	Stack  string
}

// Error is the cause.
func (e *PanicError) Error() string { return "panic: " + e.Cause }

// Apply applies records as one micro-batch, up to the first that needs a mark, begins another life of the
// journal, reads what is stored, or names a brand that the catalog at hand does not have.
func (m *Machine) Apply(records []domain.Record) (done Applied, err error) {
	batch := scratch.Get().(*microBatch) // that of a failure may hold anything, and is not used again
	t := &batch.tx
	t.Begin(m.State, m.merger.Follow)
	m.activities.Begin(batch.activities)
	defer m.activities.Begin(nil)
	if len(records) > 0 {
		t.At.Offset = records[0].Offset
	}
	defer func() {
		if r := recover(); r != nil {
			err = panicOf(r, t.At.Offset, records)
		}
		done.Kept = t.Keeps()
		if err == nil {
			t.End()
			scratch.Put(batch)
		}
	}()
	if records, done.Lacks = m.known(records); done.Lacks != 0 {
		return done, nil
	}
	if records, err = m.marks.cut(records); err != nil {
		return done, err
	}
	records = m.Position.living(records)
	records, committed := m.cutAtRows(records)
	if done.Commit = !committed; done.Commit {
		return done, nil
	}
	batch.prefetch.run(records, m.identities, m.State, m.store)
	state := &m.State.Shard
	for i := range records {
		r := &records[i]
		if r.Offset < state.Next {
			continue
		}
		if err := m.record(t, r); err != nil {
			return done, err
		}
		// The record's own epoch, neither an earlier page's nor that of the page's last batch:
		// by either the log would seem to have been cut elsewhere.
		state.Next, state.Epoch, m.staged = r.Offset+1, r.Epoch, true
		if done.Records++; done.Records%yield.Every == 0 {
			m.c.Readers.Yield.Yield()
		}
		done.Command = done.Command || !r.AskedBy().IsZero() || r.Kind == domain.KindClaim
	}
	if err := m.activities.Flush(t); err != nil {
		return done, err
	}
	done.Passed = len(records)
	return done, nil
}

// panicOf is the error of a panic while the record at an offset was applied.
func panicOf(cause any, offset int64, records []domain.Record) error {
	p := &PanicError{
		Offset: offset, End: records[len(records)-1].Offset + 1, Cause: fmt.Sprint(cause), Stack: string(debug.Stack()),
	}
	if of, ok := cause.(*children.Failure); ok {
		p.Stack = of.Stack
	}
	for i := range records {
		if records[i].Offset == offset {
			p.Epoch = records[i].Epoch
		}
	}
	return p
}
