package actors

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// sharedSource is the public topic that several nodes read.
type sharedSource struct {
	*memSource
	t testing.TB
}

// reached is the public topic as one node reaches it. Who commits has looked at what the group has of the partition, and
// commits no less. Another node may commit between the two: a commit has no condition.
type reached struct {
	*sharedSource
	mu      sync.Mutex
	paused  chan struct{} // until it is closed nothing comes back; nil: the node runs
	seen    [2]int64      // by partition, by the last look at all
	judged  [2]*int64     // by partition, by a look at it alone, for a commit; nil: none since the last one
	silent  atomic.Bool   // its beats are lost
	commits atomic.Int64  // nanoseconds that each commit of a shard of the node takes more
}

// pause has everything that the node asks take until resume.
func (s *reached) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused == nil {
		s.paused = make(chan struct{})
	}
}

func (s *reached) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused != nil {
		close(s.paused)
		s.paused = nil
	}
}

// waits returns when the node is not paused.
func (s *reached) waits(ctx context.Context) error {
	s.mu.Lock()
	paused := s.paused
	s.mu.Unlock()
	if paused != nil {
		select {
		case <-paused:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *reached) Commit(ctx context.Context, p int, at domain.Routed) error {
	if err := s.waits(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	seen := s.seen[p]
	if s.judged[p] != nil {
		seen, s.judged[p] = *s.judged[p], nil
	}
	s.mu.Unlock()
	if at.Next < seen {
		s.t.Errorf("partition %d: node %s commits %d, and saw that the group has %d", p, at.Node, at.Next, seen)
	}
	return s.memSource.Commit(ctx, p, at)
}

func (s *reached) Kept(ctx context.Context, partitions []int) ([]domain.Routed, error) {
	if err := s.waits(ctx); err != nil {
		return nil, err
	}
	kept, err := s.memSource.Kept(ctx, partitions)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(partitions) == 1 {
		s.judged[partitions[0]] = &kept[0].Next
		return kept, nil
	}
	for i, p := range partitions {
		s.seen[p] = kept[i].Next
	}
	return kept, nil
}

func (s *reached) End(ctx context.Context, p int) (int64, error) {
	if err := s.waits(ctx); err != nil {
		return 0, err
	}
	return s.memSource.End(ctx, p)
}

func (s *reached) Reader(p int) router.SourceReader {
	return pausedReader{s, s.memSource.Reader(p)}
}

type pausedReader struct {
	s *reached
	router.SourceReader
}

func (r pausedReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	if err := r.s.waits(ctx); err != nil {
		return domain.SourcePage{}, err
	}
	return r.SourceReader.Read(ctx, next, epoch, spare)
}

// cluster is nodes on one set of logs, each with a disk of its own, in a bubble of time.
type cluster struct {
	*testing.T
	source *sharedSource
	beats  *memBeats
	nodes  []*harness
	topics []*reached // as each node reaches the public topic
	acts   int
}

// inCluster runs a test with nodes that are listed, and of which each partition has one that routes it.
func inCluster(t *testing.T, n int, test func(c *cluster)) {
	inBubble(t, func(t *testing.T) {
		c := &cluster{T: t, source: &sharedSource{memSource: newMemSource(), t: t}, beats: newMemBeats()}
		journal, catalog := newMemLog(1, 2), newMemLog(2, 1)
		for i := range n {
			topic := &reached{sharedSource: c.source}
			o := Options{ID: domain.NodeID{1, byte(i)}, Incarnation: uint64(i + 1), markEvery: 100}
			o.Source = topic
			o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
			h := &harness{t: t, fs: vfs.NewCrashableMem(), journal: journal, catalog: catalog, source: c.source.memSource, letters: &letters{}, options: o}
			h.wrap = func(_ int, s shard.Store) shard.Store {
				return hookedStore{Store: s, commit: func(domain.ShardState) { time.Sleep(time.Duration(topic.commits.Load())) }}
			}
			c.nodes, c.topics = append(c.nodes, h), append(c.topics, topic)
			c.start(i)
			t.Cleanup(func() { topic.resume(); h.close() })
		}
		c.shared()
		c.nodes[0].furnish(1)
		c.nodes[0].register(0)
		test(c)
	})
}

// start starts a node and has it join.
func (c *cluster) start(i int) {
	h := c.nodes[i]
	h.open()
	h.node.Join(nodes.Self{Up: domain.NodeUp{Address: fmt.Sprint("http://", i)}}, beatsOf{c.beats, &c.topics[i].silent})
}

// running are the nodes that run.
func (c *cluster) running() (list []*harness) {
	for _, h := range c.nodes {
		if h.node != nil {
			list = append(list, h)
		}
	}
	return list
}

// shared waits until each partition has one node that routes it, the same for all.
func (c *cluster) shared() {
	c.Helper()
	c.nodes[0].eventually("sharing", func() bool {
		for p := range 2 {
			for _, h := range c.running() {
				for _, other := range c.running() {
					m := h.node.membership.current().Member(other.options.ID)
					if m == nil || !m.Alive || m.Beat.State != nodes.Serving {
						return false
					}
				}
				first := h.node.among.Rank(p) == 0
				if first != h.node.routing.List()[p].Holding.Load() {
					return false
				}
			}
		}
		return true
	})
}

// holder is the node that routes a partition.
func (c *cluster) holder(p int) int {
	for i, h := range c.nodes {
		if h.node != nil && h.node.routing.List()[p].Holding.Load() {
			return i
		}
	}
	return -1
}

// publish publishes actions to both partitions.
func (c *cluster) publish(n int) {
	for range n {
		c.acts++
		a := domain.Activity{Identity: identityOf(0), Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(c.acts)}
		_, _ = c.source.Append(context.Background(), c.acts%2, []domain.Record{{Kind: domain.KindActivity, Account: 1, Activity: a}})
	}
}

// appended is how many activities of the public topic the journal has, repeats among them.
func (c *cluster) appended() (n int) {
	l := c.nodes[0].journal
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, part := range l.parts {
		for i := range part {
			if part[i].Kind == domain.KindActivity && part[i].Origin.Topic == c.source.id {
				n++
			}
		}
	}
	return n
}

// exact requires that every running node, asked for all that was published, counts it.
func (c *cluster) exact() {
	c.Helper()
	for i, h := range c.nodes {
		if h.node != nil {
			c.exactAt(i)
		}
	}
}

// exactAt requires it of one node.
func (c *cluster) exactAt(i int) {
	c.Helper()
	h := c.nodes[i]
	ctx, cancel := context.WithTimeout(c.Context(), 30*time.Second)
	defer cancel()
	at, err := h.node.AcceptedPosition(ctx)
	if err != nil {
		c.Fatalf("node %d: what was published is not accepted: %v %+v", i, err, h.node.Status().Routers)
	}
	a, err := h.node.Ask(ctx, allOf(domain.ShapeTally, 1), at)
	if err != nil || a.Tally.Total.Actions != uint64(c.acts) {
		c.Fatalf("node %d counts %+v of %d: %v", i, a, c.acts, err)
	}
}

// taken is how often a node took a partition over.
func (c *cluster) taken() (n int64) {
	for _, h := range c.running() {
		for _, r := range h.node.routing.List() {
			n += r.Taken.Load()
		}
	}
	return n
}

// Of three nodes one routes each partition: each activity is in the journal once, and every node knows what is
// routed elsewhere.
func TestRouting_OneNodeRoutesAPartition(t *testing.T) {
	inCluster(t, 3, func(c *cluster) {
		for range 60 {
			c.publish(50)
			time.Sleep(500 * time.Millisecond)
			if c.acts%600 == 0 {
				c.exact()
			}
		}
		c.exact()
		if n := c.appended(); n != c.acts || c.taken() != 0 {
			c.Errorf("%d records of %d activities, %d take-overs", n, c.acts, c.taken())
		}
		for i, h := range c.nodes {
			if lag := h.node.Lag(); lag > 3*time.Second {
				c.Errorf("node %d: lag %v", i, lag)
			}
			for _, r := range h.node.Status().Routers {
				if want := c.nodes[c.holder(r.Partition)].options.ID.String(); r.Here != (c.holder(r.Partition) == i) || !r.Here && r.By != want {
					c.Errorf("node %d: %+v, want by %s", i, r, want)
				}
			}
		}
	})
}

// A node that stops, or is gone without a word, leaves its partitions to the next one.
func TestRouting_IsTakenOver(t *testing.T) {
	for _, gently := range []bool{true, false} {
		t.Run(fmt.Sprint("gently ", gently), func(t *testing.T) {
			inCluster(t, 3, func(c *cluster) {
				c.publish(500)
				c.exact()
				was := c.holder(0)
				h := c.nodes[was]
				c.topics[was].silent.Store(!gently) // then its last beat is lost
				h.node.Leave()
				h.close()
				c.publish(500)
				c.exact()
				if is := c.holder(0); is < 0 || is == was {
					c.Errorf("partition 0 is routed by node %d, after node %d", is, was)
				}
				c.topics[was].silent.Store(false)
				c.start(was)
				c.nodes[was].ready()
				c.shared()
				c.publish(500)
				c.exact()
				if is := c.holder(0); is != was {
					c.Errorf("partition 0 is routed by node %d, whose duty is node %d's", is, was)
				}
			})
		})
	}
}

// Nodes that join and leave under load, as they are told to, hand partitions over: nothing is routed twice or taken over.
func TestRouting_HandOverRepeatsNothing(t *testing.T) {
	seed := rand.Uint64()
	inCluster(t, 3, func(c *cluster) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		load := func(d time.Duration) {
			for range d / (20 * time.Millisecond) {
				c.publish(rnd.IntN(6))
				time.Sleep(20 * time.Millisecond)
			}
		}
		load(2 * time.Second)
		for range 6 {
			i, before := rnd.IntN(3), c.appended()
			c.nodes[i].node.Leave()
			load(time.Duration(rnd.IntN(1500)) * time.Millisecond)
			c.nodes[i].close()
			load(time.Duration(rnd.IntN(12000)) * time.Millisecond)
			c.exact()
			c.start(i)
			c.nodes[i].ready()
			load(time.Duration(6000+rnd.IntN(6000)) * time.Millisecond)
			c.shared()
			c.exact()
			if n := c.appended(); n != c.acts || c.taken() != 0 {
				c.Fatalf("seed %d: %d records of %d activities (%d before), %d take-overs", seed, n, c.acts, before, c.taken())
			}
		}
	})
}

// A node that was paused goes on where others have routed to meanwhile, and not below.
func TestRouting_PausedNodeGoesOnAbove(t *testing.T) {
	inCluster(t, 3, func(c *cluster) {
		c.publish(500)
		c.exact()
		was := c.holder(0)
		c.topics[was].pause()
		for range 60 {
			c.publish(100)
			time.Sleep(time.Second)
		}
		c.topics[was].resume()
		time.Sleep(5 * time.Second)
		c.publish(100)
		c.exact()
		if again := c.appended() - c.acts; again > 4*300 { // of pages that were on their way
			c.Errorf("%d records of %d activities", c.appended(), c.acts)
		}
		if is := c.holder(0); is != was {
			c.Errorf("partition 0 is routed by node %d, whose duty is node %d's", is, was)
		}
	})
}

// A node whose shards apply too slowly routes for nobody while the others apply what comes; it routes again once its shards
// have applied it all.
func TestRouting_LaggingNodeLeavesItsDuties(t *testing.T) {
	inCluster(t, 3, func(c *cluster) {
		c.publish(500)
		c.exact()
		was := c.holder(0)
		c.topics[was].commits.Store(int64(20 * time.Second))
		for range 60 {
			c.publish(200)
			time.Sleep(time.Second)
		}
		own := c.nodes[was].options.ID
		for i, h := range c.nodes {
			if i == was {
				continue
			}
			c.exactAt(i)
			if m := h.node.membership.current().Member(own); m.Beat.State != nodes.Lagging || !m.Beat.Ready {
				c.Errorf("node %d has of the one that lags: %+v", i, m)
			}
			for p := range 2 {
				if rank := h.node.membership.current().RankOf(own, nodes.Publishing, p); rank != 2 {
					c.Errorf("node %d: the one that lags is to publish, rank %d", i, rank)
				}
			}
		}
		kept, err := c.source.Kept(c.Context(), []int{0, 1})
		if err != nil {
			c.Fatal(err)
		}
		for p, at := range kept {
			if at.Node == own {
				c.Errorf("partition %d is routed by the node that lags", p)
			}
		}
		c.topics[was].commits.Store(0)
		c.shared()
		c.publish(500)
		c.exact()
		if is := c.holder(0); is != was {
			c.Errorf("partition 0 is routed by node %d, whose duty is node %d's", is, was)
		}
	})
}

// A node lags from 5 s on until it is 1 s behind: duties do not go to and fro between nodes.
func TestRouting_LagsUntilItIsNearTheEnd(t *testing.T) {
	var m membership
	for _, step := range []struct {
		late time.Duration
		lags bool
	}{
		{0, false}, {4 * time.Second, false}, {6 * time.Second, true}, {2 * time.Second, true}, {time.Second, false}, {4 * time.Second, false},
	} {
		if lags := m.lagging(step.late); lags != step.lags {
			t.Errorf("%v late: %v", step.late, lags)
		}
	}
}

// Whatever nodes are paused, stopped and started, every activity counts once, and what the group has never goes back.
func TestRouting_AnyFaults(t *testing.T) {
	for range 3 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inCluster(t, 3, func(c *cluster) {
				rnd := rand.New(rand.NewPCG(seed, 1))
				for range 40 {
					c.publish(rnd.IntN(120))
					i := rnd.IntN(3)
					switch h := c.nodes[i]; rnd.IntN(5) {
					case 0:
						c.topics[i].pause()
					case 1:
						if h.node != nil && len(c.running()) > 1 {
							c.topics[i].resume()
							h.node.Leave()
							h.close()
						}
					case 2:
						if h.node == nil {
							c.start(i)
						}
					default:
						c.topics[i].resume()
					}
					time.Sleep(time.Duration(rnd.IntN(6000)) * time.Millisecond)
				}
				for i := range c.nodes {
					c.topics[i].resume()
					if c.nodes[i].node == nil {
						c.start(i)
					}
					c.nodes[i].ready()
				}
				c.shared()
				c.publish(50)
				c.exact()
			})
		})
	}
}
