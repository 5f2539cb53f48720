package machine

import (
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// record applies one record: the stream it came in first, then its kind.
func (m *Machine) record(r *domain.Record) error {
	if r.Kind == domain.KindForeign || !r.IsFor(m.c.ID, m.c.Shards) {
		m.effects.batch.at = moment{r.Offset, m.State.Clock}
		m.c.Stats.Foreign.Skipped(m.c.Log, "journal", m.c.ID, r)
		m.effects.foreign(r)
		return nil
	}
	m.State.Clock = max(m.State.Clock, r.Time)
	m.effects.batch.at = moment{r.Offset, m.State.Clock}
	if !r.Origin.IsZero() && !m.Sources.advance(r.Origin) {
		m.c.Stats.Records.Repeats.Add(1)
		return nil
	}
	place := catalog.RecordPlace{Topic: m.State.Journal, Partition: m.c.ID, Offset: r.Offset, Epoch: r.Epoch}
	if m.c.Catalog.View().SetsAside(place) {
		return m.setAside(r)
	}
	if r.Kind == domain.KindActivity || r.Kind == domain.KindForward {
		return m.activity(r)
	}
	m.effects.batch.done.Kept = true
	if err := m.flush(); err != nil {
		return err
	}
	if err := m.commands.apply(r); err != nil {
		return err
	}
	if err := m.Stage(); err != nil {
		return err
	}
	return m.commands.merger.Sent()
}

// setAside makes a dead letter of a record that cannot be applied. The request that waits
// for it is answered, so that a repeat of it is no second record to fail on. The data key that the record
// names stays: whose it is was not decided, and it may be that of a living member.
func (m *Machine) setAside(r *domain.Record) error {
	if asked := r.AskedBy(); !asked.IsZero() {
		if known, err := m.answerRepeat(asked, r); known || err != nil {
			return err
		}
	}
	if l, is := r.Command.(*domain.Lend); is {
		m.commands.merger.SetAside(r, l)
	}
	if r.Command != nil { // its letter names the record itself: what it came of is no record of a log
		m.effects.Complete(r, refusal(domain.Poison))
		m.effects.deadRecord(r, domain.Poison, "set aside")
		return nil
	}
	m.effects.refuse(r, &r.Activity, domain.Poison, "set aside")
	return nil
}

// activity puts an activity into its member's group, or says why not.
func (m *Machine) activity(r *domain.Record) error {
	a := &r.Activity
	asked := r.AskedBy()
	if !asked.IsZero() {
		if known, err := m.answerRepeat(asked, r); known || err != nil {
			return err
		}
	}
	if a.Refusal != domain.Accepted {
		m.effects.refuse(r, a, a.Refusal, a.Detail)
		return nil
	}
	id, err := m.identities.Resolve(r.Account, a)
	if err != nil {
		return err
	}
	if r.Kind == domain.KindActivity {
		if reason := member.Judge(a, r.Time, m.State.Expired); reason != domain.Accepted {
			m.effects.refuse(r, a, reason, "")
			return nil
		}
	}
	if id == 0 {
		m.effects.refuse(r, a, domain.UnknownMember, "")
		return nil
	}
	if !m.roster.Owns(id.Slot()) {
		m.effects.batch.done.Kept = true
		m.effects.forward(r, id)
		return nil
	}
	at, ok := m.roster.Find(id)
	if !ok || at.Account != r.Account {
		m.effects.refuse(r, a, domain.UnknownMember, "")
		return nil
	}
	if m.commands.merger.Involved(at) {
		return m.applySingly(r, at)
	}
	if !asked.IsZero() {
		m.effects.batch.asked[asked] = struct{}{}
	}
	return m.enqueue(r, at)
}

// applySingly applies an activity of a member that has part in a merge, and what follows from it.
func (m *Machine) applySingly(r *domain.Record, at member.Place) error {
	m.effects.batch.done.Kept = true
	if err := m.flush(); err != nil {
		return err
	}
	if err := m.enqueue(r, at); err != nil {
		return err
	}
	if err := m.flush(); err != nil {
		return err
	}
	return m.commands.merger.Sent()
}

// BeforeRegistration is the detail of a dead letter whose replay named a member that registered after the
// letter: the member's identity may have been another's then, who was erased since.
const BeforeRegistration = "before_registration"

// enqueue adds the activity to its member's message.
func (m *Machine) enqueue(r *domain.Record, at member.Place) error {
	m.State.Sequence++
	batch := m.effects.batch
	a := members.Activity{Record: r, Sequence: m.State.Sequence, Clock: batch.at.clock}
	received := r.Activity.Received
	if received != 0 || !batch.members.Add(m.loaded, at, m.Accounts.Of(at.Account).Audience, a) {
		k, err := m.loaded.Load(at)
		switch {
		case err != nil:
			return err
		case !k.State().Active():
			m.notActive(k, r)
			return nil
		case received != 0 && received < k.State().Member.Created:
			m.effects.refuse(r, &r.Activity, domain.UnknownMember, BeforeRegistration)
			return nil
		}
		batch.members.AddTo(k, at, a)
	}
	r.Activity.Content.Recorded = a.Clock
	return nil
}

// answerRepeat answers a request that came before. One in the same micro-batch is
// applied first: a repeat gets no sequence, wherever a micro-batch ends (I6).
func (m *Machine) answerRepeat(asked domain.RequestID, r *domain.Record) (bool, error) {
	if _, under := m.effects.batch.asked[asked]; under {
		if err := m.flush(); err != nil {
			return false, err
		}
	}
	q, err := m.effects.replayed(asked, r)
	return q != nil, err
}

// flush lets each member apply its group, and follows what changed: also what no
// member had a part in, such as a forward, which must be in the batch that moves its
// origin (I3).
func (m *Machine) flush() error {
	at := m.effects.batch.at
	for i, g := range m.effects.batch.members.Groups() {
		if i%yield.Every == 0 {
			m.c.Yield.Yield()
		}
		acts := g.Activities()
		m.effects.batch.current = acts[0].Record.Offset
		var err error
		if m.effects.batch.changes, err = m.effects.batch.members.Apply(m.loaded, g, m.effects.batch.changes); err != nil {
			return err
		}
		for i := range acts {
			m.effects.batch.at = moment{acts[i].Record.Offset, acts[i].Clock}
			m.effects.disposed(&acts[i], g.ID)
		}
	}
	m.effects.batch.members.Clear()
	m.effects.batch.at = at
	clear(m.effects.batch.asked)
	return m.Stage()
}

// Stage puts the changes made so far, and what follows from them, into the store's open batch, and
// follows them in memory: what is published at the commit.
func (m *Machine) Stage() error {
	for {
		m.effects.sequence()
		changes := m.effects.batch.changes
		if len(changes) == 0 {
			return nil
		}
		m.effects.batch.changes = nil
		if err := m.stage(changes); err != nil {
			return err
		}
		if err := m.commands.merger.Follow(changes); err != nil {
			return err
		}
		clear(changes)
		if m.effects.batch.changes == nil {
			m.effects.batch.changes = changes[:0]
		}
	}
}

// stage stages changes.
func (m *Machine) stage(changes []domain.Change) error {
	if err := m.store.Stage(changes); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		before := counted(m.Accounts, c)
		if err := m.Accounts.Apply(c); err != nil {
			return err
		}
		switch c.Kind {
		case domain.RowAdded:
			m.State.Rows += before
		case domain.RowTaken, domain.RowsErased:
			m.State.Rows -= before
		case domain.RowsCounted:
			m.State.Rows += counted(m.Accounts, c) - before
		default: // no rows
		}
	}
	m.Accounts.Flush()
	return nil
}

// counted is how many of the actions that a change names count, as the accounts have them now. Visits
// are none.
func counted(as *accounts.Accounts, c *domain.Change) (n uint64) {
	one := func(r *domain.Row) {
		if !r.IsVisit() && as.Counts(r) {
			n++
		}
	}
	of := func(rows []domain.Row) {
		for i := range rows {
			if !rows[i].Flags.Dead() {
				one(&rows[i])
			}
		}
	}
	switch c.Kind {
	case domain.RowAdded:
		if !c.Row.Flags.Dead() {
			one(&c.Row)
		}
	case domain.RowTaken:
		one(&c.Row)
	case domain.RowsErased:
		of(c.Value.(*domain.ErasedRows).Rows)
	case domain.RowsCounted:
		of(c.Value.(*domain.CountedAs).Rows)
	default: // no rows
	}
	return n
}
