package accounts

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Store is the shard's store, as far as what is kept in memory is read from it at a start.
type Store interface {
	// Bits calls f with the ordinals of each attribute's value.
	Bits(f func(account domain.AccountID, attribute domain.Attribute, value string, ords []domain.Ordinal)) error
	// Columns calls f with stretches of each column, from ordinal first on.
	Columns(f func(account domain.AccountID, attribute domain.Attribute, first domain.Ordinal, values []uint16)) error
	// VisitPlaces calls f with every place of visits, by account and number.
	VisitPlaces(f func(domain.NumberedPlace)) error
	// LastNotices calls f with the sequence of the last notice of each account that has one.
	LastNotices(f func(account domain.AccountID, sequence uint64)) error
	// Rows calls f with the living rows of each stored value, Hash, Slot and Flags
	// not set, in order of (time, sequence) within a call; an error of f ends the reading
	// and is given back.
	Rows(f func(account domain.AccountID, brand domain.BrandID, rows []domain.Row) error) error
}

// loadStep is how many rows are read at a start between looks at the budget.
const loadStep = 1 << 18

// LoadRows reads the rows of members that were added, until stopped gives an error. As whose they
// count is known.
func (s *Accounts) LoadRows(store Store, stopped func() error) error {
	err := store.VisitPlaces(func(p domain.NumberedPlace) { s.Of(p.Account).Places.add(p.VisitPlace) })
	if err != nil {
		return err
	}
	if err := store.LastNotices(func(id domain.AccountID, sequence uint64) { s.Of(id).noticed = sequence }); err != nil {
		return err
	}
	loaded := 0
	err = store.Rows(func(id domain.AccountID, brand domain.BrandID, stored []domain.Row) error {
		dense, err := s.dense(brand)
		if err != nil {
			return err
		}
		a := s.Of(id)
		a.loadApart(dense, stored) // before those that count are put in, which changes stored
		a.table.Load(dense, stored)
		if loaded += len(stored); loaded >= loadStep {
			loaded = 0
			s.Fit()
		}
		return stopped()
	})
	if err != nil {
		return err
	}
	for id, a := range s.byID {
		a.tables((*rows.Table).Settle)
		a.rowless = a.Audience.Members()
		s.touch(id, a)
	}
	s.Fit()
	return nil
}

// LoadAttributes reads the attributes of members that were added, and calls f with those who lend.
func (s *Accounts) LoadAttributes(store Store, f func(domain.AccountID, domain.Ordinal)) error {
	err := store.Bits(func(id domain.AccountID, attribute domain.Attribute, value string, ords []domain.Ordinal) {
		a := s.Of(id)
		for _, o := range ords {
			if attribute == domain.AttrLent {
				f(id, o)
				continue
			}
			a.Audience.Put(&domain.Bit{Account: id, Ord: o, Attribute: attribute, Value: value, On: true})
		}
	})
	if err != nil {
		return err
	}
	return store.Columns(func(id domain.AccountID, attribute domain.Attribute, first domain.Ordinal, values []uint16) {
		a := s.Of(id)
		for i, v := range values {
			a.Audience.PutColumn(&domain.Column{Account: id, Ord: first + domain.Ordinal(i), Attribute: attribute, Value: v})
		}
	})
}
