package actors

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// membership is the node among the nodes of its installation; one that has not joined is alone.
type membership struct {
	joined atomic.Pointer[nodes.Membership] // nil: it has not joined
	self   domain.NodeUp
	served atomic.Bool // it was ready once in this life
	lags   atomic.Bool // it was lagging when it was last asked
	cancel context.CancelFunc
	over   chan struct{} // closed when the last beat was made
	ended  chan error    // holds why the process must end; of one
}

// current is what the node knows of the nodes now.
func (m *membership) current() *nodes.Snapshot {
	if joined := m.joined.Load(); joined != nil {
		return joined.Get()
	}
	return nil
}

// Join takes part in the installation until Leave or Stop: the node is listed once it has applied
// its logs to their ends, and beats where another one is listed. Of a node that is started.
func (n *Node) Join(self nodes.Self, beats nodes.Beats) {
	self.Up.ID, self.Incarnation = n.o.ID, n.o.Incarnation
	self.Up.Rules = uint32(n.o.rules)
	self.Up.Protocol = nodes.Protocol
	m := &n.membership
	m.self = self.Up
	joined := nodes.NewMembership(self, nodes.Ports{
		Beats: beats, Directory: func() nodes.Directory { return n.Catalog() }, Append: n.appendToCatalog,
		State: n.beat, Now: n.o.timeOfDay, Clock: n.o.Clock, Log: n.o.Log,
	})
	m.joined.Store(joined)
	var ctx context.Context
	ctx, m.cancel = context.WithCancel(n.lifetime.ctx)
	m.over = make(chan struct{})
	n.lifetime.beside.Go(func() {
		defer close(m.over)
		if err := joined.Run(ctx); err != nil {
			m.end(err)
		}
	})
}

// Leave hands the duties of this node over to the others by a last beat. The node serves on.
func (n *Node) Leave() {
	if m := &n.membership; m.joined.Load() != nil {
		m.cancel()
		<-m.over
		for _, r := range n.routing.List() {
			r.Look() // it ends to route
		}
	}
}

// end has the process end; only the first reason is kept.
func (m *membership) end(why error) {
	select {
	case m.ended <- why:
	default:
	}
}

// Ended gives why the process must end: its id is another's, or no node's any more, or its program is too old for
// what the log or the store has.
func (n *Node) Ended() <-chan error { return n.membership.ended }

// RemoveNode takes a node off the list for good; one that is alive must be forced.
func (n *Node) RemoveNode(ctx context.Context, id domain.NodeID, force bool) error {
	joined := n.membership.joined.Load()
	if joined == nil {
		return domain.Fail(domain.Unavailable, "the node is not open yet")
	}
	return joined.Remove(ctx, id, force)
}

// appendToCatalog appends a command and waits for its outcome.
func (n *Node) appendToCatalog(ctx context.Context, c domain.Command) (domain.Outcome, error) {
	s := domain.Submission{Command: c}
	_, _ = rand.Read(s.Request[:]) // never fails: it ends the program instead
	return n.Submit(ctx, s)
}

// beat is what the node says of itself.
func (n *Node) beat() nodes.Beat {
	ready := n.allServe()
	if ready == nil {
		n.membership.served.Store(true)
	}
	b := nodes.Beat{
		State: nodes.Starting, Ready: ready == nil, Catalog: n.Catalog().Next(), LagMs: n.Lag().Milliseconds(),
		Rules: int(n.o.rules), Duties: n.duties(), Wrong: n.wrong(ready),
	}
	if n.membership.served.Load() {
		b.State = nodes.Serving
		if n.membership.lagging(n.shards.late(time.Now())) {
			b.State = nodes.Lagging
		}
	}
	for i, s := range n.here() {
		if at := s.Poisoned.Load(); at != nil {
			b.Poisoned.Add(i, at.Offset, at.Epoch)
		}
	}
	return b
}

// How late a shard is when its node leaves its duties to others, and when the node takes them back.
const (
	lagsAfter = 5 * time.Second
	lagsUntil = time.Second
)

// lagging reports that a node whose shards are so late leaves its duties to others.
func (m *membership) lagging(late time.Duration) bool {
	lags := late > lagsUntil && (late > lagsAfter || m.lags.Load())
	m.lags.Store(lags)
	return lags
}

// duties is what this node does for all, in short.
func (n *Node) duties() string {
	sources := len(n.routing.List())
	return fmt.Sprintf("routes %d of %d partitions, publishes %s", n.routing.held(), sources, n.publishes())
}

// publishes is what this node publishes of what its shards send, and what of it another node did not publish in time.
func (n *Node) publishes() string {
	published, taken := 0, 0
	var since time.Time
	for i := range n.count {
		s := publishingDuty{n, i}.Receiver(i)
		if s == nil {
			continue
		}
		own, over := false, false
		for k := range outbox.Kinds {
			own = own || s.Duties.Publishes(k)
			if at := s.Duties.Since(k); !at.IsZero() {
				over = true
				if since.IsZero() || at.Before(since) {
					since = at
				}
			}
		}
		if own {
			published++
		}
		if over {
			taken++
		}
	}
	text := fmt.Sprintf("%d of %d shards", published, n.count)
	if taken > 0 {
		text += fmt.Sprintf(", %d of them taken over since %s", taken, since.UTC().Format(time.RFC3339))
	}
	return text
}

// wrong is what is wrong with this node, and what to do about it.
func (n *Node) wrong(ready error) string {
	var whys []string
	if ready != nil && n.membership.served.Load() {
		whys = append(whys, ready.Error())
	}
	if err := n.Degraded(); err != nil {
		whys = append(whys, err.Error())
	}
	if ahead := n.o.Clock.Ahead(); ahead != 0 {
		whys = append(whys, fmt.Sprintf("the machine's clock is %v ahead of those of most nodes, which the node goes by: set it right",
			ahead.Round(time.Second)))
	}
	if m := n.membership.joined.Load(); m != nil {
		for _, why := range []string{m.Waiting(), m.Differs()} {
			if why != "" {
				whys = append(whys, why)
			}
		}
	}
	return strings.Join(whys, "; ")
}

// NodeStatus is what an operator sees of one node of the installation. Of another one it is as of
// its last beat.
type NodeStatus struct {
	ID      domain.NodeID `json:"id"`
	Self    bool          `json:"self,omitempty"` // the node that was asked
	Address string        `json:"address"`
	Zone    string        `json:"zone,omitempty"`
	Program string        `json:"program,omitempty"`
	Rules   uint32        `json:"rules"`
	Listed  bool          `json:"listed"` // false: it has not applied its logs to their ends yet
	State   string        `json:"state"`  // starting, serving, lagging, ending, away
	AwayMs  int64         `json:"awayMs,omitempty"`
	Ready   bool          `json:"ready"`
	LagMs   int64         `json:"lagMs"`
	Behind  int64         `json:"catalogBehind"` // records of the catalog that it lacks
	Duties  string        `json:"duties,omitempty"`
	Wrong   string        `json:"wrong,omitempty"`
	Do      string        `json:"do,omitempty"`
}

// away is the state of a node that does not beat.
const away = "away"

// Nodes are the nodes of the installation by id, this one among them.
func (n *Node) Nodes() []NodeStatus {
	s, view := n.membership.current(), n.Catalog()
	var all []NodeStatus
	own := false
	for _, listed := range view.Nodes() {
		st := NodeStatus{
			ID: listed.ID, Address: listed.Address, Zone: listed.Zone, Program: listed.Program, Rules: listed.Rules, Listed: true,
			State: away,
		}
		if listed.ID == n.membership.self.ID {
			own = true
			n.own(&st)
		} else if m := s.Member(listed.ID); m != nil {
			st.of(m, view.Next())
		}
		all = append(all, st)
	}
	if !own {
		up := &n.membership.self
		st := NodeStatus{ID: up.ID, Address: up.Address, Zone: up.Zone, Program: up.Program, Rules: up.Rules}
		n.own(&st)
		all = append(all, st)
	}
	return all
}

// own fills in what this node knows of itself.
func (n *Node) own(st *NodeStatus) {
	b := n.beat()
	st.Self = true
	st.of(&nodes.Member{Beat: b, Heard: true, Alive: true}, b.Catalog)
}

// of fills in what a beat says, as of a catalog that is applied up to next.
func (st *NodeStatus) of(m *nodes.Member, next int64) {
	b := &m.Beat
	switch {
	case m.Alive && m.Heard:
		st.State = string(b.State)
		st.Ready = b.Ready
		st.LagMs = b.LagMs
		st.Behind = max(next-b.Catalog, 0)
		st.Duties = b.Duties
		st.Wrong = b.Wrong
	case m.Alive: // listed a moment ago
		st.State = string(nodes.Starting)
	default:
		st.AwayMs = m.Silent.Milliseconds()
		st.Wrong = b.Wrong
		st.Do = "start it again, or take it off the list: ovation node remove " + st.ID.String()
	}
}
