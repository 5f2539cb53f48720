package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// Verified is what a verification of a node takes, with nothing else to do.
type Verified struct {
	Records int64   `json:"records"` // of the journal
	Shards  int     `json:"shards"`
	Rate    Spread  `json:"rate"` // records a second, by the clock
	CPU     Spread  `json:"cpu"`  // of the node, in microseconds a record
	MiB     float64 `json:"mib"`  // at most resident in the last run
	State   string  `json:"state"`
}

// measureVerify fills a node and has it verify itself, as fast as it goes, several times.
func (b *bench) measureVerify(ctx context.Context) error {
	n := b.node("verify")
	defer n.kill()
	c, err := b.enter(ctx, n, b.o)
	if err != nil {
		return err
	}
	st, err := b.fill(ctx, n, c, b.o.rows, (*crowd).any)
	if err != nil {
		return err
	}
	v := &Verified{Shards: len(st.Shards)}
	for i := range st.Shards {
		v.Records += st.Shards[i].End
	}
	var rates, cpus []float64
	for run := range min(b.o.runs, 3) {
		if err := resetPeak(n.pid()); err != nil {
			return err
		}
		began := time.Now()
		from, err := cpuOf(n.pid())
		if err != nil {
			return err
		}
		if v.State, err = n.verify(ctx); err != nil {
			return err
		}
		to, err := cpuOf(n.pid())
		if err != nil {
			return err
		}
		peak, err := peakOf(n.pid())
		if err != nil {
			return err
		}
		v.MiB = mib(peak)
		rates = append(rates, float64(v.Records)/time.Since(began).Seconds())
		cpus = append(cpus, float64((to-from).Microseconds())/float64(v.Records))
		progress("run %d: %s, %.0f records/s, %.1f µs of CPU each", run+1, v.State, rates[run], cpus[run])
	}
	v.Rate, v.CPU = spreadOf(rates), spreadOf(cpus)
	b.report.Verified = v
	n.stop()
	return nil
}

// verify runs ovation verify against the node and gives what comes out.
func (n *node) verify(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, n.binary, "verify", "--admin", n.admin, "--rate", "0", "--output", "json").Output()
	if err != nil {
		return "", fmt.Errorf("ovation verify: %w\n%s", err, out)
	}
	var run struct {
		State string `json:"state"`
	}
	return run.State, json.Unmarshal(out, &run)
}

// print writes the figures as rows of the table.
func (v *Verified) print(t *table) {
	name := fmt.Sprintf("ovation verify, %d records in %d shards: %s", v.Records, v.Shards, v.State)
	t.spread(name+" (records/s)", v.Rate, 0)
	t.spread("  CPU of the node (µs a record)", v.CPU, 2)
	t.row("  resident at most (MiB)", fmt.Sprintf("%.0f", v.MiB))
}
