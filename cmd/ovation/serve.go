package main

import (
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// Serve runs a node.
type Serve struct{ config.Config }

// Run serves until ctx ends, then drains.
func (s *Serve) Run(ctx context.Context) error {
	log := s.Logger()
	p, err := newProgram(ctx, s.Config, log)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		log.Info("stopped before it was open")
		return nil
	}
	if err != nil {
		return err
	}
	log.Info("serving", "http", p.public.Addr().String(), "admin", p.admin.Addr().String(), "kafka", p.brokers[0],
		"shards", p.topics.journal.Partitions(), "replication", p.topics.replication)
	err = errors.Join(p.Run(ctx), p.Close())
	if err == nil {
		log.Info("stopped")
	}
	return err
}
