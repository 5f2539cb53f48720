package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/load"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
)

// Report is what a run measured. It is written as JSON for the record.
type Report struct {
	Run
	Sizes
	Costs        []Cost         `json:"costs,omitempty"`
	Ratio        *report.Spread `json:"ratio,omitempty"` // of two programs' costs, this by the other, run by run
	Questions    []Question     `json:"questions,omitempty"`
	PeersSkipped string         `json:"peersSkipped,omitempty"` // why no peer was asked
	API          []Requests     `json:"api,omitempty"`
	Disk         []Disk         `json:"disk,omitempty"`
	Restart      *Restart       `json:"restart,omitempty"`
	Loads        []load.Result  `json:"loads,omitempty"`
}

// Run is when, where and how the figures were measured.
type Run struct {
	When       string         `json:"when"`
	Command    string         `json:"command"`
	Machine    report.Machine `json:"machine"`
	Seconds    float64        `json:"seconds"`
	LoadBefore string         `json:"loadBefore"`
	LoadAfter  string         `json:"loadAfter"`
	Yardstick  []float64      `json:"yardstick"` // nanoseconds, over the run
}

// Sizes are those of the run.
type Sizes struct {
	Members int    `json:"members"`
	Brands  int    `json:"brands"`
	Load    int    `json:"load"`
	Runs    int    `json:"runs"`
	Shards  int    `json:"shards"`
	Memory  string `json:"memory"`
}

func newReport(o options, command string) *Report {
	return &Report{
		Run: Run{
			When: time.Now().UTC().Format(time.RFC3339), Command: command, Machine: report.ThisMachine(),
			LoadBefore: report.LoadAverage(),
		},
		Sizes: Sizes{
			Members: o.members, Brands: o.brands, Load: o.load, Runs: o.runs, Shards: o.shards,
			Memory: o.memory,
		},
	}
}

// fault is why the figures are worthless; nil: they are not.
func (r *Report) fault() error {
	for i := range r.Loads {
		if !r.Loads[i].Equality.Holds() {
			return fmt.Errorf("on the %s log the node has not counted what was published", r.Loads[i].Log)
		}
	}
	return nil
}

// save writes the report as JSON.
func (r *Report) save(path string) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}

// print writes the report as a table.
func (r *Report) print(w io.Writer) error {
	t := report.NewTable(w)
	m := r.Machine
	t.Row("machine", fmt.Sprintf("%s, %d cores, %d MiB, Linux %s", m.CPU, m.Cores, m.MemoryMiB, m.Kernel))
	t.Row("program", fmt.Sprintf("commit %s, %s", m.Commit, m.Go))
	t.Row("run", fmt.Sprintf("%s, %s, took %.0f s", r.When, r.Command, r.Seconds))
	t.Row("sizes", fmt.Sprintf("%d members, %d brands, %d shards, --memory %s, %d runs of %d activities", r.Members,
		r.Brands, r.Shards, r.Memory, r.Runs, r.Load))
	t.Row("load average", fmt.Sprintf("before %s, after %s", r.LoadBefore, r.LoadAfter))
	t.Row("yardstick", strings.Trim(fmt.Sprintf("%.0f", r.Yardstick), "[]")+" ns for a read at random in 64 MiB")
	if len(r.Costs) > 0 {
		t.Row()
		t.Row("COST", "MEDIAN", "LEAST", "MOST")
	}
	for i := range r.Costs {
		r.Costs[i].print(t)
	}
	if r.Ratio != nil {
		t.Spread("this by the other, run by run", *r.Ratio, 3)
	}
	printStages(t, r.Costs)
	printQuestions(t, r.Questions)
	if r.PeersSkipped != "" {
		t.Row("no peer was asked", r.PeersSkipped)
	}
	printAPI(t, r.API)
	if r.Restart != nil {
		r.Restart.print(t)
	}
	for i := range r.Disk {
		r.Disk[i].print(t)
	}
	for i := range r.Loads {
		r.Loads[i].Print(t)
	}
	return t.Flush()
}
