//go:build full

package e2e

import (
	"math/rand/v2"
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
	before := c.takeOvers()
	l.begin()
	l.lasts(5 * time.Minute)
	l.end()
	l.tell()
	if n := c.takeOvers() - before; n != 0 {
		t.Errorf("seed %d: %d duties were taken over", seed, n)
	}
	type sent struct {
		hash    uint64
		forward bool
	}
	seen, repeats := map[sent]bool{}, 0
	for _, p := range []*model{l.seen, l.told} {
		for _, r := range c.journalOf(p.account, nil) {
			k := sent{r.hash, r.forward}
			if seen[k] {
				repeats++
			}
			seen[k] = true
		}
	}
	t.Logf("%d activities and forwards in the journal", len(seen))
	if repeats > 0 || len(seen) < 5*60*500 {
		t.Errorf("seed %d: %d activities and forwards, %d of them again", seed, len(seen), repeats)
	}
	l.replayed()
	c.answerAlike(seed, l.told, l.toldKey, rand.New(rand.NewPCG(seed, 0)), 500)
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
