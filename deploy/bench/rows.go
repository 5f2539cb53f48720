package main

import (
	"context"
	"fmt"
	"time"
)

// Restart is how long a node takes to be ready again, in seconds, and what it holds
// then.
type Restart struct {
	Rows    int64  `json:"rows"`
	Stopped Spread `json:"stopped"` // after a stop in order
	Killed  Spread `json:"killed"`  // after a kill
	MiB     Spread `json:"mib"`     // resident, a few seconds after
	CPU     Spread `json:"cpu"`     // seconds, of a start after a stop
}

// historyDays is how far the rows of the brand that is asked about reach back: the
// whole of the longest range asked about, and nothing outside it.
const historyDays = 179

// measureRows loads one brand with many rows, asks about it and starts the node anew.
func (b *bench) measureRows(ctx context.Context) error {
	n := b.node("rows")
	defer n.kill()
	c, err := b.enter(ctx, n)
	if err != nil {
		return err
	}
	f, err := newFeed(ctx, n, b.o.batch)
	if err != nil {
		return err
	}
	defer f.close()
	progress("publishing %d activities of the last %d days for one brand", b.o.rows, historyDays)
	newest := time.Now().Add(-time.Hour)
	step := historyDays * 24 * time.Hour / time.Duration(b.o.rows)
	err = f.publish(ctx, c, b.o.rows, func(i int) act { return c.played(newest.Add(-step * time.Duration(b.o.rows-1-i))) })
	if err != nil {
		return err
	}
	st, err := f.settled(ctx)
	if err != nil {
		return err
	}
	if st.rows() < int64(b.o.rows) {
		return fmt.Errorf("%d rows of %d activities are there", st.rows(), b.o.rows)
	}
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{partQuestions, func() error { return b.measureQuestions(ctx, n, c) }},
		{partRestart, func() error { return b.measureRestart(ctx, n, st.rows()) }},
		{partDisk, func() error { return b.measureDisk(ctx, n, c, fmt.Sprintf("one brand, %d days", historyDays)) }},
	} {
		if b.o.wants(part.name) {
			if err := part.do(); err != nil {
				return err
			}
		}
	}
	return nil
}

// restedFor is how long a node that is ready is left alone before its memory is read.
const restedFor = 5 * time.Second

// measureRestart stops or kills the node and starts it, several times.
func (b *bench) measureRestart(ctx context.Context, n *node, rows int64) error {
	var stopped, killed, resident, cpu []float64
	for range min(b.o.runs, 3) {
		n.kill()
		took, err := n.start(ctx)
		if err != nil {
			return err
		}
		killed = append(killed, took.Seconds())
		n.stop()
		if took, err = n.start(ctx); err != nil {
			return err
		}
		used, err := cpuOf(n.pid())
		if err != nil {
			return err
		}
		stopped, cpu = append(stopped, took.Seconds()), append(cpu, used.Seconds())
		select {
		case <-time.After(restedFor):
		case <-ctx.Done():
			return ctx.Err()
		}
		rss, err := rssOf(n.pid())
		if err != nil {
			return err
		}
		resident = append(resident, mib(rss))
		progress("ready %.2f s after a stop, %.2f s after a kill, %.0f MiB", stopped[len(stopped)-1], killed[len(killed)-1], mib(rss))
	}
	b.report.Restart = &Restart{Rows: rows, Stopped: spreadOf(stopped), Killed: spreadOf(killed), MiB: spreadOf(resident), CPU: spreadOf(cpu)}
	return nil
}
