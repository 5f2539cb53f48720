package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
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
	c, err := b.enter(ctx, n, b.o)
	if err != nil {
		return err
	}
	st, err := b.fill(ctx, n, c, b.o.rows, (*crowd).played)
	if err != nil {
		return err
	}
	hot := func(api *client.Client) []question { return append(ofBrand(api, c.hot), ofAny(api, c.hot)...) }
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{partQuestions, func() error { return b.measureQuestions(ctx, n, c, "one brand", hot) }},
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

// wideBrands is how many artists the listeners of the last.fm data set have.
const wideBrands = 17_632

// measureWide spreads as many rows over many brands, and asks about all of them.
func (b *bench) measureWide(ctx context.Context) error {
	n := b.node("wide")
	defer n.kill()
	o := b.o
	o.brands = max(o.brands, min(wideBrands, o.rows/100))
	c, err := b.enter(ctx, n, o)
	if err != nil {
		return err
	}
	if _, err := b.fill(ctx, n, c, b.o.rows, (*crowd).any); err != nil {
		return err
	}
	about := fmt.Sprintf("%d brands", o.brands)
	return b.measureQuestions(ctx, n, c, about, func(api *client.Client) []question {
		return append(ofAny(api, 0), ofBrands(api, c.brands[0])...)
	})
}

// fill publishes activities over the days of history and waits until they are there.
func (b *bench) fill(ctx context.Context, n *node, c *crowd, rows int, what func(*crowd, time.Time) act) (st status, err error) {
	f, err := newFeed(ctx, n, b.o.batch)
	if err != nil {
		return st, err
	}
	defer f.close()
	progress("publishing %d activities of the last %d days", rows, historyDays)
	newest := time.Now().Add(-time.Hour)
	step := historyDays * 24 * time.Hour / time.Duration(rows)
	err = f.publish(ctx, rows, c.does(func(i int) act { return what(c, newest.Add(-step*time.Duration(rows-1-i))) }))
	if err != nil {
		return st, err
	}
	if st, err = f.settled(ctx); err != nil {
		return st, err
	}
	if least := int64(rows) * 9 / 10; st.rows() < least { // a follow counts once
		return st, fmt.Errorf("%d rows of %d activities are there", st.rows(), rows)
	}
	return st, nil
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
