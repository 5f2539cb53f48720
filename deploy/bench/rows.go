package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
	"github.com/ovation-analytics/ovation/deploy/bench/publish"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Restart is how long a node with rows takes to be ready again, in seconds, and what it holds
// then.
type Restart struct {
	Rows    int64         `json:"rows"`
	Stopped report.Spread `json:"stopped"` // after a stop in order
	Killed  report.Spread `json:"killed"`  // after a kill
	MiB     report.Spread `json:"mib"`     // resident, a few seconds after
	CPU     report.Spread `json:"cpu"`     // seconds, of a start after a stop
}

// wideBrands is how many artists the listeners of the last.fm data set have.
const wideBrands = 17_632

// measureRows loads a node with a scene, asks it, starts it again and looks at its disk.
func (b *bench) measureRows(ctx context.Context) error {
	sizes := peers.Sizes{Rows: b.o.rows, Members: b.o.members, Brands: max(min(wideBrands, b.o.rows/100), 2), Seed: 1}
	c := peers.NewScene(sizes, domain.Second(time.Now().Truncate(time.Minute).Add(-time.Hour).Unix()))
	n := b.node("rows")
	defer n.Kill()
	if err := b.fill(ctx, n, c); err != nil {
		return err
	}
	for _, part := range []struct {
		of []string
		do func() error
	}{
		{[]string{partQuestions, partPeers}, func() error { return b.measureQuestions(ctx, n, c) }},
		{[]string{partAPI}, func() error { return b.measureAPI(ctx, n, c) }},
		{[]string{partRestart}, func() error { return b.measureRestart(ctx, n) }},
		{[]string{partDisk}, func() error {
			return b.measureDisk(ctx, n, c.Population, fmt.Sprintf("%d brands, %d days", sizes.Brands, peers.Days))
		}},
	} {
		if b.o.wants(part.of...) {
			if err := part.do(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill enters a scene into a new node and publishes its rows.
func (b *bench) fill(ctx context.Context, n *harness.Node, c *peers.Scene) error {
	p, err := b.enter(ctx, n, c.Population)
	if err != nil {
		return err
	}
	defer p.Close()
	c.Index()
	progress("publishing %d activities of the last %d days", len(c.Rows), peers.Days)
	began := time.Now()
	err = p.Publish(ctx, len(c.Rows), func(i int) (int, publish.Message) { return c.Message(c.Activity(i)) })
	if err != nil {
		return err
	}
	st, err := p.Settled(ctx)
	if err != nil {
		return err
	}
	progress("committed, %.0f a second", float64(len(c.Rows))/time.Since(began).Seconds())
	if st.Rows() != int64(len(c.Rows)) || st.Letters() > 0 {
		return fmt.Errorf("of %d activities there are %d rows, %d dead letters", len(c.Rows), st.Rows(), st.Letters())
	}
	return nil
}

// measureRestart kills or stops the node and starts it, several times.
func (b *bench) measureRestart(ctx context.Context, n *harness.Node) error {
	st, err := n.Status(ctx)
	if err != nil {
		return err
	}
	var stopped, killed, resident, cpu []float64
	for range min(b.o.runs, 3) {
		n.Kill()
		took, err := n.Start(ctx)
		if err != nil {
			return err
		}
		killed = append(killed, took.Seconds())
		n.Stop()
		if took, err = n.Start(ctx); err != nil {
			return err
		}
		used, err := harness.CPU(n.PID())
		if err != nil {
			return err
		}
		stopped = append(stopped, took.Seconds())
		cpu = append(cpu, used.Seconds())
		if err := n.Pause(ctx, b.o.pace.rest); err != nil {
			return err
		}
		rss, err := harness.Memory(n.PID(), "VmRSS")
		if err != nil {
			return err
		}
		resident = append(resident, report.MiB(rss))
		progress("ready %.2f s after a stop, %.2f s after a kill, %.0f MiB", took.Seconds(), killed[len(killed)-1],
			report.MiB(rss))
	}
	b.report.Restart = &Restart{
		Rows: st.Rows(), Stopped: report.SpreadOf(stopped), Killed: report.SpreadOf(killed),
		MiB: report.SpreadOf(resident), CPU: report.SpreadOf(cpu),
	}
	return nil
}

func (r *Restart) print(t *report.Table) {
	rows := fmt.Sprintf(", %d rows", r.Rows)
	t.Row()
	t.Row("RESTART", "MEDIAN", "LEAST", "MOST")
	t.Spread("ready after a stop"+rows+" (s)", r.Stopped, 2)
	t.Spread("ready after a kill"+rows+" (s)", r.Killed, 2)
	t.Spread("CPU of a start after a stop"+rows+" (s)", r.CPU, 2)
	t.Spread("resident memory then (MiB)", r.MiB, 0)
}
