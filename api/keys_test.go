package api

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// fakeKeys keeps data keys for a test.
type fakeKeys struct {
	mu   sync.Mutex
	keys map[domain.KeyID]seal.DataKey
	fail error // of every call
}

func (f *fakeKeys) New(_ context.Context, n int) ([]seal.DataKey, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys == nil {
		f.keys = map[domain.KeyID]seal.DataKey{}
	}
	out := make([]seal.DataKey, n)
	for i := range out {
		var random [16 + seal.KeyBytes]byte
		_, _ = rand.Read(random[:]) // never fails
		out[i] = seal.DataKeyOf(random)
		f.keys[out[i].ID] = out[i]
	}
	return out, f.fail
}

func (f *fakeKeys) Get(_ context.Context, ids []domain.KeyID) ([]seal.DataKey, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]seal.DataKey, len(ids))
	for i, id := range ids {
		key, ok := f.keys[id]
		if !ok {
			return nil, errors.New("no such data key")
		}
		out[i] = key
	}
	return out, f.fail
}

// partOf is a member's personal part after a command's, for the fake engine.
func partOf(p *domain.PersonalPut) domain.PersonalPart {
	return domain.PersonalPart{Sealed: p.Sealed, Version: p.Base + 1, Has: p.Has, Born: p.Born}
}

// personalOf is what a command seals.
func (h *fixture) personalOf(put *domain.PersonalPut) *domain.Personal {
	h.t.Helper()
	keys, err := h.config.Keys.Get(context.Background(), []domain.KeyID{put.Key})
	if err != nil {
		h.t.Fatal(err)
	}
	plain, err := keys[0].Key.Open(nil, seal.Scope{Account: 1, Purpose: seal.Personal}, []byte(put.Data))
	if err != nil {
		h.t.Fatal(err)
	}
	var p domain.Personal
	if err := codec.Decode(plain, &p); err != nil {
		h.t.Fatal(err)
	}
	return &p
}
