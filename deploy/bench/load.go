package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ovation-analytics/ovation/deploy/bench/load"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/harness"
	apache "github.com/ovation-analytics/ovation/deploy/kafka"
)

// measureLoad puts a steady load on a node with the wanted log.
func (b *bench) measureLoad(ctx context.Context) error {
	if b.o.steady.log == logEmbedded {
		return b.steadyLoad(ctx, b.node("steady"), 0)
	}
	progress("starting Apache Kafka")
	// as installed, not for a quick start
	broker, err := apache.Start(filepath.Join(b.dir, "kafka"), "-XX:+TieredCompilation")
	if err != nil {
		return err
	}
	pid, err := broker.Pid()
	if err == nil {
		n := b.node("steady", "--kafka", broker.Addr)
		n.LogData = broker.Data()
		err = b.steadyLoad(ctx, n, pid)
	}
	return errors.Join(err, broker.Close())
}

func (b *bench) steadyLoad(ctx context.Context, n *harness.Node, broker int) error {
	defer n.Kill()
	m := population.NewMix(b.o.members, b.o.brands, 1)
	load.Prepare(m)
	p, err := b.enter(ctx, n, m.Population)
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := warmUp(ctx, p, m); err != nil {
		return err
	}
	o := &b.o.steady
	result, cpu, err := load.Run(ctx, p, m, load.Options{
		Rate: o.rate, Questions: o.questions, Warm: o.warm, Span: o.span, Shards: b.o.shards, Broker: broker,
		Progress: progress,
	})
	if err != nil {
		return fmt.Errorf("load on the %s log: %w", o.log, err)
	}
	result.Log = o.log
	b.report.Loads = append(b.report.Loads, *result)
	if b.o.profiles != "" && cpu != nil {
		return saveProfiles(ctx, n, filepath.Join(b.o.profiles, "steady-"+o.log), cpu)
	}
	return nil
}
