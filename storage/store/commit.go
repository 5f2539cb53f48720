package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// lastSequence bounds sequences: action ids are sequence << 12 | slot.
const lastSequence = 1<<52 - 1

// Stage puts changes into the open batch. It keeps nothing of them: their strings and
// contents are the caller's again when it returns.
func (s *Shard) Stage(changes []domain.Change) error {
	if err := s.usable(); err != nil {
		return err
	}
	for i := range changes {
		if err := s.stage(&changes[i]); err != nil {
			return s.fail(fmt.Errorf("stage change %d of kind %d: %w", i, changes[i].Kind, err))
		}
	}
	return nil
}

func (s *Shard) stage(c *domain.Change) error {
	switch c.Kind {
	case domain.RowAdded:
		return s.addRow(&c.Row, c.Content)
	case domain.RowTaken:
		return s.takeRow(&c.Row)
	case domain.RowsErased:
		return s.eraseRows(c.Value.(*domain.ErasedRows))
	case domain.RowsCounted:
		return nil // of memory alone
	default:
		return s.staged.stage(c)
	}
}

// addRow stages a new action. One that is dead from the start leaves its timeline row only.
func (s *Shard) addRow(r *domain.Row, content *domain.Content) error {
	id, known := s.staged.members.Get(r.Account, r.Ord)
	if !known || r.Seq > lastSequence {
		return fmt.Errorf("row %d of account %d, ordinal %d: no such member or sequence", r.Seq, r.Account, r.Ord)
	}
	a := format.Action{
		Hash: r.Hash, Seq: r.Seq, Time: r.Time, Account: r.Account, Ord: r.Ord, Brand: r.Brand, Definition: r.Definition,
		Points: r.Points, Month: domain.MonthOf(r.Time), Service: r.Service, Flags: r.Flags,
	}
	fact, err := s.staged.places.Hash(&a, id)
	if err != nil {
		return err
	}
	s.line.Add(a)
	s.staged.hash.Add(fact)
	if content != nil {
		s.line.SetContent(content)
	}
	s.fresh++
	return nil
}

// takeRow stages that an action counts no more; its timeline row stays, with more flags.
func (s *Shard) takeRow(r *domain.Row) error {
	id, known := s.staged.members.Get(r.Account, r.Ord)
	a, at, found, err := s.line.At(r.Account, r.Ord, r.Time, r.Seq)
	if err != nil {
		return err
	}
	if !known || !found || !r.Flags.Dead() {
		return fmt.Errorf("row %d of account %d, ordinal %d is not there to be taken with flags %d",
			r.Seq, r.Account, r.Ord, r.Flags)
	}
	before := a
	a.Flags |= r.Flags
	was, err := s.staged.places.Hash(&before, id)
	if err != nil {
		return err
	}
	is, err := s.staged.places.Hash(&a, id)
	if err != nil {
		return err
	}
	s.staged.hash.Sub(was)
	s.staged.hash.Add(is)
	if s.line.AddFlags(at, r.Flags) {
		return nil
	}
	s.line.Add(a)
	switch {
	case before.Flags.Dead():
		return nil
	case at >= 0:
		return s.rows.contents.TakeTail(s.staged.batch, r.Seq)
	}
	s.taken = append(s.taken, a)
	return nil
}

// Commit stores what is staged, together with the state and the origins that moved, in
// one batch (I3), which is durable at the latest SyncWithin from now. State's Facts are
// the store's own and ignored.
func (s *Shard) Commit(state domain.ShardState, origins []domain.Origin) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.commit(state, origins); err != nil {
		return s.fail(fmt.Errorf("storage: commit of shard %d: %w", s.id, err))
	}
	return nil
}

func (s *Shard) commit(state domain.ShardState, origins []domain.Origin) error {
	b, big := s.staged.batch, (*sealing)(nil)
	if s.line.Full() {
		big = s.store.sealings.Get().(*sealing)
		if err := big.batch.Apply(b, nil); err != nil {
			return err
		}
		b = big.batch
	}
	if err := s.rows.take(b, s.taken); err != nil {
		return err
	}
	if err := s.writeTail(b, big, state.Sequence); err != nil {
		return err
	}
	if err := s.staged.forgetRequests(b, s.state.Clock, state.Clock); err != nil {
		return err
	}
	if err := s.staged.setState(b, &state, origins); err != nil {
		return err
	}
	if err := s.store.commit(b); err != nil {
		return err
	}
	s.store.commits.Add(1)
	s.store.rows.Add(uint64(s.fresh))
	s.fresh, s.taken = 0, s.taken[:0]
	s.state = state
	if big != nil {
		s.line.Renew()
		big.batch.Reset()
		s.store.sealings.Put(big)
	} else {
		s.line.Committed()
	}
	s.tailRows.Store(int64(len(s.line.Actions())))
	s.filterBytes.Store(int64(s.line.FilterBytes()))
	s.staged.reset()
	return nil
}

// writeTail puts the rows of the open batch into the tail's keys, or a full tail where its rows
// stay.
func (s *Shard) writeTail(b *pebble.Batch, big *sealing, sequence uint64) error {
	if big == nil {
		if err := s.rows.writeContents(b, &s.line.Tail); err != nil {
			return err
		}
		return s.line.Commit(b)
	}
	if err := s.rows.seal(big, &s.line.Tail, sequence); err != nil {
		return err
	}
	return s.line.Seal(b, &big.Scratch)
}
