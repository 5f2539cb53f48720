package store

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Past is all that a member did, dead and staged actions too, in order of (time, sequence).
func (s *Shard) Past(account domain.AccountID, ord domain.Ordinal) ([]domain.Row, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	id, known := s.staged.members.Get(account, ord)
	if !known {
		return nil, fmt.Errorf("storage: account %d has no member of ordinal %d", account, ord)
	}
	past, err := s.line.Past(account, ord)
	if err != nil {
		return nil, err
	}
	rows := make([]domain.Row, len(past))
	for i := range past {
		rows[i] = past[i].Row(id.Slot())
	}
	return rows, nil
}

// eraseRows stages that nothing of what a member did is left: its facts, its rows and their
// contents, its timeline and its one-time pairs.
func (s *Shard) eraseRows(e *domain.ErasedRows) error {
	id, known := s.staged.members.Get(e.Account, e.Ord)
	if !known {
		return fmt.Errorf("account %d has no member of ordinal %d to be erased", e.Account, e.Ord)
	}
	past, inTail, err := s.line.Erase(s.staged.batch, e.Account, e.Ord)
	if err != nil {
		return err
	}
	var unsealed []uint64
	for i := range past {
		a := &past[i]
		fact, err := s.staged.places.Hash(a, id)
		if err != nil {
			return err
		}
		s.staged.hash.Sub(fact)
		switch {
		case a.Flags.Dead():
		case inTail[a.Seq]:
			unsealed = append(unsealed, a.Seq)
		default:
			s.taken = append(s.taken, *a)
		}
	}
	slices.Sort(unsealed)
	if err := s.rows.contents.TakeTail(s.staged.batch, unsealed...); err != nil {
		return err
	}
	pairs := format.AppendOneTimePrefix(nil, s.id, e.Account, e.Ord)
	return s.staged.batch.DeleteRange(pairs, format.PrefixEnd(pairs), nil)
}
