package accounts

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Cold is a brand whose rows are on disk only.
type Cold struct {
	Account domain.AccountID
	Dense   uint32
}

// bytesPerRow is about what a resident row takes.
const bytesPerRow = 18

// MakeRoom reports that the columns of a cold brand fit, or do once they replace those of brands not
// asked about since this one was the time before.
func (s *Accounts) MakeRoom(of Cold) bool {
	a := s.byID[of.Account]
	if a == nil {
		return false
	}
	c := a.table.Target(of.Dense)
	_, _, own := c.Brand()
	return own && c.Cold() && s.columns.makeRoom(bytesPerRow*c.Rows(), a.access.Of(of.Dense).Before)
}

// Reload is the columns of a cold brand as they are read again, from a view of the last
// commit.
type Reload struct {
	of    Cold
	brand domain.BrandID
	rows  *rows.Reload
}

// Reload begins to warm a brand; nil: it is not cold, or being read.
func (s *Accounts) Reload(of Cold) *Reload {
	a := s.byID[of.Account]
	r := a.table.Reload(of.Dense)
	if r == nil {
		return nil
	}
	_, id, _ := a.table.Target(of.Dense).Brand()
	return &Reload{of, id, r}
}

// Read reads the rows of the view, on any goroutine.
func (r *Reload) Read(from view.Snapshot) error {
	return from.Rows(r.of.Account, r.brand, domain.Range{To: 1<<32 - 1}, func(rows []domain.Row) error {
		r.rows.Add(rows)
		return nil
	})
}

// Restore puts in a brand that was read; an error: it stays cold.
func (s *Accounts) Restore(r *Reload, err error) {
	a := s.byID[r.of.Account]
	switch {
	case a == nil:
	case err != nil:
		a.table.Abandon(r.rows)
		s.touch(r.of.Account, a) // the brand can be read again after the next commit
	case a.table.Restore(r.rows):
		s.touch(r.of.Account, a)
	}
}

// Fit evicts what was least lately asked about until the columns fit.
func (s *Accounts) Fit() { s.columns.fit() }
