package main

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/systemd"
)

// Serve runs a node.
type Serve struct {
	Config config.Config `embed:""`
}

// Run serves until ctx ends, then drains. It tells systemd how the node is.
func (s *Serve) Run(ctx context.Context) error {
	var opened atomic.Pointer[node.Node]
	ready := func() error {
		if p := opened.Load(); p != nil {
			return p.Management().Ready()
		}
		return errors.New("the node is starting")
	}
	log := s.Config.Logger()
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		systemd.FromEnvironment(log).Follow(ctx, ended, ready, s.Config.PublicPort.Drain+node.StopTime)
	}()
	err := s.serve(ctx, log, &opened)
	close(ended)
	<-told
	return err
}

func (s *Serve) serve(ctx context.Context, log *slog.Logger, opened *atomic.Pointer[node.Node]) error {
	p, err := node.Open(ctx, s.Config, log)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		log.Info("stopped before it was open")
		return nil
	}
	if err != nil {
		return err
	}
	opened.Store(p)
	log.Info("serving", "http", p.HTTPAddr(), "admin", p.AdminAddr(), "kafka", p.Logs.Brokers[0],
		"shards", p.Logs.Topics.Journal.Partitions(), "replication", p.Logs.Topics.Replication)
	err = errors.Join(p.Run(ctx), p.Close())
	if err == nil {
		log.Info("stopped")
	}
	return err
}
