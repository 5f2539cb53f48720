//go:build full

package e2e

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCluster_WithoutAFault has three nodes work for five minutes while nothing befalls them: no node takes a duty over, and
// no activity or forward is in the journal twice.
func TestCluster_WithoutAFault(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := startCluster(t, 3)
	l := c.newLoad(seed, loadSize{fans: 60, clients: 3, asked: 50, activities: 1_000, writers: 4, written: 20})
	c.shares()
	before, repeated := c.takeOvers(), c.repeats()
	l.begin()
	l.lasts(5 * time.Minute)
	l.end()
	l.tell()
	if n := c.takeOvers() - before; n != 0 {
		t.Errorf("seed %d: %d duties were taken over", seed, n)
	}
	if routed, repeats := l.published, c.repeats()-repeated; repeats > 0 || routed < 5*60*500 {
		t.Errorf("seed %d: of %d activities and what they had forwarded the journal has %d again", seed, routed, repeats)
	}
	l.replayed()
	c.answerAlike(seed, l.told, l.toldKey, rand.New(rand.NewPCG(seed, 0)), 500)
}

// shares waits until each partition of the public topic is routed by one node, and not all by the same.
func (c *cluster) shares() {
	c.t.Helper()
	c.nodes[0].eventually("sharing of partitions", func() bool {
		var by []int // how many nodes route each partition
		working := 0
		for _, n := range c.nodes {
			works := false
			for i, r := range n.status().Routers {
				if i == len(by) {
					by = append(by, 0)
				}
				if r.Here {
					by[i]++
					works = true
				}
			}
			if works {
				working++
			}
		}
		return working > 1 && !slices.ContainsFunc(by, func(n int) bool { return n != 1 })
	})
}

// repeats is how many records of the journal the shards have dropped by their origins.
func (c *cluster) repeats() (n int64) {
	c.t.Helper()
	for _, s := range c.nodes[0].status().Shards {
		n += s.Repeats
	}
	return n
}

// takeOvers is how many duties the nodes have taken over from another one.
func (c *cluster) takeOvers() (n int64) {
	c.t.Helper()
	for _, of := range c.nodes {
		_, text := of.Get("/metrics")
		for name, label := range map[string]string{"ovation_router_takeovers_total": "partition", "ovation_outbox_takeovers_total": "kind"} {
			if !strings.Contains(text, "\n"+name+"{") {
				c.t.Fatalf("no metric %s", name)
			}
			for _, v := range of.metric(name, label) {
				n += v
			}
		}
	}
	return n
}
