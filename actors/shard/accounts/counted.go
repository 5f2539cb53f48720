package accounts

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Counting is as whose the rows of the account's ordinals count.
func (a *Account) Counting() *rows.Counting { return a.table.Counting() }

// Counts reports that a row counts, be it as another member's.
func (s *Accounts) Counts(r *domain.Row) bool {
	row := *r
	return s.Of(r.Account).Counting().Holds(&row)
}

// countRows has the rows of an ordinal count as a change says.
func (s *Accounts) countRows(c *domain.CountedAs) error {
	a := s.Of(c.Account)
	for i := range c.Rows {
		if err := s.removeRow(&c.Rows[i]); err != nil {
			return err
		}
	}
	s.flushRows(a)
	a.Counting().Set(c.Ord, rows.Counted{As: c.As, Hidden: c.Hidden, Covered: c.Covered})
	s.touch(c.Account, a)
	byBrand := map[domain.BrandID][]domain.Row{}
	var brands []domain.BrandID
	for _, r := range c.Rows {
		if r.Flags.Dead() || !a.Counting().Holds(&r) {
			continue
		}
		if byBrand[r.Brand] == nil {
			brands = append(brands, r.Brand)
		}
		byBrand[r.Brand] = append(byBrand[r.Brand], r)
	}
	for _, id := range brands {
		dense, err := s.dense(id)
		if err != nil {
			return err
		}
		k := s.brandOf(a, dense)
		k.child.Do(&children.Do{F: func() { k.columns.Return(dense, byBrand[id]) }})
		a.versions.SetRows(dense, s.views.Version)
	}
	return nil
}
