package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/actors/keys"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

var _ port.DataKeys = (*keys.Keeper)(nil) // as the API needs it

// DataKeys are the node's data keys.
type DataKeys struct {
	Store   *keystore.Store
	replica *keys.Replica
	Keeper  *keys.Keeper
	Slots   *seal.SlotKeys // of the installation
}

// Delete deletes keys; no shard runs before the keeper is there.
func (k *DataKeys) Delete(ctx context.Context, ids []domain.KeyID) error {
	return k.Keeper.Delete(ctx, ids)
}

// SettleSlotKeys gives the installation's slot keys. The first node makes them; where a newer
// master key is in the secrets, they are wrapped again.
func SettleSlotKeys(ctx context.Context, n *actors.Node, ring seal.Ring, log *slog.Logger) (*seal.SlotKeys, error) {
	for {
		stored := n.Catalog().SlotKeys()
		if stored == nil {
			var random [seal.SlotKeyBytes]byte
			_, _ = rand.Read(random[:]) // never fails: it ends the program instead
			if err := putSlotKeys(ctx, n, ring.Wrap(seal.SlotKeysOf(&random), nil, time.Now().UnixMilli())); err != nil {
				return nil, fmt.Errorf("the slot keys cannot be written: %w", err)
			}
			continue // they are those of the catalog, whichever node was first
		}
		slots, err := ring.Unwrap(stored)
		switch {
		case errors.Is(err, seal.ErrNoMaster):
			return nil, fmt.Errorf("%w: put that key back into the secrets, among masters or in %s", err, secrets.MasterKeys)
		case err != nil:
			return nil, fmt.Errorf("the slot keys cannot be opened under the master key %s, which is not the one of that name: %w",
				stored.Master, err)
		case stored.Master == ring[0].ID:
			return slots, nil
		}
		if err := putSlotKeys(ctx, n, ring.Wrap(slots, stored, time.Now().UnixMilli())); err != nil {
			log.Warn("the slot keys are still wrapped under an older master key; the next start tries again",
				"master", stored.Master.String(), "newest", ring[0].ID.String(), "err", err)
			return slots, nil
		}
		if now := n.Catalog().SlotKeys(); now.Master == ring[0].ID {
			log.Info("the slot keys are wrapped under the newest master key", "master", now.Master.String())
		}
	}
}

// startWaits is how long a start waits for a command of its own while no broker takes it.
const startWaits = time.Minute

// insist does what a start submits again, while no broker takes it: one may be away for a moment.
func insist(ctx context.Context, do func() error) error {
	for until := time.Now().Add(startWaits); ; {
		err := do()
		if domain.CodeOf(err) != domain.Unavailable || time.Now().After(until) {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return err
		}
	}
}

// submit submits a command of a start, as one request however often.
func submit(ctx context.Context, n *actors.Node, c domain.Command) (out domain.Outcome, err error) {
	s := domain.Submission{Command: c}
	_, _ = rand.Read(s.Request[:]) // never fails
	err = insist(ctx, func() error {
		out, err = n.Submit(ctx, s)
		return err
	})
	return out, err
}

// putSlotKeys appends slot keys. That another node was faster is no error.
func putSlotKeys(ctx context.Context, n *actors.Node, in domain.SlotKeys) error {
	out, err := submit(ctx, n, &domain.PutSlotKeys{Keys: in})
	if err != nil {
		return err
	}
	if out.Code == domain.Conflict {
		return nil
	}
	return out.Err()
}
