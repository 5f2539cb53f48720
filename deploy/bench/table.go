package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// print writes the report as tables for people.
func (r *Report) print(w io.Writer) error {
	t := &table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	m := r.Machine
	t.row("machine", fmt.Sprintf("%s, %d cores, %d MiB, Linux %s", m.CPU, m.Cores, m.MemoryMiB, m.Kernel))
	t.row("program", fmt.Sprintf("commit %s, %s", m.Commit, m.Go))
	t.row("run", fmt.Sprintf("%s, %s, took %.0f s", r.When, r.Command, r.Seconds))
	t.row("sizes", fmt.Sprintf("%d members, %d brands, %d shards, --memory %s, %d runs of %d activities", r.Members, r.Brands, r.Shards, r.Memory, r.Runs, r.Load))
	t.row("load average", fmt.Sprintf("before %s, after %s", r.LoadBefore, r.LoadAfter))
	t.row("yardstick", strings.Trim(fmt.Sprintf("%.0f", r.Yardstick), "[]")+" ns for a read at random in 64 MiB")
	t.row()
	t.row("", "MEDIAN", "LEAST", "MOST")
	for i := range r.Costs {
		r.Costs[i].print(t)
	}
	if r.Ratio != nil {
		t.spread("this by the other, run by run", *r.Ratio, 3)
	}
	for i := range r.Questions {
		r.Questions[i].print(t)
	}
	if s := r.Restart; s != nil {
		rows := fmt.Sprintf(", %d rows", s.Rows)
		t.spread("ready after a stop"+rows+" (s)", s.Stopped, 2)
		t.spread("ready after a kill"+rows+" (s)", s.Killed, 2)
		t.spread("CPU of a start after a stop"+rows+" (s)", s.CPU, 2)
		t.spread("resident memory then (MiB)", s.MiB, 0)
	}
	printStages(t, r.Costs)
	for i := range r.Disk {
		r.Disk[i].print(t)
	}
	for i := range r.Loads {
		r.Loads[i].print(t)
	}
	if r.Peers != nil {
		r.Peers.print(t)
	}
	return t.Flush()
}

// table writes rows of cells.
type table struct{ *tabwriter.Writer }

func (t *table) row(cells ...string) { fmt.Fprintln(t.Writer, strings.Join(cells, "\t")) }

func (t *table) spread(name string, s Spread, digits int) {
	f := func(v float64) string { return fmt.Sprintf("%.*f", digits, v) }
	t.row(name, f(s.Median), f(s.Least), f(s.Most))
}

func (c *Cost) print(t *table) {
	if c.Broker == nil {
		name := "CPU per activity, the embedded log in the node (µs)"
		if c.Program != "" {
			name = "CPU per activity, " + c.Program + " (µs)"
		}
		t.spread(name, c.Node, 2)
		t.row("  of it the embedded log by its profile (µs)", fmt.Sprintf("%.2f", c.part(stageLog)+c.part(stageLogStore)))
	} else {
		t.spread("CPU per activity, the log in a process of its own (µs)", c.Node, 2)
		t.spread("  the log's process (µs)", *c.Broker, 2)
	}
	t.row("  compaction left after the last run (µs)", fmt.Sprintf("%.2f", c.Behind))
	t.spread("  activities a second, by the clock", c.Rate, 0)
	t.row("  records a commit; members woken; dead letters", fmt.Sprintf("%.0f; %d; %d", c.BatchRows, c.Woken, c.Letters))
	t.row("  resident memory after the last run (MiB)", fmt.Sprintf("%.0f", c.MiB))
}

// part is a stage's part.
func (c *Cost) part(s stage) float64 {
	for _, p := range c.Stages {
		if p.Stage == stageNames[s] {
			return p.Micros
		}
	}
	return 0
}

// printStages writes where the time went, the places of the log side by side.
func printStages(t *table, costs []Cost) {
	if len(costs) == 0 {
		return
	}
	t.row()
	head := []string{"CPU PER ACTIVITY BY STAGE (µs)"}
	for _, c := range costs {
		of := "log " + c.Log
		if c.Program != "" {
			of = c.Program
		}
		head = append(head, strings.ToUpper(of), "OF IT CALLS", "ALLOCATION")
	}
	t.row(head...)
	for s := range stages {
		cells, any := []string{stageNames[s]}, false
		for _, c := range costs {
			p := StageCost{}
			for _, q := range c.Stages {
				if q.Stage == stageNames[s] {
					p, any = q, true
				}
			}
			cells = append(cells, fmt.Sprintf("%.2f", p.Micros), fmt.Sprintf("%.2f", p.Calls), fmt.Sprintf("%.2f", p.Allocs))
		}
		if any {
			t.row(cells...)
		}
	}
	cells := []string{"samples, 10 ms each"}
	for _, c := range costs {
		cells = append(cells, fmt.Sprint(c.Samples), "", "")
	}
	t.row(cells...)
}

func (q *Question) print(t *table) {
	name := q.Name
	if q.Rows > 0 {
		name = fmt.Sprintf("%s of %s, %d days, %d", q.Name, q.About, q.Days, q.Rows)
	}
	t.spread(name+": p50 (ms)", q.P50, 2)
	t.spread("  p99 (ms)", q.P99, 2)
	t.spread("  CPU of the node (ms)", q.CPU, 2)
}

func (d *Disk) print(t *table) {
	t.row()
	t.row(fmt.Sprintf("DISK PER ACTIVITY (bytes): %s, %d activities", strings.ToUpper(d.Of), d.Activities))
	names := map[string]string{"R": "columns", "C": "content", "t": "members' timelines", "n": "counts", "T": "timelines not yet sealed", "c": "content not yet sealed", "f": "one-time pairs", "s": "what is sealed"}
	sum := 0.0
	for _, f := range diskFamilies {
		sum += d.Families[f]
		t.row("  "+f+" "+names[f], fmt.Sprintf("%.1f", d.Families[f]))
	}
	t.row("  these families", fmt.Sprintf("%.1f", sum))
	t.row("  the store's files, members too", fmt.Sprintf("%.1f", d.Store))
	t.row("  journal, its batches", fmt.Sprintf("%.1f", d.Journal))
	t.row("  public topic, its batches (not kept)", fmt.Sprintf("%.1f", d.Public))
	t.row("  the embedded log's files", fmt.Sprintf("%.1f", d.Log))
}
