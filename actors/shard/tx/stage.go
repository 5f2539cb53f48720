package tx

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

// Flush puts the changes made so far, and what follows from them, into the store's open batch and into
// memory, where the commit publishes it. Who came onto lists, or left them, follows from all else.
func (t *Tx) Flush() error {
	for {
		t.sequence()
		if len(t.changes) == 0 {
			t.decideLists()
		}
		changes := t.changes
		if len(changes) == 0 {
			return nil
		}
		t.changes = nil // of what follows
		if err := t.State.stage(changes); err != nil {
			return err
		}
		if err := t.follow(t, changes); err != nil {
			return err
		}
		clear(changes)
		if t.changes == nil {
			t.changes = changes[:0]
		}
	}
}

// stage stages changes.
func (s *State) stage(changes []domain.Change) error {
	if err := s.Store.Stage(changes); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		before := counted(s.Accounts, c)
		if err := s.Accounts.Apply(c); err != nil {
			return err
		}
		switch c.Kind {
		case domain.RowAdded:
			s.Shard.Rows += before
		case domain.RowTaken, domain.RowsErased:
			s.Shard.Rows -= before
		case domain.RowsCounted:
			s.Shard.Rows += counted(s.Accounts, c) - before
		default: // no rows
		}
	}
	s.Accounts.Flush()
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
