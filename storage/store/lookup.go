package store

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/records"
	"github.com/ovation-analytics/ovation/storage/timeline"
)

// lookup finds rows of members, dead ones and staged ones too.
type lookup struct {
	line    *timeline.Timeline
	members *records.Roster
	ready   func() error // nil, or why nothing can be read
}

// Seen finds the member's row with that hash in the first of the months that has one, dead
// ones and staged ones too. It is exact.
func (l *lookup) Seen(
	account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64,
) (domain.Row, bool, error) {
	if err := l.ready(); err != nil {
		return domain.Row{}, false, err
	}
	a, found, err := l.line.Seen(account, ord, months, hash)
	return l.row(account, ord, &a, found, err)
}

// At is the member's row with that time and sequence, a dead one and a staged one too.
func (l *lookup) At(
	account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64,
) (domain.Row, bool, error) {
	if err := l.ready(); err != nil {
		return domain.Row{}, false, err
	}
	a, _, found, err := l.line.At(account, ord, time, seq)
	return l.row(account, ord, &a, found, err)
}

// Named are the member's rows with that time and hash, in order of sequence, dead ones and staged ones
// too.
func (l *lookup) Named(
	account domain.AccountID, ord domain.Ordinal, time domain.Second, hash uint64,
) ([]domain.Row, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	found, err := l.line.Named(account, ord, time, hash)
	if err != nil {
		return nil, err
	}
	id, _ := l.members.Get(account, ord)
	rows := make([]domain.Row, len(found))
	for i := range found {
		rows[i] = found[i].Row(id.Slot())
	}
	return rows, nil
}

// Action finds the member's row with that sequence, dead ones and staged ones too.
func (l *lookup) Action(account domain.AccountID, ord domain.Ordinal, seq uint64) (domain.Row, bool, error) {
	if err := l.ready(); err != nil {
		return domain.Row{}, false, err
	}
	a, found, err := l.line.BySequence(account, ord, seq)
	return l.row(account, ord, &a, found, err)
}

// row is an action, if there is one, as a row of its member.
func (l *lookup) row(
	account domain.AccountID, ord domain.Ordinal, a *format.Action, found bool, err error,
) (domain.Row, bool, error) {
	if !found || err != nil {
		return domain.Row{}, false, err
	}
	id, _ := l.members.Get(account, ord)
	return a.Row(id.Slot()), true, nil
}
