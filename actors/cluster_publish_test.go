package actors

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// kill ends a node as if its process had died: it says nothing more to the others.
func (n *clusterNode) kill() {
	n.away.Store(true)
	n.close()
}

// Of nodes that all make the same entries one publishes them. When it is killed half way, another one publishes the
// rest: all of it, and little of it twice.
func TestCluster_PublisherIsKilledHalfWay(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newInstallation(t, 3, Options{outboxDepth: takenOver * 5 / 6})
		first := c.ranked(c.nodes[0], 0)
		forwardsBefore, _ := c.forwards()
		var taken [outbox.Kinds]atomic.Int64
		first.onSend(func(ctx context.Context, k outbox.Kind) error { // each has half, and hangs
			if taken[k].Add(1) <= takenOver/500/2 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		})
		c.load(takenOver, takenOver)
		c.awaits("both to be half way", func() bool {
			return taken[outbox.Forwards].Load() > takenOver/500/2 && taken[outbox.DeadLetters].Load() > takenOver/500/2
		})
		first.kill()
		c.awaits("empty outboxes", c.empty)
		all, unique := c.forwards()
		if unique-forwardsBefore != takenOver || all-unique > 1000 {
			t.Errorf("%d of %d forwards are in the log, %d are repeated", unique-forwardsBefore, takenOver, all-unique)
		}
		letters, uniqueLetters := c.published()
		if uniqueLetters != takenOver || letters-uniqueLetters > 3000 {
			t.Errorf("%d of %d letters are published, %d are repeated", uniqueLetters, takenOver, letters-uniqueLetters)
		}
		t.Logf("%d forwards and %d letters are repeated", all-unique, letters-uniqueLetters)
		if n := c.takeOvers(); n == 0 {
			t.Error("nothing was taken over: the test shows nothing")
		}
		c.same()
	})
}

// run loads the shard that forwards for a while: a few activities at a time, of which some become dead letters.
func (c *installation) run(t *testing.T, long time.Duration) {
	rnd := seeded(t)
	for end := time.Now().Add(long); time.Now().Before(end); {
		c.load(rnd.IntN(20), rnd.IntN(3))
		time.Sleep(time.Duration(rnd.IntN(100)) * time.Millisecond)
	}
}

// Without a fault nothing is taken over and nothing is repeated: the journal of three nodes has as many records as that of
// one.
func TestCluster_NothingIsTakenOverWithoutAFault(t *testing.T) {
	records := map[int]int{}
	for _, size := range []int{1, 3} {
		inBubble(t, func(t *testing.T) {
			c := newInstallation(t, size, Options{})
			before := c.end(0) + c.end(1)
			c.run(t, faultless)
			c.awaits("empty outboxes", c.empty)
			if all, unique := c.forwards(); all != unique {
				t.Errorf("%d of %d forwards are repeated", all-unique, all)
			}
			if all, unique := c.published(); all != unique || all == 0 {
				t.Errorf("%d of %d letters are repeated", all-unique, all)
			}
			if n := c.takeOvers(); n > 0 {
				t.Errorf("%d times something was taken over", n)
			}
			activities := int(c.hash)
			records[size] = int(c.end(0)+c.end(1)-before) * 1000 / activities
			c.same()
		})
	}
	if records[3]*100 > records[1]*102 {
		t.Errorf("of 1000 activities the journal of one node has %d records, that of three %d", records[1], records[3])
	}
}

// Nodes that join and leave under load, as they are told to, hand over what they publish: nothing is repeated or taken over.
func TestCluster_HandOverRepeatsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newInstallation(t, 3, Options{})
		rnd := seeded(t)
		c.run(t, 2*time.Second)
		for range 8 {
			n := c.nodes[rnd.IntN(3)]
			n.node.Leave()
			c.run(t, time.Duration(4+rnd.IntN(8))*time.Second)
			n.close()
			c.run(t, time.Duration(rnd.IntN(12))*time.Second)
			c.start(n)
			n.ready()
			c.run(t, time.Duration(6+rnd.IntN(6))*time.Second)
		}
		c.awaits("empty outboxes", c.empty)
		if all, unique := c.forwards(); all != unique {
			t.Errorf("%d of %d forwards are repeated", all-unique, all)
		}
		if all, unique := c.published(); all != unique || all == 0 {
			t.Errorf("%d of %d letters are repeated", all-unique, all)
		}
		if n := c.takeOvers(); n > 0 {
			t.Errorf("%d times something was taken over", n)
		}
		c.same()
	})
}

// What a node leaves that is gone is published by another one after about the delay: forwards after a second, dead letters
// after five.
func TestCluster_PublisherIsGone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newInstallation(t, 3, Options{})
		first := c.ranked(c.nodes[0], 0)
		first.away.Store(true)
		c.load(100, 100)
		forwards := c.awaits("forwards", func() bool { _, n := c.forwards(); return n == 100 })
		taker := c.ranked(first, 1)
		own := func() string {
			all := taker.node.Nodes()
			return all[slices.IndexFunc(all, func(s NodeStatus) bool { return s.Self })].Duties
		}
		if why := own(); !strings.Contains(why, "taken over since 20") {
			t.Errorf("the node that took over says that it %s", why)
		}
		letters := forwards + c.awaits("letters", func() bool { _, n := c.published(); return n == 100 })
		if forwards < time.Second || forwards > 2*time.Second {
			t.Errorf("forwards were taken over after %v", forwards)
		}
		if letters < 5*time.Second || letters > 7*time.Second {
			t.Errorf("letters were taken over after %v", letters)
		}
		first.close()
	})
}

// A node that cannot publish does not keep the others from applying: a standby is never full.
func TestCluster_StandbyIsNeverFull(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const depth, all = 1000, 5000
		c := newInstallation(t, 3, Options{outboxDepth: depth})
		var off atomic.Bool
		off.Store(true)
		for _, n := range c.nodes {
			n.onSend(func(context.Context, outbox.Kind) error {
				if off.Load() {
					return errAway
				}
				return nil
			})
		}
		first := c.ranked(c.nodes[0], 0)
		for range all / 100 {
			c.load(100, 0)
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		for _, n := range c.nodes {
			applied, end := n.node.running[c.from].Applied.Load(), c.end(c.from)
			if n == first && applied > 3*depth {
				t.Errorf("who cannot publish has applied %d of %d records", applied, end)
			}
			if n != first && applied != end {
				t.Errorf("who has taken over, or does not publish, has applied %d of %d records", applied, end)
			}
		}
		off.Store(false)
		c.awaits("empty outboxes", c.empty)
		if _, unique := c.forwards(); unique != all {
			t.Errorf("%d of %d forwards are in the log", unique, all)
		}
		c.same()
	})
}

// publishes reports which of the nodes publish all that the shard sends.
func (c *installation) publishers() (who []*clusterNode) {
	for _, n := range c.nodes {
		all := n.node != nil
		for k := range outbox.Kinds {
			all = all && n.node.running[c.from].Duties.Publishes(k)
		}
		if all {
			who = append(who, n)
		}
	}
	return who
}

// A node that was cut off, or paused, for a minute takes its duty again, and the one that took it over ends. What was
// published meanwhile is not published by it once more.
func TestCluster_PublisherComesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newInstallation(t, 3, Options{})
		first := c.ranked(c.nodes[0], 0)
		if who := c.publishers(); len(who) != 1 || who[0] != first {
			t.Fatalf("%d nodes publish", len(who))
		}
		c.run(t, 5*time.Second)
		first.away.Store(true)
		c.run(t, time.Minute)
		if first.node.running[c.from].Duties.Publishes(outbox.DeadLetters) {
			t.Error("a node that is cut off publishes")
		}
		first.away.Store(false)
		c.run(t, 20*time.Second)
		if who := c.publishers(); len(who) != 1 || who[0] != first {
			t.Errorf("%d nodes publish, the node that came back among them: %v", len(who), len(who) > 0 && who[0] == first)
		}
		before := c.takeOvers()
		c.run(t, 20*time.Second)
		c.awaits("empty outboxes", c.empty)
		if n := c.takeOvers() - before; n > 0 {
			t.Errorf("%d times something was taken over after it came back", n)
		}
		all, unique := c.forwards()
		letters, uniqueLetters := c.published()
		t.Logf("%d of %d forwards and %d of %d letters are repeated", all-unique, unique, letters-uniqueLetters, uniqueLetters)
		if all-unique > 1000 || letters-uniqueLetters > 300 {
			t.Errorf("%d forwards and %d letters are repeated", all-unique, letters-uniqueLetters)
		}
		c.same()
	})
}
