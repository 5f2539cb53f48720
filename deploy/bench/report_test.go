package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/deploy/bench/load"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/bench/stages"
)

// all is a figure that is the same in all rounds.
func all(v float64) report.Spread { return report.Spread{Median: v, Least: v, Most: v} }

func someReport() *Report {
	return &Report{
		Run: Run{When: "2026-01-02T03:04:05Z", Command: "bench", Machine: report.Machine{CPU: "a processor", Cores: 2, Go: "go1", Commit: "abc"}},
		Costs: []Cost{
			{Log: logInside, Node: report.Spread{Median: 11.5, Least: 11, Most: 12}, Stages: []stages.Cost{{Stage: stages.Log, Micros: 1.25}, {Stage: stages.Answers, Micros: 2}}},
			{Log: logBeside, Node: all(9), Broker: new(all(3)), Stages: []stages.Cost{{Stage: stages.Answers, Micros: 1}}},
		},
		Questions: []Question{{
			Name: "tally, 7 days", About: "the hot brand", Rows: 42, Statistic: true, P50: all(1.25), P99: all(2.5), CPU: all(0.75), Engine: new(all(0.5)),
			Peers: []PeerTime{{Peer: "DuckDB 2", Millis: all(10)}, {Peer: "ClickHouse 3", Millis: all(6)}},
		}},
		PeersSkipped: "no network",
		API:          []Requests{{Name: "a brand", Clients: 16, CPU: all(33), Rate: all(20_000), Unchanged: 0.99}},
		Disk:         []Disk{{Of: "one brand", Activities: 10, Families: map[string]float64{"R": 12.5}, Journal: 49.5}},
		Restart:      &Restart{Rows: 42, Stopped: all(0.5)},
		Loads:        []load.Result{{Log: "kafka", Asked: 10_000, Equality: load.Equality{Published: 12, Expected: 11, Counted: 11}}},
	}
}

func TestReport_Print(t *testing.T) {
	var out strings.Builder
	if err := someReport().print(&out); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"machine a processor, 2 cores", "CPU per activity, the embedded log in the node (µs) 11.50 11.00 12.00", "the log's process (µs) 3.00",
		stages.Log + " 1.25 0.00", stages.Answers + " 2.00 1.00",
		"ROWS HTTP P50 P99 CPU ENGINE DUCKDB CLICKHOUSE RATIO ENGINE HTTP",
		"tally, 7 days, the hot brand 42 1.250 2.500 0.750 0.500 10.000 6.000 12.0 × 4.8 ×",
		"geometric mean of the ratios 12.0 × in this process, 4.8 × over HTTP", "no peer was asked no network",
		"a brand, 16 at once, 99.00 % answered 304: CPU (µs) 33.0", "ready after a stop, 42 rows (s) 0.50",
		"R columns 12.5", "journal, its batches 49.5", "STEADY LOAD, LOG kafka 10000 a second asked", "12; 11; 11 each counted once",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestReport_SaveAndFault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	want := someReport()
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Error(diff)
	}
	if err := want.fault(); err != nil {
		t.Error(err)
	}
	if want.Loads[0].Equality.Counted = 10; want.fault() == nil {
		t.Error("a load that has lost an activity has no fault")
	}
}

func read(t *testing.T, path string) *Report {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{}
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r
}

// Reports of earlier runs can be read.
func TestRecordedRuns(t *testing.T) {
	paths, err := filepath.Glob("runs/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded run: %v", err)
	}
	for _, path := range paths {
		if r := read(t, path); r.Machine.CPU == "" || r.When == "" {
			t.Errorf("%s is of %q at %q", path, r.Machine.CPU, r.When)
		}
	}
}
