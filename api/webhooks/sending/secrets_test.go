package sending

import (
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// A secret opens for its account alone; during a rotation two sign, the newer one first, and the former one at no
// moment after it.
func TestSecrets(t *testing.T) {
	s := NewSecrets(seal.SlotKeysOf(&[seal.SlotKeyBytes]byte{7}))
	newest, former := signature.NewSecret(), signature.NewSecret()
	w := &domain.Webhook{Account: 3, Secret: s.Seal(3, newest), Former: s.Seal(3, former), Until: 5000}
	if got, err := s.Open(3, w.Secret); err != nil || got != newest {
		t.Errorf("%v, opened another one: %t", err, got != newest)
	}
	if _, err := s.Open(4, w.Secret); err == nil {
		t.Error("it opens for another account")
	}
	for ms, want := range map[int64][]signature.Secret{4999: {newest, former}, 5000: {newest}} {
		got, err := s.Of(w)(t.Context(), time.UnixMilli(ms))
		if err != nil || len(got) != len(want) || got[0] != newest || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("at %d ms %d secrets sign, want %d: %v", ms, len(got), len(want), err)
		}
	}
	w.Secret = nil
	if _, err := s.Signing(w, time.UnixMilli(1)); err == nil {
		t.Error("a webhook without a secret signs")
	}
}
