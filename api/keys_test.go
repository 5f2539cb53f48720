package api

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/personal"
)

// partOf is a member's personal part after a command's, for the fake engine.
func partOf(p *domain.PersonalPut) domain.PersonalPart {
	return domain.PersonalPart{Sealed: p.Sealed, Version: p.Base + 1, Has: p.Has, Born: p.Born}
}

// personalOf is what a command seals.
func (h *fixture) personalOf(put *domain.PersonalPut) *domain.Personal {
	h.t.Helper()
	p := new(domain.Personal)
	h.openSealed(&put.Sealed, seal.Personal, p)
	return p
}

// detailsOf are the details of a visit, opened.
func (h *fixture) detailsOf(v *domain.Visit) domain.VisitDetails {
	h.t.Helper()
	var d domain.VisitDetails
	h.openSealed(&v.Details, seal.Visit, &d)
	return d
}

// openSealed opens a value of account 1.
func (h *fixture) openSealed(s *domain.Sealed, of seal.Purpose, into any) {
	h.t.Helper()
	keys, err := h.config.Keys.Get(context.Background(), nil, []domain.KeyID{s.Key})
	if err != nil {
		h.t.Fatal(err)
	}
	plain, err := keys[0].Open(nil, seal.Scope{Account: 1, Purpose: of}, []byte(s.Data))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := codec.Decode(plain, into); err != nil {
		h.t.Fatal(err)
	}
}

// visits has the engine show visits with these details, on the list of segment 1.
func (h *fixture) visits(device domain.Device, d domain.VisitDetails) {
	h.t.Helper()
	key := seal.DataKeyOf([16 + seal.KeyBytes]byte{9})
	if err := h.config.Keys.Put(context.Background(), []seal.DataKey{key}); err != nil {
		h.t.Fatal(err)
	}
	sealed, err := personal.NewSealer(h.config.Keys, 0, h.config.Logger).PutVisit(context.Background(), 1, nil, &domain.PersonalPut{Sealed: domain.Sealed{Key: key.ID}}, &d)
	if err != nil {
		h.t.Fatal(err)
	}
	h.engine.visited = (&domain.Visit{Device: device, Details: sealed}).Content(0, 1)
}
