package records

import (
	"fmt"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// VisitPlaces calls f with every place of visits, by account and number. Those of an account count from 0
// by one.
func (s Set) VisitPlaces(f func(domain.NumberedPlace)) error {
	var account domain.AccountID
	next := uint32(0)
	return s.all(format.FamilyVisitPlace, func(k, v []byte) error {
		p, err := format.DecodeVisitPlace(k, v)
		if err != nil {
			return err
		}
		if p.Account != account {
			account, next = p.Account, 0
		}
		if p.Number != next {
			return fmt.Errorf("storage: account %d has no place %d of visits, and %d: %w",
				account, next, p.Number, format.ErrDamaged)
		}
		next++
		f(p)
		return nil
	})
}

// Places finds the places of visits for the facts of visits: those that are stored, of which it keeps a few
// that were looked for last, and those of an open batch.
type Places struct {
	stored Set
	staged map[numberOfPlace]domain.VisitPlace
	recent [64]domain.NumberedPlace // by number; without a text: none
}

type numberOfPlace struct {
	account domain.AccountID
	number  uint32
}

// Places finds those of the shard.
func (s Set) Places() *Places {
	return &Places{stored: s, staged: map[numberOfPlace]domain.VisitPlace{}}
}

// Put has a place found before it is stored. Its texts stay the caller's.
func (p *Places) Put(n *domain.NumberedPlace) {
	p.staged[numberOfPlace{n.Account, n.Number}] = domain.VisitPlace{
		Domain: strings.Clone(n.Domain), Page: strings.Clone(n.Page),
	}
}

// Stored says that what was put is stored.
func (p *Places) Stored() { clear(p.staged) }

// at is the place with a number.
func (p *Places) at(account domain.AccountID, number uint32) (at domain.VisitPlace, found bool, err error) {
	if at, found = p.staged[numberOfPlace{account, number}]; found {
		return at, true, nil
	}
	last := &p.recent[number%uint32(len(p.recent))]
	if last.Account == account && last.Number == number && !last.IsZero() {
		return last.VisitPlace, true, nil
	}
	k := format.AppendVisitPlaceKey(nil, p.stored.shard, account, number)
	found, err = scan.Get(p.stored.db, k, func(v []byte) (err error) {
		*last, err = format.DecodeVisitPlace(k, v)
		return err
	})
	return last.VisitPlace, found, err
}

// Hash is the fact of an action or of a visit. Of a shadow it is the same whichever of its lender's
// it is.
func (p *Places) Hash(a *format.Action, id domain.MemberID) (format.StateHash, error) {
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
	at, found, err := p.at(a.Account, number)
	if err == nil && !found {
		err = fmt.Errorf("storage: row %d was made at place %d, which is not there", a.Seq, number)
	}
	if err != nil {
		return format.StateHash{}, err
	}
	return format.HashVisit(a, id, at), nil
}
