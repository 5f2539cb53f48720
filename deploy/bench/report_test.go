package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func someReport() *Report {
	return &Report{
		When: "2026-01-02T03:04:05Z", Command: "bench", Machine: Machine{CPU: "a processor", Cores: 2, Go: "go1", Commit: "abc"},
		Costs: []Cost{
			{Log: logInside, Node: Spread{11.5, 11, 12}, Stages: []StageCost{{Stage: stageNames[stageLog], Micros: 1.25}, {Stage: stageNames[stageGC], Micros: 2}}},
			{Log: logBeside, Node: Spread{9, 8, 10}, Broker: &Spread{3, 2, 4}, Stages: []StageCost{{Stage: stageNames[stageGC], Micros: 1}}},
		},
		Questions: []Question{{Name: "tally", About: "one brand", Days: 7, Rows: 42, P50: Spread{1.5, 1, 2}}},
		Disk:      []Disk{{Of: "one brand", Activities: 10, Families: map[string]float64{"R": 12.5}, Journal: 49.5}},
		Loads: []Load{{
			Log: logKafka, Asked: 10_000, Reached: 9_998, Seconds: 60, Linger: 5, Node: 17.25, Answers: 4.5, Broker: new(21.5), Asking: 50,
			Visible:   Latency{Count: 1200, P50: 9, P90: 12, P99: 21.5, P999: 30, Max: 31},
			Questions: []AskedKind{{Name: "tally", About: "a brand", Rows: 77, Refused: 3, GivenUp: 2, Took: Latency{Count: 8, P99: 4.5}}},
			Series:    []Moment{{Seconds: 300, Rate: 9_990, Node: 17.5, Behind: 123, MiB: 456, Goroutines: 99, Files: 88, Store: 70.5, LogBytes: 60.5}},
			Equality:  Equality{Published: 12, Expected: 11, Counted: 10, Differences: 1, First: []string{"brand 5"}}, Verified: "equal",
		}},
		Restart: &Restart{Rows: 42, Stopped: Spread{0.5, 0.4, 0.6}},
	}
}

func TestTheTableNamesMachineAndFigures(t *testing.T) {
	var out strings.Builder
	if err := someReport().print(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"machine", "a processor, 2 cores"},
		{"CPU per activity, the embedded log in the node", "11.50", "11.00", "12.00"},
		{"of it the embedded log by its profile", "1.25"},
		{"the log's process", "3.00", "2.00", "4.00"},
		{"tally of one brand, 7 days, 42: p50", "1.50"},
		{"ready after a stop, 42 rows", "0.50"},
		{stageNames[stageGC], "2.00", "1.00"},
		{"R columns", "12.5"},
		{"journal, its batches", "49.5"},
		{"STEADY LOAD, KAFKA LOG", "10000 a second asked", "9998 reached", "60.0 s"},
		{"CPU of the node an activity", "17.25"},
		{"CPU of the log's process", "21.50"},
		{"visible: in an answer that needs it", "1200", "9.0", "12.0", "21.5", "30.0", "31.0"},
		{"tally, a brand, 77; 3 refused; 2 given up", "8", "4.5"},
		{"300", "9990", "17.50", "123", "456", "99", "88", "70.5", "60.5"},
		{"published; must count; counted", "12; 11; 10", "1 DIFFERENCES"},
		{"brand 5"},
		{"ovation verify", "equal"},
	} {
		if !hasLine(out.String(), line) {
			t.Errorf("no line with %q in\n%s", line, &out)
		}
	}
	if strings.Contains(out.String(), stageNames[stageOther]+" ") {
		t.Error("a stage that took nothing has a line")
	}
}

// hasLine reports a line that has all parts in order.
func hasLine(text string, parts []string) bool {
next:
	for line := range strings.Lines(text) {
		for _, p := range parts {
			_, rest, ok := strings.Cut(line, p)
			if !ok {
				continue next
			}
			line = rest
		}
		return true
	}
	return false
}

func TestAReportIsReadBackAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	want := someReport()
	if err := want.save(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := &Report{}
	if err := json.Unmarshal(b, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRecordedRunsAreReports reads what is kept of earlier runs.
func TestRecordedRunsAreReports(t *testing.T) {
	paths, err := filepath.Glob("runs/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded run: %v", err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := &Report{}
		if err := json.Unmarshal(b, r); err != nil || len(r.Costs) == 0 && len(r.Loads) == 0 && r.Peers == nil || r.Machine.CPU == "" {
			t.Errorf("%s: %v, %d costs and %d loads on %q", path, err, len(r.Costs), len(r.Loads), r.Machine.CPU)
		}
	}
}
