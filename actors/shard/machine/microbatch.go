package machine

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// MicroBatch is the number of records applied before the shard's next message: enough
// for what they look at to be read side by side, and so few that it stays in the cache.
const MicroBatch = 256

// microBatch is the scratch of applying: activities of one member go to its actor as
// one message, rows of one brand to its actor as one message. It is megabytes for all
// shards, and they share what of it is in the processor's cache.
type microBatch struct {
	prefetch prefetch
	members  *members.Batch
	changes  []domain.Change
	sends    []sending // not yet numbered
	done     Applied
	current  int64                         // offset of the record being applied
	at       moment                        // of the record being applied or completed
	asked    map[domain.RequestID]struct{} // of activities in groups: what becomes of them is not known yet
}

// Applied is what a micro-batch applied.
type Applied struct {
	Passed  int  // records from the first on
	Records int  // of them not applied before
	Command bool // one of them is a request's: its outcome is waited for
	Kept    bool // strings of the page live on
}

// moment is a record's place in the journal, and the shard's clock then.
type moment struct{ offset, clock int64 }

// scratch is micro-batches that no shard uses now.
var scratch = sync.Pool{New: func() any {
	return &microBatch{
		asked: map[domain.RequestID]struct{}{}, members: members.NewBatch(),
	}
}}

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

// Apply applies records as one micro-batch, up to the first that needs a mark or begins another
// life of the journal.
func (m *Machine) Apply(records []domain.Record) (done Applied, err error) {
	batch := scratch.Get().(*microBatch)
	batch.done = Applied{}
	m.effects.batch = batch
	defer func() { m.effects.batch = nil }() // that of a failure may hold anything
	defer func() {
		if r := recover(); r != nil {
			done, err = batch.done, panicOf(r, batch.current, records)
		}
	}()
	if len(records) > 0 {
		batch.current = records[0].Offset
	}
	if records, err = m.marks.cut(records); err != nil {
		return batch.done, err
	}
	records = m.Position.living(records)
	batch.prefetch.run(records, m.identities, m.roster, m.loaded, m.store)
	for i := range records {
		r := &records[i]
		if r.Offset < m.State.Next {
			continue
		}
		batch.current = r.Offset
		if err := m.record(r); err != nil {
			return batch.done, err
		}
		// The record's own epoch, neither an earlier page's nor that of the page's last batch:
		// by either the log would seem to have been cut elsewhere.
		m.State.Next, m.State.Epoch = r.Offset+1, r.Epoch
		if batch.done.Records++; batch.done.Records%yield.Every == 0 {
			m.c.Yield.Yield()
		}
		batch.done.Command = batch.done.Command || !r.AskedBy().IsZero() || r.Kind == domain.KindClaim
	}
	if err := m.flush(); err != nil {
		return batch.done, err
	}
	batch.done.Passed = len(records)
	done = batch.done
	scratch.Put(batch)
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
