package main

import (
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
)

// Serve runs a node.
type Serve struct {
	Config config.Config `embed:""`
}

// Run serves until ctx ends, then drains.
func (s *Serve) Run(ctx context.Context) error {
	log := s.Config.Logger()
	p, err := node.Open(ctx, s.Config, log)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		log.Info("stopped before it was open")
		return nil
	}
	if err != nil {
		return err
	}
	log.Info("serving", "http", p.HTTPAddr(), "admin", p.AdminAddr(), "kafka", p.Logs.Brokers[0],
		"shards", p.Logs.Topics.Journal.Partitions(), "replication", p.Logs.Topics.Replication)
	err = errors.Join(p.Run(ctx), p.Close())
	if err == nil {
		log.Info("stopped")
	}
	return err
}
