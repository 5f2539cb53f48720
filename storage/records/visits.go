package records

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// VisitPlaces calls f with every place of visits, by account and number.
func (s Set) VisitPlaces(f func(domain.NumberedPlace)) error {
	return s.all(format.FamilyVisitPlace, func(k, v []byte) error {
		p, err := format.DecodeVisitPlace(k, v)
		if err == nil {
			f(p)
		}
		return err
	})
}

// Places are the places of a shard's visits, by account and number.
type Places map[domain.AccountID][]domain.VisitPlace

// LoadPlaces are those that are stored.
func (s Set) LoadPlaces() (Places, error) {
	all := Places{}
	var gap error
	err := s.VisitPlaces(func(p domain.NumberedPlace) {
		if gap == nil {
			gap = all.Put(&p)
		}
	})
	if err == nil {
		err = gap
	}
	return all, err
}

// Put adds a place. Numbers count by one.
func (p Places) Put(n *domain.NumberedPlace) error {
	of := p[n.Account]
	if int(n.Number) != len(of) {
		return fmt.Errorf("storage: place %d of the visits of account %d, which has %d", n.Number, n.Account, len(of))
	}
	p[n.Account] = append(of, n.VisitPlace)
	return nil
}

// Hash is the fact of an action or of a visit. Of a shadow it is the same whichever of its lender's
// it is.
func (p Places) Hash(a *format.Action, id domain.MemberID) (format.StateHash, error) {
	if id.IsShadow() {
		lender, _ := id.Lender()
		id = lender.Shadow(0)
	}
	if a.Brand != 0 {
		return format.HashAction(a, id), nil
	}
	_, number, placed := a.Definition.Visit()
	if !placed {
		return format.HashAction(a, id), nil
	}
	of := p[a.Account]
	if int(number) >= len(of) {
		return format.StateHash{}, fmt.Errorf("storage: row %d was made at place %d, which is not there", a.Seq, number)
	}
	return format.HashVisit(a, id, of[number]), nil
}
