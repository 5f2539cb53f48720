package keystest

import (
	"context"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// Keys keeps data keys. The zero value has none. Any goroutine may call it.
type Keys struct {
	mu     sync.Mutex
	keys   map[domain.KeyID]seal.Cipher
	forget []func([]domain.KeyID)
	Err    error // what every call fails with
	broken map[domain.KeyID]bool
}

// Put keeps new keys.
func (k *Keys) Put(_ context.Context, keys []seal.DataKey) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		k.keys = map[domain.KeyID]seal.Cipher{}
	}
	for i := range keys {
		k.keys[keys[i].ID] = keys[i].Key.Cipher()
	}
	return k.Err
}

// Get appends the key of each id, zero where there is none.
func (k *Keys) Get(_ context.Context, dst []seal.Cipher, ids []domain.KeyID) ([]seal.Cipher, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	from := len(dst)
	for _, id := range ids {
		if k.broken[id] {
			return dst[:from], &domain.Error{Code: domain.Unavailable, Message: "a data key is damaged", Err: seal.ErrSealed}
		}
		dst = append(dst, k.keys[id])
	}
	return dst, k.Err
}

// Damage has a key be one that cannot be unwrapped, as every answer with it says.
func (k *Keys) Damage(id domain.KeyID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken == nil {
		k.broken = map[domain.KeyID]bool{}
	}
	k.broken[id] = true
}

// OnForget calls f with what is deleted.
func (k *Keys) OnForget(f func([]domain.KeyID)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget = append(k.forget, f)
}

// Delete deletes keys.
func (k *Keys) Delete(ids ...domain.KeyID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		delete(k.keys, id)
	}
	for _, f := range k.forget {
		f(ids)
	}
}
