package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Of three nodes one sends the events of a webhook. It is killed, paused for longer than another one waits, cut from Kafka
// and stopped while actions are recorded at others: each action comes at least once, by one id, in its member's order. Where
// the duty passes on, two nodes send for a moment: what comes again is counted, and not judged.
func TestCluster_WebhooksOverTakeOvers(t *testing.T) {
	r := newReceiver(t)
	c := startClusterOf(t, 3, func(_ int, h *harness.Node) {
		h.Env, h.Args = r.Env, append(h.Args, r.Args...)
	})
	s := newFixture(t, c.nodes[0], "webhooks")
	key := s.p.keys[c.nodes[0]]
	s.hook(r)
	want := 0
	record := func(at, n int) {
		s.api = c.apiOf(at, key)
		s.recordFor(n)
		want += n
	}
	comes := func(what string) {
		t.Helper()
		c.nodes[0].eventually(what, func() bool { return r.different() == want })
	}
	record(0, 20)
	comes("events of three nodes")
	for _, f := range []struct {
		what   string
		befall func(i int) (end func())
	}{
		{"kill", func(i int) func() {
			c.nodes[i].Kill()
			return func() { c.start(i) }
		}},
		{"pause", func(i int) func() {
			c.signal(i, syscall.SIGSTOP)
			return func() { c.signal(i, syscall.SIGCONT) }
		}},
		{"cut", func(i int) func() {
			c.links[i].Cut()
			return c.links[i].Heal
		}},
		{"stop", func(i int) func() {
			if code := c.nodes[i].Stop(); code != 0 {
				t.Errorf("node %d stops with %d", i, code)
			}
			return func() { c.start(i) }
		}},
	} {
		i := c.sendingWebhooks()
		record((i+1)%3, 5)
		end := f.befall(i)
		began := time.Now()
		record((i+1)%3, 15)
		comes("events though its sender has a " + f.what)
		t.Logf("%s of node %d: all came %v after it", f.what, i, time.Since(began).Round(time.Millisecond))
		end()
		record((i+2)%3, 5)
		comes("events after a " + f.what)
	}
	c.agree()
	t.Logf("%d events of %d came again", r.check(recordedFeed(s)), want)
}

// sendingWebhooks is a node that sends webhooks; all nodes run.
func (c *cluster) sendingWebhooks() (i int) {
	c.t.Helper()
	c.nodes[0].eventually("node that sends webhooks", func() bool {
		i = slices.IndexFunc(c.nodes, func(n *node) bool {
			_, metrics := n.Get("/metrics")
			return strings.Contains(metrics, "\novation_webhooks_sending 1\n")
		})
		return i >= 0
	})
	return i
}
