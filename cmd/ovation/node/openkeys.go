package node

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	keystore "github.com/ovation-analytics/ovation/storage/keys"

	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/actors/keys"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// openKeys opens the data keys: after the catalog, which has the slot keys.
func (n *Node) openKeys(ctx context.Context) error {
	dir := filepath.Join(n.Config.Data, config.KeysDir)
	embedded := len(n.Config.Kafka) == 0
	if embedded && n.Actors.Catalog().SlotKeys() != nil {
		there, err := keystore.Exists(nil, dir)
		if err != nil {
			return err
		}
		if !there {
			return fmt.Errorf("%s is missing: without the data keys in it no personal value can be read; "+
				"put it back from a backup", dir)
		}
	}
	s, err := keystore.Open(dir, keystore.Options{Logger: n.Log, Copy: !embedded, CacheBytes: n.Budget.Keys.Cache})
	if err != nil {
		return fmt.Errorf("the data keys: %w", ExplainLocked(err))
	}
	n.Stores.Keys.Store = s
	n.OnClose(s.Close)
	if !embedded {
		if err := n.followKeys(ctx); err != nil {
			return fmt.Errorf("the data keys: %w", err)
		}
	}
	return n.KeepKeys(ctx)
}

// followKeys copies the topic of data keys, and goes on with it.
func (n *Node) followKeys(ctx context.Context) error {
	k := &n.Stores.Keys
	l, err := ingest.OpenKeyLog(ctx, n.Logs.Client, n.Config.TopicPrefix+kafka.Keys)
	if err != nil {
		return err
	}
	k.replica, err = keys.OpenReplica(ctx, keys.ReplicaOptions{
		Log: l, Copy: k.Store, Logger: n.Log, Now: time.Now,
		Waiting: func(err error) { n.ports.gate.Wait(fmt.Errorf("the data keys cannot be read yet: %w", err)) },
	})
	if err != nil {
		return err
	}
	n.OnClose(k.replica.Close)
	return nil
}

// KeepKeys settles the slot keys and opens what gives data keys.
func (n *Node) KeepKeys(ctx context.Context) error {
	k := &n.Stores.Keys
	slots, err := SettleSlotKeys(ctx, n.Actors, n.Secrets.Masters, n.Log)
	if errors.Is(err, seal.ErrNoMaster) || errors.Is(err, seal.ErrSealed) {
		return &secrets.OtherError{Path: n.Config.SecretsFile(), Err: err}
	}
	if err != nil {
		return err
	}
	var source keys.Source = k.Store
	if k.replica != nil {
		source = k.replica
	}
	k.Keeper = keys.New(keys.Options{Source: source, Slots: slots, CacheBytes: n.Budget.Keys.Opened})
	if k.replica != nil {
		k.replica.OnDelete(k.Keeper.Forget)
	}
	return nil
}
