package actors

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// reads asks a node again and again, until the end: about its member of the shard that stops, and for counts of all
// shards.
func (c *installation) reads(n *clusterNode) (end func() (failed, all int)) {
	ctx, cancel := context.WithCancel(c.t.Context())
	var over sync.WaitGroup
	var failed, all int
	over.Go(func() {
		for ctx.Err() == nil {
			_, _, err := n.node.Member(context.Background(), 1, c.member, domain.Position{})
			if err == nil {
				_, err = n.node.Ask(context.Background(), allOf(domain.ShapeTally, 1), domain.Position{})
			}
			if all++; err != nil {
				failed++
				c.t.Log("a read: ", err)
			}
			time.Sleep(time.Millisecond)
		}
	})
	return func() (int, int) {
		cancel()
		over.Wait()
		return failed, all
	}
}

// holds waits until a node has stopped at a record of a shard, and says so as it should.
func (c *installation) holds(n *clusterNode, shard int, offset int64) {
	c.t.Helper()
	s := n.node.running[shard]
	c.awaits("stop of the shard", func() bool { return s.Stopped.Load() != nil })
	why := *s.Stopped.Load()
	for _, part := range []string{
		fmt.Sprintf("record %d cannot be applied", offset), "another node is listed",
		"questions are answered from its last commit", fmt.Sprintf("ovation set-aside %d %d", shard, offset),
	} {
		if !strings.Contains(why, part) {
			c.t.Errorf("the shard does not say %q: %s", part, why)
		}
	}
	if s.View.Peek() == nil || s.Applied.Load() > offset {
		c.t.Errorf("the view is there: %v; applied below %d", s.View.Peek() != nil, s.Applied.Load())
	}
}

// aside are the records that are set aside, as a node knows.
func (n *clusterNode) aside(shard int) int { return len(n.node.SetAside(shard)) }

// A record that one of two nodes cannot apply is not set aside: the other one has applied it. The node that fails goes on
// answering, at each start again, is unready while the other one is ready, and refuses to set the record aside; what
// it was to publish the other one publishes. Once it can apply the record, both have the same.
func TestSetAside_NotOfWhatAnotherNodeApplied(t *testing.T) {
	for _, forwards := range []bool{false, true} {
		t.Run(fmt.Sprint("in the shard that forwards ", forwards), func(t *testing.T) {
			inBubble(t, func(t *testing.T) { notSetAside(t, forwards) })
		})
	}
}

func notSetAside(t *testing.T, forwards bool) {
	c := newInstallation(t, 2, Options{})
	sick, well := c.ranked(c.nodes[0], 0), c.ranked(c.nodes[0], 1)
	stops, other := c.to, c.from
	if forwards {
		stops, other = c.from, c.to
	}
	c.load(50, 3)
	c.awaits("empty outboxes", c.empty)
	at := c.end(stops) + 10
	sick.failsAt(stops, at)
	end := c.reads(sick)
	_, before := c.forwards()
	c.load(50, 3)
	c.holds(sick, stops, at)
	c.awaits("all forwards, by the other node", func() bool {
		_, unique := c.forwards()
		return unique == before+50
	})
	time.Sleep(time.Minute)
	c.holds(sick, stops, at)
	if n := sick.aside(stops); n != 0 {
		t.Errorf("%d records are set aside", n)
	}
	if err := sick.node.Ready(); err == nil || well.node.Ready() != nil {
		t.Errorf("ready beside a node that is: %v, %v", err, well.node.Ready())
	}
	if d := sick.node.Degraded(); d == nil || !strings.Contains(d.Error(), "ovation set-aside") {
		t.Errorf("degraded: %v", d)
	}
	if lag := sick.node.Lag(); lag < time.Minute {
		t.Errorf("the lag of what is a minute old is %v", lag)
	}
	for _, tc := range []struct {
		shard  int
		offset int64
		code   domain.Code
		text   string
	}{
		{stops, at, domain.Conflict, "node " + well.id.String() + " does not say that it stopped there"},
		{stops, at + 1, domain.NotFound, fmt.Sprint("stopped at record ", at)},
		{other, at, domain.NotFound, "did not stop at a record"},
		{9, at, domain.NotFound, "no shard 9"},
	} {
		err := sick.node.SetAsideRecord(t.Context(), tc.shard, tc.offset, false)
		if domain.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("set-aside %d %d: %v", tc.shard, tc.offset, err)
		}
	}
	if failed, all := end(); failed != 0 || all < 1000 {
		t.Errorf("%d of %d reads failed", failed, all)
	}

	sick.close()
	sick.boot()
	c.holds(sick, stops, at)
	if sick.aside(stops) != 0 {
		t.Error("the record is set aside after a start")
	}
	sick.close()
	sick.fails.Store(nil)
	sick.open()
	c.awaits("empty outboxes", c.empty)
	c.same()
}

// A record that no node can apply stops its shard on each, also where one is late; all of them stay ready, and answer.
// Set aside by the operator's word, without force, it is a dead letter on all, which then have the same outboxes.
func TestSetAside_OfWhatNoNodeApplies(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newInstallation(t, 3, Options{})
		first, late := c.nodes[0], c.nodes[2]
		c.load(50, 3)
		c.awaits("empty outboxes", c.empty)
		var ends []func() (int, int)
		for _, n := range c.nodes {
			ends = append(ends, c.reads(n))
		}
		late.away.Store(true)
		c.load(10, 1)
		at := c.end(c.from)
		c.append(c.from, poison())
		c.load(50, 3)
		c.holds(first, c.from, at)
		c.holds(c.nodes[1], c.from, at)
		time.Sleep(2 * time.Second)
		err := first.node.SetAsideRecord(t.Context(), c.from, at, false)
		if domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), late.id.String()) {
			t.Errorf("set aside while one has not read it: %v", err)
		}
		late.away.Store(false)
		c.holds(late, c.from, at)
		time.Sleep(5 * time.Second) // beats
		for i, n := range c.nodes {
			if err := n.node.Ready(); err != nil || n.aside(c.from) != 0 {
				t.Errorf("node %d of three that stopped alike is not ready: %v; %d records are set aside", i, err, n.aside(c.from))
			}
		}
		c.must(first.node.SetAsideRecord(t.Context(), c.from, at, false))
		c.awaits("empty outboxes", c.empty)
		for i, n := range c.nodes {
			if s := n.node.Status().Shards[c.from]; s.Stopped != "" || s.Dead["poison"] != 1 || n.node.running[c.from].Poisoned.Load() != nil {
				t.Errorf("node %d: %+v", i, s)
			}
			if failed, all := ends[i](); failed != 0 || all < 1000 {
				t.Errorf("node %d: %d of %d reads failed", i, failed, all)
			}
		}
		if all, unique := c.forwards(); all < unique || unique < 110 {
			t.Errorf("%d forwards, %d of them no repeats", all, unique)
		}
		c.same()
		if err := first.node.SetAsideRecord(t.Context(), c.from, at, false); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("set aside again: %v", err)
		}
	})
}

// A node that may have applied the record and is away does not answer: the record is set aside by force, or by the node
// alone once the other one is off the list.
func TestSetAside_WhileAnotherNodeIsAway(t *testing.T) {
	for _, forced := range []bool{true, false} {
		t.Run(fmt.Sprint("forced ", forced), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := newInstallation(t, 2, Options{})
				first, gone := c.nodes[0], c.nodes[1]
				at := c.end(c.from) + 5
				first.failsAt(c.from, at)
				c.load(50, 3)
				c.holds(first, c.from, at)
				gone.kill()
				time.Sleep(time.Minute)
				end := c.reads(first)
				err := first.node.SetAsideRecord(t.Context(), c.from, at, false)
				if domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), "node "+gone.id.String()+" is away") || !strings.Contains(err.Error(), "--force") {
					t.Errorf("set aside while a node is away: %v", err)
				}
				if forced {
					c.must(first.node.SetAsideRecord(t.Context(), c.from, at, true))
				} else {
					c.must(first.node.RemoveNode(t.Context(), gone.id, false))
				}
				c.awaits("empty outboxes", c.empty)
				if s := first.node.Status().Shards[c.from]; s.Stopped != "" || s.Dead["poison"] != 1 {
					t.Errorf("%+v", s)
				}
				if failed, all := end(); failed != 0 || all == 0 {
					t.Errorf("%d of %d reads failed", failed, all)
				}
			})
		})
	}
}
