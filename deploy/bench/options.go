package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// options are the sizes of a run and which parts of it are wanted.
type options struct {
	members  int
	brands   int
	load     int // activities in a run of the load
	rows     int // of the brand that is asked about
	runs     int
	asks     int // requests of each question in a run
	batch    int // records in a batch of the publisher
	byMember float64
	seed     uint64
	shards   int
	memory   string
	only     []string
	json     string
	profiles string
	binary   string
	against  string
	quick    bool
	peers    peersOptions
	steady   steadyOptions
}

// peersOptions are the sizes of what is asked beside other engines, and where these are.
type peersOptions struct {
	rows, members, brands, wide int
	alone                       bool   // without a node
	keep                        string // directory of a loaded node
	python, packages            string
}

// The parts of a run.
const (
	partCost      = "cost"
	partQuestions = "questions"
	partDisk      = "disk"
	partRestart   = "restart"
	partLoad      = "load"
	partPeers     = "peers"
)

// parts are all parts, usual those of a run that names none.
var (
	usual = []string{partCost, partQuestions, partDisk, partRestart}
	parts = append(usual[:len(usual):len(usual)], partLoad, partPeers)
)

func parseOptions(args []string) (options, error) {
	var o options
	var only string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&o.members, "members", 100_000, "members to register")
	f.IntVar(&o.brands, "brands", 1000, "brands of the load, drawn by a Zipf distribution")
	f.IntVar(&o.load, "load", 300_000, "activities of one run of the load")
	f.IntVar(&o.rows, "rows", 2_000_000, "rows of the brand that is asked about")
	f.IntVar(&o.runs, "runs", 5, "runs of the load, rounds of the questions")
	f.IntVar(&o.asks, "asks", 100, "requests of each question in a round")
	f.IntVar(&o.batch, "batch", 500, "records in a batch of the publisher")
	f.Float64Var(&o.byMember, "by-member", 0.5, "share of activities addressed by member id; the others by service and user id")
	f.Uint64Var(&o.seed, "seed", 1, "the same seed gives the same audience")
	f.IntVar(&o.shards, "shards", 8, "--shards of the node")
	f.StringVar(&o.memory, "memory", "1GiB", "--memory of the node")
	f.StringVar(&only, "only", "", "parts to measure, by comma: "+strings.Join(parts, ", ")+" (default all but the last two)")
	f.StringVar(&o.json, "json", "", "`file` for the figures as JSON")
	f.StringVar(&o.profiles, "profiles", "", "`directory` to keep profiles of the load in: CPU, the heap after it, and the calls as go build -pgo reads them")
	f.StringVar(&o.binary, "binary", "", "`file` of the program to measure, instead of one built from this checkout")
	f.StringVar(&o.against, "vs", "", "`file` of another program to load in turn with it, run by run; only the cost is measured")
	f.BoolVar(&o.quick, "quick", false, "small sizes: to see that it works, not for figures")
	f.IntVar(&o.peers.rows, "peer-rows", 10_000_000, "rows that the engines are compared on")
	f.IntVar(&o.peers.members, "peer-members", 1_000_000, "members who did them")
	f.IntVar(&o.peers.brands, "peer-brands", wideBrands, "brands they were done for; the first has 18 %")
	f.IntVar(&o.peers.wide, "peer-wide", 100_000, "brands of a wider account, asked about in this process alone")
	f.BoolVar(&o.peers.alone, "peer-alone", false, "compare in this process alone: no node, no HTTP")
	f.StringVar(&o.peers.keep, "peer-keep", "", "`directory` to load the node's rows into, and to take them from again")
	o.steady.flags(f)
	f.StringVar(&o.peers.python, "python", "python3", "`program` that runs the other engines: CPython 3.11 or newer, with pip")
	f.StringVar(&o.peers.packages, "packages", "", "`directory` for the other engines' packages (default in the user's cache)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.against != "" && only == "" {
		only = partCost
	}
	if o.only = usual; only != "" {
		o.only = strings.Split(only, ",")
	}
	if o.quick {
		if err := o.small(f); err != nil {
			return o, err
		}
	}
	return o, o.check()
}

// small shrinks what was not given.
func (o *options) small(f *flag.FlagSet) error {
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })
	for name, size := range map[string]string{
		"members": "2000", "brands": "50", "load": "20000", "rows": "50000", "runs": "2", "asks": "20", "peer-rows": "1000000", "peer-members": "100000",
		"rate": "2000", "questions": "20", "for": "5s", "every": "1s",
	} {
		if !given[name] {
			if err := f.Set(name, size); err != nil {
				return fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	return nil
}

func (o *options) check() error {
	errs := o.steady.check()
	for _, p := range o.only {
		if !slices.Contains(parts, p) {
			errs = append(errs, fmt.Errorf("--only: no part is named %q", p))
		}
	}
	for _, n := range []struct {
		name string
		n    int
	}{{"members", o.members}, {"brands", o.brands}, {"load", o.load}, {"rows", o.rows}, {"runs", o.runs}, {"asks", o.asks}, {"batch", o.batch}, {"shards", o.shards}, {"peer-rows", o.peers.rows}, {"peer-members", o.peers.members}, {"peer-brands", o.peers.brands}, {"peer-wide", o.peers.wide}} {
		if n.n < 1 {
			errs = append(errs, fmt.Errorf("--%s must be at least 1", n.name))
		}
	}
	if o.byMember < 0 || o.byMember > 1 {
		errs = append(errs, errors.New("--by-member is a share from 0 to 1"))
	}
	return errors.Join(errs...)
}

// spoken is the command as it is told: of a file or a directory its last name.
func spoken(args []string) string {
	words := []string{"bench"}
	for _, a := range args {
		name, value, both := strings.Cut(a, "=")
		switch {
		case both && strings.HasPrefix(name, "-"):
			a = name + "=" + filepath.Base(value)
		case strings.ContainsRune(a, filepath.Separator):
			a = filepath.Base(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// wants reports that a part is to be measured.
func (o *options) wants(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(o.only, n) })
}

// nodeless reports that no part needs the program.
func (o *options) nodeless() bool {
	return o.peers.alone && !o.wants(partLoad) && !o.wants(usual...)
}
