package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the sizes of a run and the parts of it.
type options struct {
	members  int
	brands   int
	load     int // activities in a run of the load
	rows     int
	runs     int
	shards   int
	memory   string
	only     []string
	json     string
	profiles string
	binary   string
	against  string
	steady   steadyOptions
	pace     paceOptions
}

// steadyOptions are the sizes of a steady load.
type steadyOptions struct {
	rate, questions float64 // a second
	warm, span      time.Duration
	log             string
}

// paceOptions are how long a run takes apart from its sizes.
type paceOptions struct {
	rest     time.Duration // between readiness and a reading of what the node takes at rest
	round    time.Duration // of a question, at most
	requests int           // of a round of the API
	deadline time.Duration // of a part
}

// The parts of a run.
const (
	partCost      = "cost"
	partQuestions = "questions"
	partDisk      = "disk"
	partRestart   = "restart"
	partAPI       = "api"
	partLoad      = "load"
	partPeers     = "peers"
)

// parts are all parts, usual those of a run that names none.
var (
	usual = []string{partCost, partQuestions, partDisk, partRestart}
	parts = append(usual[:len(usual):len(usual)], partAPI, partLoad, partPeers)
)

// The logs of a steady load.
const (
	logEmbedded = "embedded"
	logKafka    = "kafka"
)

func parseOptions(args []string) (options, error) {
	var o options
	var only string
	var quick bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&o.members, "members", 100_000, "members to register")
	f.IntVar(&o.brands, "brands", 1000, "brands of the load, drawn by a Zipf distribution")
	f.IntVar(&o.load, "load", 300_000, "activities of one run of the load")
	f.IntVar(&o.rows, "rows", 2_000_000, "rows that are asked about, over 180 days")
	f.IntVar(&o.runs, "runs", 5, "runs of the load, rounds of the questions")
	f.IntVar(&o.shards, "shards", 8, "--shards of the node")
	f.StringVar(&o.memory, "memory", "1GiB", "--memory of the node")
	f.StringVar(&only, "only", strings.Join(usual, ","), "`parts` to measure, by comma: "+strings.Join(parts, ", "))
	f.StringVar(&o.json, "json", "", "`file` for the figures as JSON")
	f.StringVar(&o.profiles, "profiles", "",
		"`directory` for profiles of the load: CPU, the heap after it, and the calls as go build -pgo reads them")
	f.StringVar(&o.binary, "binary", "", "`file` of the program to measure, instead of one built from this checkout")
	f.StringVar(&o.against, "vs", "",
		"`file` of another program: its cost is measured in turn with this one's, run by run")
	f.BoolVar(&quick, "quick", false, "small sizes: to see that it works, not for figures")
	f.Float64Var(&o.steady.rate, "rate", 10_000, "activities a second of the steady load")
	f.Float64Var(&o.steady.questions, "questions", 50, "questions a second beside it")
	f.DurationVar(&o.steady.span, "for", time.Minute, "span of the steady load")
	f.DurationVar(&o.steady.warm, "warm", 10*time.Second,
		"span of it before, without figures: a JVM compiles what it runs")
	f.StringVar(&o.steady.log, "log", logEmbedded,
		"`log` of it: embedded, or kafka, an Apache Kafka started from its jars")
	f.DurationVar(&o.pace.rest, "rest", 5*time.Second, "pause before what a node takes at rest is read")
	f.DurationVar(&o.pace.round, "round", time.Second, "span of a round of one question, at most")
	f.IntVar(&o.pace.requests, "requests", 20_000, "requests of a round of the API: the kernel counts in hundredths of a second")
	f.DurationVar(&o.pace.deadline, "deadline", 2*time.Hour, "span of a part, after which the run fails and says what it waited for")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })
	if quick {
		for name, size := range map[string]string{
			"members": "2000", "brands": "50", "load": "20000", "rows": "50000", "runs": "2", "rate": "2000",
			"questions": "20", "for": "5s", "warm": "1s", "rest": "500ms", "round": "100ms", "requests": "2000", "deadline": "5m",
		} {
			if !given[name] {
				_ = f.Set(name, size) // a constant that parses
			}
		}
	}
	if o.against != "" && !given["only"] {
		only = partCost
	}
	o.only = strings.Split(only, ",")
	return o, o.check()
}

func (o *options) check() error {
	var errs []error
	for _, p := range o.only {
		if !slices.Contains(parts, p) {
			errs = append(errs, fmt.Errorf("--only: there is no part %q", p))
		}
	}
	for _, n := range []struct {
		name string
		low  bool
	}{
		{"members", o.members < 1},
		{"brands", o.brands < 2},
		{"load", o.load < 1},
		{"rows", o.rows < 1},
		{"runs", o.runs < 1},
		{"shards", o.shards < 1},
		{"rate", o.steady.rate <= 0},
		{"questions", o.steady.questions < 0},
		{"for", o.steady.span < time.Second},
		{"warm", o.steady.warm < 0},
		{"rest", o.pace.rest <= 0},
		{"round", o.pace.round < 0},
		{"requests", o.pace.requests < clientsAside},
		{"deadline", o.pace.deadline <= 0},
	} {
		if n.low {
			errs = append(errs, fmt.Errorf("--%s is too low", n.name))
		}
	}
	if o.steady.log != logEmbedded && o.steady.log != logKafka {
		errs = append(errs, fmt.Errorf("--log: %q is neither %s nor %s", o.steady.log, logEmbedded, logKafka))
	}
	return errors.Join(errs...)
}

// wants reports that one of the parts is measured.
func (o *options) wants(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(o.only, n) })
}

// commandOf is the command for the record: of a file or a directory only its last name.
func commandOf(args []string) string {
	words := []string{"bench"}
	for _, a := range args {
		name, value, both := strings.Cut(a, "=")
		switch {
		case both && strings.HasPrefix(name, "-"):
			a = name + "=" + filepath.Base(value)
		case !strings.HasPrefix(a, "-"):
			a = filepath.Base(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
