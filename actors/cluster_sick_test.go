package actors

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// A node whose disk is full applies nothing, says so, and answers from what it has. The others do what it did: what it was to
// publish is published while its disk is full. With room again it comes to the same state.
func TestCluster_FullDiskOfOneNode(t *testing.T) {
	for _, rank := range []int{0, 1} {
		t.Run(fmt.Sprint("rank ", rank), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				var full [3]atomic.Bool
				c := newInstallationOf(t, 3, Options{}, func(i int, n *clusterNode) {
					n.wrap = func(_ int, s shard.Store) shard.Store { return fullDisk{s, &full[i]} }
				})
				c.load(50, 5)
				c.awaits("empty outboxes", c.empty)
				sick := c.ranked(c.nodes[0], rank)
				at := 0
				for i, n := range c.nodes {
					if n == sick {
						at = i
					}
				}
				ends := map[*clusterNode]func() (int, int){}
				for _, n := range c.nodes {
					ends[n] = c.reads(n)
				}
				full[at].Store(true)
				_, before := c.forwards()
				_, lettersBefore := c.published()
				c.load(500, 50)
				c.awaits("what it was to publish, by another node", func() bool {
					_, forwards := c.forwards()
					_, letters := c.published()
					return forwards == before+500 && letters == lettersBefore+50
				})
				c.awaits("the cause in its status", func() bool {
					d := sick.node.Degraded()
					return d != nil && strings.Contains(d.Error(), "the disk is nearly full")
				})
				if s := sick.node.running[c.from]; s.Applied.Load() >= c.end(c.from) {
					t.Error("it applied what it has no room for: the test shows nothing")
				}
				for n, end := range ends {
					if err := n.node.Ready(); err != nil {
						t.Errorf("%v is not ready: %v", n.id, err)
					}
					if failed, all := end(); failed != 0 || all == 0 {
						t.Errorf("%v: %d of %d reads failed", n.id, failed, all)
					}
				}
				full[at].Store(false)
				c.awaits("empty outboxes", c.empty)
				if all, unique := c.forwards(); unique != before+500 {
					t.Errorf("%d forwards, %d of them no repeats", all, unique)
				}
				c.same()
			})
		})
	}
}

// The clock of a node changes nothing that is applied, listed, published or answered: with one a day ahead and one a day
// behind there are the same states, and the same records, as with three that are right.
func TestCluster_ClocksOfNodes(t *testing.T) {
	type result struct {
		Forwards, Letters int
		TakeOvers         int64
		Tally             domain.Count
		Facts             []string
	}
	var results []result
	for _, off := range []time.Duration{0, 26 * time.Hour} {
		inBubble(t, func(t *testing.T) {
			c := newInstallationOf(t, 3, Options{}, func(i int, n *clusterNode) {
				n.options.Now = func() time.Time { return time.Now().Add(time.Duration(i-1) * off) }
			})
			for range 20 {
				c.load(20, 2)
				time.Sleep(time.Second)
			}
			c.awaits("empty outboxes", c.empty)
			if off != 0 {
				c.nodes[0].close() // its last beat is of its clock
				c.nodes[0].boot()
				c.nodes[0].ready()
			}
			var r result
			for i, n := range c.nodes {
				got := result{TakeOvers: c.takeOvers(), Tally: n.tally(1).Total}
				got.Forwards, _ = c.forwards()
				got.Letters, _ = c.published()
				for _, s := range n.node.Status().Shards {
					got.Facts = append(got.Facts, s.Facts)
				}
				if i > 0 {
					if diff := cmp.Diff(r, got); diff != "" {
						t.Errorf("node %d by clocks %v apart: %s", i, off, diff)
					}
				}
				r = got
				if err := n.node.Ready(); err != nil {
					t.Errorf("node %d by clocks %v apart is not ready: %v", i, off, err)
				}
			}
			if r.TakeOvers != 0 {
				t.Errorf("%d take-overs by clocks %v apart", r.TakeOvers, off)
			}
			c.same()
			results = append(results, r)
		})
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("with wrong clocks: %s", diff)
	}
}
