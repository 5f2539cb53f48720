package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Report is what a run found. It is written as it is for the record.
type Report struct {
	When    string  `json:"when"`
	Command string  `json:"command"`
	Machine Machine `json:"machine"`
	Sizes
	Costs     []Cost     `json:"costs,omitempty"`
	Ratio     *Spread    `json:"ratio,omitempty"` // of two programs' costs, this by the other, run by run
	Questions []Question `json:"questions,omitempty"`
	Disk      []Disk     `json:"disk,omitempty"`
	Restart   *Restart   `json:"restart,omitempty"`
	Peers     *Peers     `json:"peers,omitempty"`
	Loads     []Load     `json:"loads,omitempty"`
	Seconds   float64    `json:"seconds"`

	LoadBefore string    `json:"loadBefore"`
	LoadAfter  string    `json:"loadAfter"`
	Yardstick  []float64 `json:"yardstick"` // nanoseconds, over the run
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
		When: time.Now().UTC().Format(time.RFC3339), Command: command, Machine: thisMachine(), LoadBefore: loadAverage(),
		Sizes: Sizes{Members: o.members, Brands: o.brands, Load: o.load, Runs: o.runs, Shards: o.shards, Memory: o.memory},
	}
}

// fault is why the figures are worth nothing; nil: they are.
func (r *Report) fault() error {
	for i := range r.Loads {
		if !r.Loads[i].fine() {
			return fmt.Errorf("on the %s log what is counted is not what was published", r.Loads[i].Log)
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

func itoa(n int) string       { return strconv.Itoa(n) }
func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
