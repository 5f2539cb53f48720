package main

import (
	"context"
	"fmt"
	"os"
)

// Drawn is what an activity costs by how many members the load is drawn from, each alike.
type Drawn struct {
	Members int     `json:"members"` // registered
	Among   int     `json:"among"`   // of these the load is drawn
	Node    Spread  `json:"node"`    // microseconds of CPU an activity
	Rate    Spread  `json:"rate"`    // activities a second, by the clock
	Woken   float64 `json:"woken"`   // members read from the store, an activity
	MiB     float64 `json:"mib"`     // resident after the last run
}

// coldOptions are the sizes of the part cold.
type coldOptions struct{ members, warm int }

// drawing is the runs with the load drawn among so many.
type drawing struct {
	among int
	meter *meter
	woken int64
}

// measureCold registers many members, and loads activities drawn among few of them and
// among all, run by run in turn.
func (b *bench) measureCold(ctx context.Context) error {
	o := b.o
	o.members = o.cold.members
	n := b.node("cold")
	defer os.RemoveAll(n.data)
	defer n.kill()
	c, err := b.enter(ctx, n, o)
	if err != nil {
		return err
	}
	f, err := newFeed(ctx, n, o.batch)
	if err != nil {
		return err
	}
	defer f.close()
	draws := []*drawing{{among: o.cold.warm, meter: newMeter(n, nil)}, {among: o.members, meter: newMeter(n, nil)}}
	for run := range 1 + o.runs { // the first of each warms up
		for _, d := range draws {
			if run == 1 {
				d.meter, d.woken = newMeter(n, nil), 0
			}
			if err := d.run(ctx, f, c, o.load); err != nil {
				return err
			}
			progress("run %d of %d among %d members: %s", run, o.runs, d.among, d.meter.last())
		}
	}
	for _, d := range draws {
		drawn := Drawn{
			Members: o.members, Among: d.among, Node: spreadOf(d.meter.perNode), Rate: spreadOf(d.meter.rates),
			Woken: float64(d.woken) / float64(o.load*o.runs),
		}
		if rss, err := rssOf(n.pid()); err == nil {
			drawn.MiB = mib(rss)
		}
		b.report.Drawn = append(b.report.Drawn, drawn)
		if o.profiles != "" {
			if err := d.meter.save(ctx, fmt.Sprintf("%s/among-%d", o.profiles, d.among)); err != nil {
				return err
			}
		}
	}
	n.stop()
	return nil
}

// run loads n activities.
func (d *drawing) run(ctx context.Context, f *feed, c *crowd, n int) error {
	before, err := d.meter.node.status(ctx)
	if err != nil {
		return err
	}
	c.among = d.among
	if err := d.meter.run(ctx, f, c, n); err != nil {
		return err
	}
	after, err := d.meter.node.status(ctx)
	d.woken += after.woken() - before.woken()
	return err
}

func (d *Drawn) print(t *table) {
	t.spread(fmt.Sprintf("CPU per activity, drawn among %d of %d members (µs)", d.Among, d.Members), d.Node, 2)
	t.spread("  activities a second, by the clock", d.Rate, 0)
	t.row("  members woken, an activity; resident memory (MiB)", fmt.Sprintf("%.3f; %.0f", d.Woken, d.MiB))
}
