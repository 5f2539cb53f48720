package status

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/shard"
)

func screenOf(n *Node) string {
	var b strings.Builder
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	n.Screen(columns)
	columns.Flush()
	return b.String()
}

// A node of many shards, of which each is stopped, fits on one screen, and what stopped comes before what is retried.
func TestScreen_OfManyProblems(t *testing.T) {
	var n Node
	for i := range 64 {
		n.Shards = append(n.Shards, shard.Status{Shard: i, Stopped: "a gap", Waiting: "the broker is away"})
		n.Routers = append(n.Routers, actors.RouterStatus{Partition: i, Waiting: "the broker is away"})
	}
	n.Routers[63].Stopped = "a gap"
	problems := n.Problems()
	if len(problems) != 64+64+64+1 || problems[64] != "partition 63 of activities stopped: a gap" || problems[65] != "shard 0 retries: the broker is away" {
		t.Errorf("%d problems: %q", len(problems), problems[60:70])
	}
	screen := screenOf(&n)
	if lines := strings.Count(screen, "\n"); lines > 24 {
		t.Errorf("%d lines", lines)
	}
	if !strings.Contains(screen, fmt.Sprintf("and %d more", len(problems)-shownProblems)) {
		t.Error(screen)
	}
}

// Each part that stops or retries is a problem.
func TestScreen_EveryPart(t *testing.T) {
	for _, n := range []Node{
		{Store: Store{Err: "x"}},
		{Store: Store{Corrupt: []string{"x"}}},
		{Log: &Log{Stopped: "x"}},
		{Log: &Log{Refusing: "x"}},
		{Log: &Log{Corrupt: []string{"x"}}},
		{Keys: &Keys{Stopped: "x"}},
		{Keys: &Keys{Waiting: "x"}},
		{Keys: &Keys{Refusing: "x"}},
		{Keys: &Keys{Corrupt: []string{"x"}}},
		{Links: "x"},
		{Status: actors.Status{Waiting: "x"}},
		{Status: actors.Status{Uncut: "x"}},
		{Status: actors.Status{Catalog: actors.CatalogStatus{Stopped: "x"}}},
		{Status: actors.Status{Catalog: actors.CatalogStatus{Waiting: "x"}}},
		{Status: actors.Status{Shards: []shard.Status{{Stopped: "x"}}}},
		{Status: actors.Status{Shards: []shard.Status{{Waiting: "x"}}}},
		{Status: actors.Status{Routers: []actors.RouterStatus{{Stopped: "x"}}}},
		{Status: actors.Status{Routers: []actors.RouterStatus{{Waiting: "x"}}}},
		{Nodes: []actors.NodeStatus{{Wrong: "x"}}},
	} {
		if p := n.Problems(); len(p) != 1 || !strings.HasSuffix(p[0], "x") {
			t.Errorf("%q of %+v", p, n)
		}
	}
	if p := (&Node{}).Problems(); len(p) > 0 {
		t.Errorf("%q of a node that is well", p)
	}
}

// A size has one decimal, in a unit of which there are fewer than 1024.
func TestBytes_Units(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 40: "5.0 TiB", 9 << 50: "9216.0 TiB"} {
		if got := bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
