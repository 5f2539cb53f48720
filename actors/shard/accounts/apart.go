package accounts

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Rows apart are those of members of the shard that count nowhere here: of a member who is merged into another one, and
// of one-time actions that another one covers. A stream shows each action where it was recorded, so it reads them beside
// the rows that count. They have a table of their own, which no other question reads. It is there once such a row is.
// Its columns are evicted with the others, and are not read again: a stream reads those rows from disk.
//
// A living row of an activity is in one of the two tables, or is the copy of another shard's row.

// apartFrom reports that a row that does not count is one of those apart: no visit, and no copy.
func (a *Account) apartFrom(r *domain.Row) bool {
	return !r.Flags.Dead() && !r.IsVisit() && !a.Audience.ID(r.Ord).IsShadow()
}

// apartTable is the table of the rows apart.
func (a *Account) apartTable() *rows.Table {
	if a.apart == nil {
		a.apart = rows.NewTable(rows.Options{})
	}
	return a.apart
}

// addApart adds a new row that does not count.
func (s *Accounts) addApart(a *Account, r *domain.Row) error {
	return s.changeApart(a, r, func(t *rows.Table, dense uint32) { t.Append(dense, []domain.Row{*r}) })
}

// removeApart takes out a row that does not count.
func (s *Accounts) removeApart(a *Account, r *domain.Row) error {
	return s.changeApart(a, r, func(t *rows.Table, dense uint32) {
		t.Remove(dense, r)
		s.views.Versions.SetRecord(a.Audience.ID(r.Ord), s.views.Version) // its content is shown no more
	})
}

// returnApart adds a stored row that does not count any more.
func (s *Accounts) returnApart(a *Account, r *domain.Row) error {
	return s.changeApart(a, r, func(t *rows.Table, dense uint32) { t.Target(dense).Return(dense, []domain.Row{*r}) })
}

// changeApart changes the rows apart by one row, if it is one of them.
func (s *Accounts) changeApart(a *Account, r *domain.Row, f func(t *rows.Table, dense uint32)) error {
	if !a.apartFrom(r) {
		return nil
	}
	dense, err := s.dense(r.Brand)
	if err != nil {
		return err
	}
	f(a.apartTable(), dense)
	a.versions.SetRows(dense, s.views.Version)
	s.touch(r.Account, a)
	return nil
}

// loadApart loads those of stored rows of a brand that are apart.
func (a *Account) loadApart(dense uint32, stored []domain.Row) {
	var some []domain.Row
	for _, r := range stored {
		if was := r; !a.Counting().Holds(&was) && a.apartFrom(&r) {
			some = append(some, r)
		}
	}
	if len(some) > 0 {
		a.apartTable().Load(dense, some)
	}
}

// tables calls f with those of the account's rows.
func (a *Account) tables(f func(*rows.Table)) {
	f(a.table)
	if a.apart != nil {
		f(a.apart)
	}
}

// commitApart publishes the rows apart; nil: there never were any.
func (a *Account) commitApart() *rows.View {
	if a.apart == nil {
		return nil
	}
	return a.apart.Commit(nil)
}
