package node

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
)

// Open opens a node: when it returns, the addresses are known, the engine
// catches up and the API does not answer yet. Meanwhile the admin port says what the node waits
// for.
func Open(ctx context.Context, cfg config.Config, log *slog.Logger) (*Node, error) {
	return OpenClaimed(ctx, cfg, log, func() error { return nil })
}

// OpenClaimed is Open, with a step before anything is written into --data.
func OpenClaimed(ctx context.Context, cfg config.Config, log *slog.Logger, claim func() error) (_ *Node, err error) {
	n := &Node{Config: cfg, Log: log, ports: servers{metrics: status.NewRegistry(), failed: make(chan error, 2)}}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
			err = errors.Join(err, n.unmake(err))
		}
	}()
	for _, step := range []func(context.Context) error{
		n.openMemory, n.probe, n.openGate, n.awaitDisk,
		func(context.Context) error { return claim() },
		n.openSecrets, n.openLog, n.openTopics, n.openStores, n.readID, n.openTracing,
		n.OpenActors, n.SettleLayout, n.openKeys, n.StartActors, n.listen, n.openAPI, n.join,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return n, nil
}
