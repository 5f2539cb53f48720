package main

import (
	"strings"
	"testing"
)

func TestQuickShrinksWhatWasNotGiven(t *testing.T) {
	o, err := parseOptions([]string{"--quick", "--rows", "70000"})
	if err != nil || o.rows != 70_000 || o.members != 2000 || o.load != 20_000 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = parseOptions(nil); err != nil || o.rows != 2_000_000 || o.members != 100_000 || !o.wants(usual...) || o.wants(partPeers) || o.peers.rows != 10_000_000 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--only cost,speed", "speed"},
		{"--members 0", "--members"},
		{"--load -1", "--load"},
		{"--by-member 1.5", "--by-member"},
		{"--members 200000", "awake"},
		{"--members 2000 --shards 0", "--shards"},
		{"--only peers --peer-rows 0", "--peer-rows"},
		{"please", "please"},
	} {
		if _, err := parseOptions(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestAComparisonMeasuresTheCostAlone(t *testing.T) {
	o, err := parseOptions([]string{"--vs", "other"})
	if err != nil || !o.wants(partCost) || o.wants(partQuestions, partDisk, partMemory, partRestart) {
		t.Errorf("%+v, %v", o, err)
	}
}
