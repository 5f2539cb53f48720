package load

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Expected rows are each activity once, and of a one-time definition each member's first for a
// brand.
func TestExpected(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 2))
	p := population.NewMix(100, 5, seed).Population
	e := newExpected(p, 1000)
	once, want := map[population.Activity]bool{}, int64(1000)
	for range 20_000 {
		a := population.Activity{Member: r.IntN(100), Brand: r.IntN(5), Definition: r.IntN(len(p.Definitions))}
		e.note(&a)
		if !p.Definitions[a.Definition].OneTime || !once[a] {
			want++
		}
		once[a] = true
	}
	st := &harness.Status{Shards: []harness.ShardStatus{{Rows: want - 7}, {Rows: 7}}}
	if got := e.equality(20_000, st); !got.Holds() || got.Expected != want {
		t.Errorf("%+v, want %d", got, want)
	}
	for what, change := range map[string]func(*harness.Status){
		"a row is lost":          func(s *harness.Status) { s.Shards[0].Rows-- },
		"a row is double":        func(s *harness.Status) { s.Shards[0].Rows++ },
		"there is a dead letter": func(s *harness.Status) { s.Shards[1].DeadLetters = map[string]int64{"bad_json": 1} },
	} {
		st := &harness.Status{Shards: []harness.ShardStatus{{Rows: want - 7}, {Rows: 7}}}
		change(st)
		if got := e.equality(20_000, st); got.Holds() {
			t.Errorf("holds though %s", what)
		}
	}
}

func TestInterval(t *testing.T) {
	for span, want := range map[time.Duration]time.Duration{5 * time.Second: time.Second, time.Minute: 10 * time.Second, time.Hour: 5 * time.Minute} {
		if got := interval(span); got != want {
			t.Errorf("%v: every %v, want %v", span, got, want)
		}
	}
}

func TestResult_Print(t *testing.T) {
	l := &Result{
		Log: "kafka", Asked: 10_000, Reached: 9_998, Seconds: 60, Asking: 50, CPU: CPU{Node: 17.25, Answers: 4.5, Broker: new(21.5)},
		Visible:   report.Latency{Count: 1200, P50: 9, P90: 12, P99: 21.5, P999: 30, Max: 31},
		Questions: []AskedKind{{Name: "tally", Refused: 3, GivenUp: 2, Took: report.Latency{Count: 8, P99: 4.5}}},
		Series:    []Moment{{Seconds: 300, Rate: 9_990, Node: 17.5, Behind: 123, MiB: 456, Store: 70.5, LogBytes: 60.5}},
		Equality:  Equality{Published: 12, Expected: 11, Counted: 10},
	}
	var out strings.Builder
	table := report.NewTable(&out)
	l.Print(table)
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"STEADY LOAD, LOG kafka 10000 a second asked 9998 reached over 60.0 s", "CPU of the node an activity, with questions (µs) 17.25",
		"CPU of the log's process (µs) 21.50", "visible: in an answer that needs it 1200 9.0 12.0 21.5 30.0 31.0",
		"tally; 3 refused; 2 given up 8 0.0 0.0 4.5", "300 9990.0 17.5 0.0 123.0", "456.0 70.5 60.5", "12; 11; 10 NOT EQUAL",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
