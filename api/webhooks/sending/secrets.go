package sending

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// Secrets seals and opens the secrets of webhooks, under the keys of the installation. Any goroutine may call it.
type Secrets struct{ keys *seal.SlotKeys }

// NewSecrets makes Secrets.
func NewSecrets(keys *seal.SlotKeys) *Secrets { return &Secrets{keys} }

// Seal is a secret as the catalog keeps it.
func (s *Secrets) Seal(account domain.AccountID, secret signature.Secret) []byte {
	return s.keys.Secrets(account).Seal(nil, seal.Scope{Account: account, Purpose: seal.Secret}, secret[:])
}

// Open is a secret of the catalog.
func (s *Secrets) Open(account domain.AccountID, sealed []byte) (secret signature.Secret, err error) {
	plain, err := s.keys.Secrets(account).Open(nil, seal.Scope{Account: account, Purpose: seal.Secret}, sealed)
	if err == nil && copy(secret[:], plain) != len(plain) {
		err = seal.ErrSealed
	}
	return secret, err
}

// Signing are the secrets that sign the messages of a webhook at a moment: two during a rotation, the newer one first.
func (s *Secrets) Signing(w *domain.Webhook, at time.Time) ([]signature.Secret, error) {
	newest, err := s.Open(w.Account, w.Secret)
	if err != nil || w.Former == nil || at.UnixMilli() >= w.Until {
		return []signature.Secret{newest}, err
	}
	former, err := s.Open(w.Account, w.Former)
	return []signature.Secret{newest, former}, err
}

// Of are the secrets of a webhook for its Sender.
func (s *Secrets) Of(w *domain.Webhook) delivery.Secrets {
	return func(_ context.Context, at time.Time) ([]signature.Secret, error) { return s.Signing(w, at) }
}
