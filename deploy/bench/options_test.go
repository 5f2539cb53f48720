package main

import (
	"strings"
	"testing"
	"time"
)

func TestQuickShrinksWhatWasNotGiven(t *testing.T) {
	o, err := parseOptions([]string{"--quick", "--rows", "70000"})
	if err != nil || o.rows != 70_000 || o.members != 2000 || o.load != 20_000 {
		t.Errorf("%+v, %v", o, err)
	}
	if o.steady.rate != 2000 || o.steady.span != 5*time.Second || o.steady.interval() != time.Second {
		t.Errorf("a quick load: %+v", o.steady)
	}
	if o, err = parseOptions(nil); err != nil || o.rows != 2_000_000 || o.members != 100_000 || !o.wants(usual...) || o.wants(partPeers, partLoad) || o.peers.rows != 10_000_000 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--only cost,speed", "speed"},
		{"--members 0", "--members"},
		{"--load -1", "--load"},
		{"--by-member 1.5", "--by-member"},
		{"--members 2000 --shards 0", "--shards"},
		{"--only peers --peer-rows 0", "--peer-rows"},
		{"--only load --rate -1", "--rate"},
		{"--only load --probes 0", "--probes"},
		{"--only load --for 10ms", "--for"},
		{"--only load --warm -1s", "--warm"},
		{"--only load --log paper", "paper"},
		{"please", "please"},
	} {
		if _, err := parseOptions(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestAComparisonMeasuresTheCostAlone(t *testing.T) {
	o, err := parseOptions([]string{"--vs", "other"})
	if err != nil || !o.wants(partCost) || o.wants(partQuestions, partDisk, partRestart) {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestALongLoadTellsItsFiguresSeldom(t *testing.T) {
	for args, want := range map[string]time.Duration{
		"--only load": 10 * time.Second, "--only load --for 1h": 5 * time.Minute, "--for 9m59s": 10 * time.Second, "--for 1h --every 30s": 30 * time.Second,
	} {
		if o, err := parseOptions(strings.Fields(args)); err != nil || o.steady.interval() != want {
			t.Errorf("%s: %v, %v", args, o.steady.interval(), err)
		}
	}
}

func TestTheCommandIsToldWithoutPaths(t *testing.T) {
	for args, want := range map[string]string{
		"--only load --json /home/somebody/out.json --rate 0": "bench --only load --json out.json --rate 0",
		"--json=/home/somebody/out.json --quick":              "bench --json=out.json --quick",
		"--only cost,disk --vs ../other/ovation":              "bench --only cost,disk --vs ovation",
		"":                                                    "bench",
	} {
		if got := spoken(strings.Fields(args)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
