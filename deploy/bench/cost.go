package main

import (
	"context"
	"path/filepath"
	"syscall"
	"time"
)

// Cost is what an activity costs from the fetch to the commit, in microseconds of CPU.
type Cost struct {
	Program   string      `json:"program,omitempty"` // of two that are compared
	Log       string      `json:"log"`               // where the embedded log is
	Node      Spread      `json:"node"`
	Broker    *Spread     `json:"broker,omitempty"` // the log's process, when it has one
	Rate      Spread      `json:"rate"`             // activities a second, by the clock
	Behind    float64     `json:"behind"`           // CPU of compaction after the last run, over all runs
	Woken     int64       `json:"woken"`            // members read from the store during the runs
	Letters   int64       `json:"letters"`
	MiB       float64     `json:"mib"`       // resident after the last run
	BatchRows float64     `json:"batchRows"` // records a commit
	Stages    []StageCost `json:"stages"`
	Samples   int64       `json:"samples"`
	Load      string      `json:"loadAverage"`
}

// The places of the embedded log.
const (
	logInside = "in the node"
	logBeside = "in a process of its own"
)

// measureCost loads a node with the log inside, then one with the log beside it.
func (b *bench) measureCost(ctx context.Context) error {
	if b.o.against != "" {
		return b.compare(ctx)
	}
	inside := b.node("inside")
	defer inside.kill()
	l, err := b.warm(ctx, inside, nil)
	if err != nil {
		return err
	}
	defer l.close()
	if b.o.wants(partCost) {
		err = b.runs(ctx, l)
	} else {
		err = l.run(ctx, b.o.load*b.o.runs)
	}
	if err == nil && b.o.wants(partDisk) {
		err = b.measureDisk(ctx, inside, l.crowd, "Zipf brands, now")
	}
	inside.stop()
	if err != nil || !b.o.wants(partCost) {
		return err
	}
	broker, addr, err := startBroker(ctx, filepath.Join(b.dir, "broker"))
	if err != nil {
		return err
	}
	defer broker.end(syscall.SIGTERM)
	beside := b.node("beside", "--kafka", addr)
	defer beside.kill()
	m, err := b.warm(ctx, beside, broker)
	if err != nil {
		return err
	}
	defer m.close()
	if err := b.runs(ctx, m); err != nil {
		return err
	}
	beside.stop()
	return nil
}

// loader is a node with a crowd in it, warmed up, and what the runs of its load cost.
type loader struct {
	*meter
	feed   *feed
	crowd  *crowd
	before status
}

func (l *loader) close() { l.feed.close() }

// run loads n activities and notes what they cost.
func (l *loader) run(ctx context.Context, n int) error { return l.meter.run(ctx, l.feed, l.crowd, n) }

// warm enters the crowd into a node and wakes everybody.
func (b *bench) warm(ctx context.Context, n *node, broker *child) (*loader, error) {
	c, err := b.enter(ctx, n, b.o)
	if err != nil {
		return nil, err
	}
	return b.wake(ctx, n, broker, c)
}

// wake lets everybody do something.
func (b *bench) wake(ctx context.Context, n *node, broker *child, c *crowd) (*loader, error) {
	f, err := newFeed(ctx, n, b.o.batch)
	if err != nil {
		return nil, err
	}
	progress("warming up: everybody does something")
	err = f.publish(ctx, len(c.fans), c.does(func(i int) act { return c.warmUp(i, time.Now()) }))
	if err == nil {
		var st status
		if st, err = f.settled(ctx); err == nil {
			return &loader{newMeter(n, broker), f, c, st}, nil
		}
	}
	f.close()
	return nil, err
}

// runs measures the runs of one node.
func (b *bench) runs(ctx context.Context, l *loader) error {
	for run := range b.o.runs {
		if err := l.run(ctx, b.o.load); err != nil {
			return err
		}
		progress("run %d of %d: %s", run+1, b.o.runs, l.last())
	}
	_, err := b.conclude(ctx, l)
	return err
}

// conclude reports what the runs of a node have cost.
func (b *bench) conclude(ctx context.Context, l *loader) (*Cost, error) {
	after, err := l.node.status(ctx)
	if err != nil {
		return nil, err
	}
	cost, err := l.cost(ctx, b.o.load, &l.before, &after)
	if err != nil {
		return nil, err
	}
	b.report.Costs = append(b.report.Costs, cost)
	if b.o.profiles != "" {
		err = l.save(ctx, filepath.Join(b.o.profiles, itoa(len(b.report.Costs))))
	}
	return &b.report.Costs[len(b.report.Costs)-1], err
}

// compare loads two programs in turn, so that whatever the machine does beside it it
// does to both, and reports their ratio run by run.
func (b *bench) compare(ctx context.Context) error {
	var both [2]*loader
	for i, binary := range []string{b.binary, b.o.against} {
		n := b.node("node-" + itoa(i))
		n.binary = binary
		defer n.kill()
		l, err := b.warm(ctx, n, nil)
		if err != nil {
			return err
		}
		defer l.close()
		both[i] = l
	}
	var ratios []float64
	for run := range b.o.runs {
		for _, l := range both {
			if err := l.run(ctx, b.o.load); err != nil {
				return err
			}
		}
		ratios = append(ratios, both[0].perNode[run]/both[1].perNode[run])
		progress("run %d of %d: %.2f and %.2f µs of CPU an activity, ratio %.3f", run+1, b.o.runs, both[0].perNode[run], both[1].perNode[run], ratios[run])
	}
	for i, l := range both {
		cost, err := b.conclude(ctx, l)
		if err != nil {
			return err
		}
		if cost.Program = "this"; i == 1 {
			cost.Program = "the other"
		}
	}
	b.report.Ratio = new(spreadOf(ratios))
	return nil
}
