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
	s, err := keystore.Open(filepath.Join(n.Config.Data, config.KeysDir), keystore.Options{Logger: n.Log, CacheBytes: n.Budget.Keys.Cache})
	if err != nil {
		return fmt.Errorf("the data keys: %w", ExplainLocked(err))
	}
	n.Stores.Keys.Store = s
	n.OnClose(s.Close)
	return n.FollowKeys(ctx)
}

// FollowKeys copies the topic of data keys into their store, goes on with it, settles the slot keys and opens what
// gives data keys.
func (n *Node) FollowKeys(ctx context.Context) error {
	k := &n.Stores.Keys
	slots, err := SettleSlotKeys(ctx, n.Actors, n.Secrets.Masters, n.Log)
	if errors.Is(err, seal.ErrNoMaster) || errors.Is(err, seal.ErrSealed) {
		return &secrets.OtherError{Path: n.Config.SecretsFile(), Err: err}
	}
	if err != nil {
		return err
	}
	l, err := ingest.OpenKeyLog(ctx, n.Logs.Client, n.Config.TopicPrefix+kafka.Keys)
	if err != nil {
		return fmt.Errorf("the data keys: %w", err)
	}
	k.replica, err = keys.OpenReplica(ctx, keys.ReplicaOptions{
		Log: l, Copy: k.Store, Logger: n.Log, Now: time.Now, WhileReached: n.Logs.Client.WhileReached,
		Waiting: func(err error) { n.ports.gate.Wait(fmt.Errorf("the data keys cannot be read yet: %w", err)) },
	})
	if err != nil {
		return fmt.Errorf("the data keys: %w", err)
	}
	n.OnClose(k.replica.Close)
	k.Slots = slots
	k.Keeper = keys.New(keys.Options{Source: k.replica, Slots: slots, CacheBytes: n.Budget.Keys.Opened})
	k.replica.OnDelete(k.Keeper.Forget)
	return nil
}
