package shard

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/member"
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
	sends    []sending                     // not yet numbered
	current  int64                         // offset of the record being applied
	at       moment                        // of the record being applied or concluded
	asked    map[domain.RequestID]struct{} // of activities in groups: what becomes of them is not known yet
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

// applyBatch applies the next records of the queue and reports whether one of them
// has someone waiting.
func (s *shard) applyBatch(ctx actor.Context) (command bool, err error) {
	most := MicroBatch
	if s.state.Next < s.env.singly {
		most = 1
	}
	records := s.queue.next(most)
	s.effects.batch = scratch.Get().(*microBatch)
	defer func() { s.effects.batch = nil }() // that of a failure may hold anything
	defer func() {
		if r := recover(); r != nil {
			err = s.panicked(r, records)
		}
	}()
	if len(records) > 0 {
		s.effects.batch.current = records[0].Offset
	}
	if records, err = s.marks.cut(records); err != nil {
		return false, err
	}
	records = s.living(records)
	s.approach(records)
	for i := range records {
		r := &records[i]
		if r.Offset < s.state.Next {
			continue
		}
		s.effects.batch.current = r.Offset
		if err := s.record(ctx, r); err != nil {
			return false, err
		}
		// The record's own epoch, neither an earlier page's nor that of the page's last batch:
		// by either the log would seem to have been cut elsewhere.
		s.state.Next, s.state.Epoch = r.Offset+1, r.Epoch
		if s.open.records++; s.open.records%yield.Every == 0 {
			s.env.Yield.Yield()
		}
		command = command || !r.AskedBy().IsZero() || r.Kind == domain.KindClaim
	}
	if err := s.flush(ctx); err != nil {
		return false, err
	}
	scratch.Put(s.effects.batch)
	if p := s.queue.advance(len(records)); p != nil {
		s.endPage(p)
	}
	return command, nil
}

// panicked is the error of a panic while the micro-batch's records were applied.
func (s *shard) panicked(cause any, records []domain.Record) error {
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

// endPage moves the state behind a page that was applied. Its offsets hold also where the
// log has none of our records at its end.
func (s *shard) endPage(p *journal.Page) {
	s.state.Next, s.state.Epoch = max(s.state.Next, p.Next), p.Epoch
	s.ends.seen(p.End, p.ReadAt)
}

// record applies one record: the stream it came in first, then its kind.
func (s *shard) record(ctx actor.Context, r *domain.Record) error {
	if r.Kind == domain.KindForeign {
		s.foreign(r)
		return nil
	}
	s.state.Clock = max(s.state.Clock, r.Time)
	s.effects.batch.at = moment{r.Offset, s.state.Clock}
	if !r.Origin.IsZero() && !s.sources.advance(r.Origin) {
		s.env.Handle.Stats.Repeats.Add(1)
		return nil
	}
	if s.env.Catalog.View().SetsAside(catalog.RecordPlace{Topic: s.state.Journal, Partition: s.env.ID, Offset: r.Offset, Epoch: r.Epoch}) {
		return s.setAside(ctx, r)
	}
	if r.Kind == domain.KindActivity || r.Kind == domain.KindForward {
		return s.activity(ctx, r)
	}
	s.queue.keep()
	if err := s.flush(ctx); err != nil {
		return err
	}
	if err := s.command(ctx, r); err != nil {
		return err
	}
	return s.Stage(ctx)
}

// setAside makes a dead letter of a record that cannot be applied. The request that waits
// for it is answered, so that a repeat of it is no second record to fail on.
func (s *shard) setAside(ctx actor.Context, r *domain.Record) error {
	if asked := r.AskedBy(); !asked.IsZero() {
		if known, err := s.before(ctx, asked, r); known || err != nil {
			return err
		}
	}
	s.effects.refuse(r, &r.Activity, domain.Poison, "set aside")
	return nil
}

// activity puts an activity into its member's group, or says why not.
func (s *shard) activity(ctx actor.Context, r *domain.Record) error {
	a := &r.Activity
	asked := r.AskedBy()
	if !asked.IsZero() {
		if known, err := s.before(ctx, asked, r); known || err != nil {
			return err
		}
	}
	if a.Refusal != domain.Accepted {
		s.effects.refuse(r, a, a.Refusal, a.Detail)
		return nil
	}
	if r.Kind == domain.KindActivity {
		if reason := member.Judge(a, r.Time, s.state.Expired); reason != domain.Accepted {
			s.effects.refuse(r, a, reason, "")
			return nil
		}
	}
	id, err := s.resolve(r.Account, a)
	if err != nil {
		return err
	}
	if id == 0 {
		s.effects.refuse(r, a, domain.UnknownMember, "")
		return nil
	}
	if !s.roster.Owns(id.Slot()) {
		s.queue.keep()
		s.effects.forward(r, id)
		return nil
	}
	at, ok := s.roster.Find(id)
	if !ok || at.Account != r.Account {
		s.effects.refuse(r, a, domain.UnknownMember, "")
		return nil
	}
	if !asked.IsZero() {
		s.effects.batch.asked[asked] = struct{}{}
	}
	return s.group(ctx, r, at)
}

// before answers a request that came before. One in the same micro-batch is
// applied first: a repeat gets no sequence, wherever a micro-batch ends (I6).
func (s *shard) before(ctx actor.Context, asked domain.RequestID, r *domain.Record) (bool, error) {
	if _, under := s.effects.batch.asked[asked]; under {
		if err := s.flush(ctx); err != nil {
			return false, err
		}
	}
	return s.effects.replayed(asked, r)
}

// resolve is the member that the activity's address means; 0: none.
func (s *shard) resolve(account domain.AccountID, a *domain.Activity) (domain.MemberID, error) {
	if a.Member != 0 || a.Identity.IsZero() {
		return a.Member, nil
	}
	i, ok, err := s.identities.Find(account, a.Identity)
	if !ok || err != nil {
		return 0, err
	}
	return i.Member, nil
}

// flush lets each member apply its group, and follows what changed: also what no
// member had a part in, such as a forward, which must be in the batch that moves its
// origin (I3).
func (s *shard) flush(ctx actor.Context) error {
	at := s.effects.batch.at
	for i, g := range s.effects.batch.members.Groups() {
		if i%yield.Every == 0 {
			s.env.Yield.Yield()
		}
		acts := g.Activities()
		s.effects.batch.current = acts[0].Record.Offset
		var err error
		if s.effects.batch.changes, err = s.effects.batch.members.Apply(g, s.effects.batch.changes); err != nil {
			return err
		}
		for i := range acts {
			s.effects.batch.at = moment{acts[i].Record.Offset, acts[i].Clock}
			s.concluded(&acts[i], g.ID)
		}
	}
	s.effects.batch.members.Clear()
	s.effects.batch.at = at
	clear(s.effects.batch.asked)
	return s.Stage(ctx)
}

// foreign keeps a value of another program as a dead letter. It changes nothing else, the
// clock neither.
func (s *shard) foreign(r *domain.Record) {
	s.effects.batch.at = moment{r.Offset, s.state.Clock}
	s.env.Handle.foreign.Skipped(s.env.Log, "journal", r)
	s.effects.deadLetter(r, &r.Activity, domain.Foreign, "")
}

// Stage puts the changes made so far into the store's open batch, and follows them
// in memory: what is published at the commit.
func (s *shard) Stage(ctx actor.Context) error {
	s.effects.sequence()
	changes := s.effects.batch.changes
	if len(changes) == 0 {
		return nil
	}
	if err := s.store.Stage(changes); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		if err := s.accounts.Follow(ctx, c); err != nil {
			return err
		}
		switch c.Kind {
		case domain.RowAdded:
			s.state.Rows++
		case domain.RowTaken:
			s.state.Rows--
		}
	}
	s.accounts.Flush(ctx)
	clear(changes)
	s.effects.batch.changes = changes[:0]
	return nil
}
