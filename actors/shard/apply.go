package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
)

// record applies one record: the stream it came in first, then its kind.
func (s *machine) record(ctx actor.Context, r *domain.Record) error {
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
	s.effects.batch.done.kept = true
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
func (s *machine) setAside(ctx actor.Context, r *domain.Record) error {
	if asked := r.AskedBy(); !asked.IsZero() {
		if known, err := s.before(ctx, asked, r); known || err != nil {
			return err
		}
	}
	s.effects.refuse(r, &r.Activity, domain.Poison, "set aside")
	return nil
}

// activity puts an activity into its member's group, or says why not.
func (s *machine) activity(ctx actor.Context, r *domain.Record) error {
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
		s.effects.batch.done.kept = true
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
func (s *machine) before(ctx actor.Context, asked domain.RequestID, r *domain.Record) (bool, error) {
	if _, under := s.effects.batch.asked[asked]; under {
		if err := s.flush(ctx); err != nil {
			return false, err
		}
	}
	return s.effects.replayed(asked, r)
}

// resolve is the member that the activity's address means; 0: none.
func (s *machine) resolve(account domain.AccountID, a *domain.Activity) (domain.MemberID, error) {
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
func (s *machine) flush(ctx actor.Context) error {
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
func (s *machine) foreign(r *domain.Record) {
	s.effects.batch.at = moment{r.Offset, s.state.Clock}
	s.env.Handle.foreign.Skipped(s.env.Log, "journal", r)
	s.effects.deadLetter(r, &r.Activity, domain.Foreign, "")
}

// Stage puts the changes made so far into the store's open batch, and follows them
// in memory: what is published at the commit.
func (s *machine) Stage(ctx actor.Context) error {
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
		if err := s.accounts.Apply(ctx, c); err != nil {
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
