package accounts

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Apply applies a staged change to what is in memory.
func (s *Accounts) Apply(c *domain.Change) error {
	version, versions := s.views.Version, s.views.Versions
	switch c.Kind {
	case domain.RowAdded:
		row := c.Row
		return s.addRow(&row, c.Content)
	case domain.RowTaken:
		return s.removeRow(&c.Row)
	case domain.RowsErased:
		return s.removeRows(c.Value.(*domain.ErasedRows).Rows)
	case domain.RowsCounted:
		return s.countRows(c.Value.(*domain.CountedAs))
	case domain.BitPut:
		b := c.Value.(*domain.Bit)
		a := s.Of(b.Account)
		if b.Attribute == domain.AttrLent {
			return nil // it is for a start
		}
		a.Audience.Put(b)
		if a.lists != nil {
			a.lists.Bit(b)
		}
		a.versions.SetAttribute(b.Attribute, b.Ord >= a.rowless, version)
		s.touch(b.Account, a)
	case domain.ColumnPut:
		b := c.Value.(*domain.Column)
		a := s.Of(b.Account)
		a.Audience.PutColumn(b)
		a.versions.SetAttribute(b.Attribute, b.Ord >= a.rowless, version)
		s.touch(b.Account, a)
	case domain.MemberPut:
		versions.SetRecord(c.Value.(*domain.Member).ID, version)
	case domain.IdentityPut, domain.IdentityDrop:
		versions.SetName(c.Value.(*domain.Identity).Hash, version)
	case domain.PointerPut, domain.PointerDrop:
		versions.SetName(c.Value.(*domain.Pointer).Hash, version)
	case domain.NoticePut:
		s.notify(c.Value.(*domain.Notice))
	case domain.MembershipPut:
		m := c.Value.(*domain.Membership)
		a := s.Of(m.Account)
		s.Told(m.Account, m.Segment, m.Seq)
		a.versions.SetListed(version)
		s.touch(m.Account, a)
	case domain.FollowedPut, domain.FollowedDrop:
		id := c.Value.(*domain.FollowedList).Account
		a := s.Of(id)
		a.versions.SetListed(version)
		s.touch(id, a)
	case domain.VisitPlacePut: // the next view has it, also where the row of the visit is hidden
		id := c.Value.(*domain.NumberedPlace).Account
		s.touch(id, s.Of(id))
	case domain.OneTimePut, domain.RequestPut, domain.OutboxPut, domain.OutboxTrim, domain.UsagePut,
		domain.ParkedPut, domain.ParkedDrop, domain.ProgressPut: // no question reads them here
	}
	return nil
}

// addRow puts a row into its brand's bucket.
func (s *Accounts) addRow(r *domain.Row, content *domain.Content) error {
	a := s.Of(r.Account)
	if r.Flags.Dead() {
		return nil
	}
	if !a.Counting().Holds(r) {
		return s.addApart(a, r)
	}
	b := a.buckets[r.Brand]
	if b == nil {
		dense, err := s.dense(r.Brand)
		if err != nil {
			return err
		}
		b = &bucket{dense: dense}
		a.buckets[r.Brand] = b
	}
	if len(b.rows) == 0 {
		a.filled = append(a.filled, b)
		a.versions.SetRows(b.dense, s.views.Version)
	}
	b.rows = append(b.rows, *r)
	if a.lists != nil {
		a.lists.Added(r, recordedHere(content))
	}
	s.touch(r.Account, a)
	return nil
}

// notify notes that streams have something to tell beside actions.
func (s *Accounts) notify(n *domain.Notice) {
	a := s.Of(n.Account)
	a.noticed = n.Seq
	a.versions.SetNoticed(s.views.Version)
	s.touch(n.Account, a)
}

// removeRow takes a row out of its brand, or out of those apart.
func (s *Accounts) removeRow(r *domain.Row) error {
	a := s.Of(r.Account)
	if row := *r; !a.Counting().Holds(&row) {
		return s.removeApart(a, r)
	}
	s.flushRows(a)
	dense, err := s.dense(r.Brand)
	if err != nil {
		return err
	}
	k, row := s.brandOf(a, dense), *r
	k.child.Do(&children.Do{F: func() { k.columns.Remove(dense, &row) }})
	if a.lists != nil {
		counted := *r
		a.Counting().Holds(&counted)
		a.lists.Taken(&counted)
	}
	a.versions.SetRows(dense, s.views.Version)
	s.views.Versions.SetRecord(a.Audience.ID(r.Ord), s.views.Version) // its content is shown no more
	s.touch(r.Account, a)
	return nil
}

// removeRows is removeRow of those of the rows that live.
func (s *Accounts) removeRows(all []domain.Row) error {
	for i := range all {
		if all[i].Flags.Dead() {
			continue
		}
		if err := s.removeRow(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// countRows has the rows of an ordinal count as a change says.
func (s *Accounts) countRows(c *domain.CountedAs) error {
	a := s.Of(c.Account)
	if err := s.removeRows(c.Rows); err != nil {
		return err
	}
	s.flushRows(a)
	a.Counting().Set(c.Ord, rows.Counted{As: c.As, Hidden: c.Hidden, Covered: c.Covered})
	s.touch(c.Account, a)
	byBrand := map[domain.BrandID][]domain.Row{}
	var brands []domain.BrandID
	for _, r := range c.Rows {
		if r.Flags.Dead() {
			continue
		}
		if !a.Counting().Holds(&r) {
			if err := s.returnApart(a, &r); err != nil {
				return err
			}
			continue
		}
		if byBrand[r.Brand] == nil {
			brands = append(brands, r.Brand)
		}
		byBrand[r.Brand] = append(byBrand[r.Brand], r)
		if a.lists != nil {
			a.lists.Returned(&r)
		}
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

// dense is the brand's number in its account.
func (s *Accounts) dense(id domain.BrandID) (uint32, error) {
	if id == 0 {
		return rows.Visits, nil
	}
	dense, known := s.brands.Dense(id)
	if !known {
		return 0, &UnknownBrandError{id}
	}
	return dense, nil
}

// UnknownBrandError says that a row is of a brand that the catalog, read to its end, does not have.
type UnknownBrandError struct{ Brand domain.BrandID }

// Error names the brand.
func (e *UnknownBrandError) Error() string {
	return fmt.Sprintf("the catalog, read to its end, does not have brand %d, which the journal names", e.Brand)
}
