package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/actors/keys"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

var _ port.DataKeys = (*keys.Keeper)(nil) // as the API needs it

// dataKeys are the node's data keys.
type dataKeys struct {
	store   *keystore.Store
	replica *keys.Replica // nil: the embedded log, whose keys the store has alone
	keeper  *keys.Keeper
}

// Delete deletes keys; no shard runs before the keeper is there.
func (k *dataKeys) Delete(ctx context.Context, ids []domain.KeyID) error {
	return k.keeper.Delete(ctx, ids)
}

// opening opens the data keys: after the catalog, which has the slot keys.
func (k *dataKeys) opening(p *program) func(context.Context) error {
	return func(ctx context.Context) error {
		dir := filepath.Join(p.cfg.Data, config.KeysDir)
		embedded := len(p.cfg.Kafka) == 0
		if embedded && p.node.Catalog().SlotKeys() != nil {
			there, err := keystore.Exists(nil, dir)
			if err != nil {
				return err
			}
			if !there {
				return fmt.Errorf("%s is missing: without the data keys in it no personal value can be read; "+
					"put it back from a backup", dir)
			}
		}
		s, err := keystore.Open(dir, keystore.Options{Logger: p.log, Copy: !embedded, CacheBytes: p.budget.Keys.Cache})
		if err != nil {
			return fmt.Errorf("the data keys: %w", explainLocked(err))
		}
		k.store = s
		p.onClose(s.Close)
		if !embedded {
			if err := k.follow(ctx, p); err != nil {
				return fmt.Errorf("the data keys: %w", err)
			}
		}
		return k.keep(ctx, p)
	}
}

// follow copies the topic of data keys, and goes on with it.
func (k *dataKeys) follow(ctx context.Context, p *program) error {
	l, err := ingest.OpenKeyLog(ctx, p.client, p.cfg.TopicPrefix+kafka.Keys)
	if err != nil {
		return err
	}
	k.replica, err = keys.OpenReplica(ctx, keys.ReplicaOptions{
		Log: l, Copy: k.store, Logger: p.log, Now: time.Now,
		Waiting: func(err error) { p.gate.Wait(fmt.Errorf("the data keys cannot be read yet: %w", err)) },
	})
	if err != nil {
		return err
	}
	p.onClose(k.replica.Close)
	return nil
}

// keep settles the slot keys and opens what gives data keys.
func (k *dataKeys) keep(ctx context.Context, p *program) error {
	slots, err := settleSlotKeys(ctx, p.node, p.secrets.Masters, p.log)
	if err != nil {
		return err
	}
	var source keys.Source = k.store
	if k.replica != nil {
		source = k.replica
	}
	k.keeper = keys.New(keys.Options{Source: source, Slots: slots, CacheBytes: p.budget.Keys.Opened})
	if k.replica != nil {
		k.replica.OnDelete(k.keeper.Forget)
	}
	return nil
}

// settleSlotKeys gives the installation's slot keys. The first node makes them; where a newer
// master key is in the secrets, they are wrapped anew.
func settleSlotKeys(ctx context.Context, n *actors.Node, ring seal.Ring, log *slog.Logger) (*seal.SlotKeys, error) {
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

// putSlotKeys appends slot keys. That another node was faster is no error.
func putSlotKeys(ctx context.Context, n *actors.Node, in domain.SlotKeys) error {
	s := domain.Submission{Command: &domain.PutSlotKeys{Keys: in}}
	_, _ = rand.Read(s.Request[:]) // never fails
	out, err := n.Submit(ctx, s)
	if err != nil {
		return err
	}
	if out.Code == domain.Conflict {
		return nil
	}
	return out.Err()
}
