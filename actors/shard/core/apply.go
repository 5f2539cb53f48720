package core

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// record applies one record: the stream it came in first, then its kind.
func (m *Machine) record(t *tx.Tx, r *domain.Record) error {
	of, state := &m.c.Partition, &m.State.Shard
	t.At = tx.Moment{Offset: r.Offset, Clock: state.Clock}
	if r.Kind == domain.KindForeign || !r.IsFor(of.ID, of.Shards) {
		m.c.Stats.Foreign.Skipped(of.Log, "journal", of.ID, r)
		m.foreign(t, r)
		return nil
	}
	before := state.Clock
	state.Clock = max(state.Clock, r.Time)
	t.At.Clock = state.Clock
	if err := m.newHour(t, before); err != nil {
		return err
	}
	if !r.Origin.IsZero() && !m.State.Sources.Advance(r.Origin) {
		m.c.Stats.Repeats.Add(1)
		if r.Origin.Topic == state.Journal {
			m.c.Stats.Twice.Add(1)
		}
		return nil
	}
	switch {
	case r.IsVoid():
		m.c.Stats.Void.Add(1)
		t.Void(r)
		return nil
	case of.Catalog.View().SetsAside(m.placeOf(r)):
		return m.setAside(t, r)
	case r.Kind == domain.KindActivity || r.Kind == domain.KindForward:
		return m.activity(t, r)
	}
	return m.command(t, r)
}

// activity applies an activity with the others of its member, or at once where the member has part in a merge.
func (m *Machine) activity(t *tx.Tx, r *domain.Record) error {
	at, here, err := m.activities.Judge(t, r)
	if !here || err != nil {
		return err
	}
	if !m.merger.Involved(at) {
		return m.activities.Add(t, r, at)
	}
	return m.alone(t, func() error {
		if err := m.activities.Add(t, r, at); err != nil {
			return err
		}
		return m.activities.Flush(t)
	})
}

// command applies a record that is no activity.
func (m *Machine) command(t *tx.Tx, r *domain.Record) error {
	return m.alone(t, func() error {
		if err := m.commands.apply(t, r); err != nil {
			return err
		}
		return t.Flush()
	})
}

// alone applies a record by f after all before it, and sends on what it changes of merged members.
func (m *Machine) alone(t *tx.Tx, f func() error) error {
	t.Keep()
	if err := m.activities.Flush(t); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return m.merger.SendLent(t)
}

// setAside makes a dead letter of a record that cannot be applied. The request that waits
// for it is answered, so that a repeat of it is no second record to fail on. The data key that the record
// names stays: whose it is was not decided, and it may be that of a living member.
func (m *Machine) setAside(t *tx.Tx, r *domain.Record) error {
	if known, err := m.activities.Repeated(t, r); known || err != nil {
		return err
	}
	if l, is := r.Command.(*domain.Lend); is {
		m.merger.SetAside(t, r, l)
	}
	if r.Command == nil {
		activity.Refuse(t, r, domain.Poison, "set aside")
		return nil
	}
	t.Complete(r, activity.Refusal(domain.Poison)) // its letter names the record itself: what it came of is no record of a log
	m.letter(t, r, domain.Poison, "set aside")
	return nil
}

// foreign makes a dead letter of a value of another program, or of a record for another partition. It
// changes nothing else, the clock and the progress of its stream neither: what a copy says is not known to
// be true here.
func (m *Machine) foreign(t *tx.Tx, r *domain.Record) {
	detail := "a record for another partition"
	if r.Kind == domain.KindForeign {
		detail = "a value of another program"
	}
	m.letter(t, r, domain.Foreign, detail)
}

// letter makes a dead letter of a record of the journal that is not applied. It names the record's place.
func (m *Machine) letter(t *tx.Tx, r *domain.Record, reason domain.Reason, detail string) {
	t.Dead(&domain.DeadLetter{
		Origin: domain.Origin{
			Topic: m.State.Shard.Journal, Partition: int32(m.State.ID), Epoch: r.Epoch, Offset: r.Offset,
		},
		Account: r.Account, Reason: reason, At: r.Time,
		Detail: fmt.Sprintf("%s, in partition %d of the journal at offset %d", detail, m.State.ID, r.Offset),
	})
}
