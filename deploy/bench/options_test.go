package main

import (
	"strings"
	"testing"
	"time"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions(nil)
	if err != nil || o.rows != 2_000_000 || o.members != 100_000 || !o.wants(usual...) || o.wants(partPeers, partLoad, partAPI) {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = parseOptions([]string{"--quick", "--rows", "70000"})
	if err != nil || o.rows != 70_000 || o.members != 2000 || o.load != 20_000 || o.steady.rate != 2000 || o.steady.span != 5*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = parseOptions([]string{"--vs", "other"})
	if err != nil || !o.wants(partCost) || o.wants(partQuestions, partDisk, partRestart) {
		t.Errorf("a comparison measures the cost alone: %+v, %v", o, err)
	}
}

func TestParseOptions_Refused(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--only cost,speed", "speed"},
		{"--members 0", "--members"},
		{"--load -1", "--load"},
		{"--members 2000 --shards 0", "--shards"},
		{"--only peers --rows 0", "--rows"},
		{"--only load --rate 0", "--rate"},
		{"--only load --for 10ms", "--for"},
		{"--only load --warm -1s", "--warm"},
		{"--only load --log paper", "paper"},
		{"please", "please"},
	} {
		if _, err := parseOptions(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestCommandOf_WithoutPaths(t *testing.T) {
	for args, want := range map[string]string{
		"--only load --json /home/user/out.json --rate 1": "bench --only load --json out.json --rate 1",
		"--json=/home/user/out.json --quick":              "bench --json=out.json --quick",
		"--only cost,disk --vs ../other/ovation":          "bench --only cost,disk --vs ovation",
		"":                                                "bench",
	} {
		if got := commandOf(strings.Fields(args)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
