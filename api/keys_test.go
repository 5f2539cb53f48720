package api

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// partOf is a member's personal part after a command's, for the fake engine.
func partOf(p *domain.PersonalPut) domain.PersonalPart {
	return domain.PersonalPart{Sealed: p.Sealed, Version: p.Base + 1, Has: p.Has, Born: p.Born}
}

// personalOf is what a command seals.
func (h *fixture) personalOf(put *domain.PersonalPut) *domain.Personal {
	h.t.Helper()
	keys, err := h.config.Keys.Get(context.Background(), nil, []domain.KeyID{put.Key})
	if err != nil {
		h.t.Fatal(err)
	}
	plain, err := keys[0].Open(nil, seal.Scope{Account: 1, Purpose: seal.Personal}, []byte(put.Data))
	if err != nil {
		h.t.Fatal(err)
	}
	var p domain.Personal
	if err := codec.Decode(plain, &p); err != nil {
		h.t.Fatal(err)
	}
	return &p
}
