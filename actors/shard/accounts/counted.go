package accounts

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Counting is as whose the rows of the account's ordinals count.
func (a *Account) Counting() *rows.Counting { return a.table.Counting() }

// Counts reports that a row counts, be it as another member's.
func (s *Accounts) Counts(r *domain.Row) bool {
	row := *r
	return s.Of(r.Account).Counting().Holds(&row)
}
