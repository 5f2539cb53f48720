package actors

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// tickers are nodes that tick the shards of one log, in a bubble of time.
type tickers struct {
	*testing.T
	log   *memLog
	list  listedNodes
	mu    sync.Mutex
	beats map[domain.NodeID]string
	nodes []*ticker
	count int // shards
}

// ticker is one of them.
type ticker struct {
	member  *nodes.Membership // nil: it is alone
	handles []*shard.Handle
	ahead   atomic.Int64 // of its wall clock
	stuck   atomic.Bool  // its shards apply nothing
	stop    func()
}

type listedNodes []*domain.Node

func (l listedNodes) Nodes() []*domain.Node { return l }

func (l listedNodes) Node(id domain.NodeID) *domain.Node {
	at := slices.IndexFunc(l, func(n *domain.Node) bool { return n.ID == id })
	if at < 0 {
		return nil
	}
	return l[at]
}

func (c *tickers) Commit(_ context.Context, id domain.NodeID, _ int64, metadata string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beats[id] = metadata
	return nil
}

func (c *tickers) Read(_ context.Context, id domain.NodeID) (int64, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if metadata, ok := c.beats[id]; ok {
		return 0, metadata, nil
	}
	return -1, "", nil
}

// inTickers runs a test with n nodes of a log of so many shards.
func inTickers(t *testing.T, n, count int, test func(c *tickers)) {
	inBubble(t, func(t *testing.T) {
		c := &tickers{T: t, log: newMemLog(1, count), beats: map[domain.NodeID]string{}, count: count}
		for i := range n {
			c.list = append(c.list, &domain.Node{ID: domain.NodeID{1, byte(i)}})
		}
		for i := range n {
			c.nodes = append(c.nodes, c.start(c.list[i].ID, n > 1))
			time.Sleep(137 * time.Millisecond) // they look at other moments
		}
		test(c)
		for _, k := range c.nodes {
			k.stop()
		}
	})
}

func (c *tickers) start(id domain.NodeID, joins bool) *ticker {
	ctx, cancel := context.WithCancel(c.Context())
	k := &ticker{}
	now := func() time.Time { return time.Now().Add(time.Duration(k.ahead.Load())) }
	s := &shards{o: &Options{Now: now}, count: c.count, running: map[int]*runningShard{}}
	for i := range c.count {
		h := shard.NewHandle(i)
		k.handles = append(k.handles, h)
		s.running[i] = &runningShard{Handle: h}
		s.appenders = append(s.appenders, journal.StartAppender(ctx, c.log, i, slog.New(slog.DiscardHandler)))
	}
	s.started.Store(true)
	var all sync.WaitGroup
	current := func() *nodes.Snapshot { return nil }
	if joins {
		k.member = nodes.NewMembership(nodes.Self{Up: domain.NodeUp{ID: id}, Incarnation: uint64(id[1]) + 1}, nodes.Ports{
			Beats: c, Directory: func() nodes.Directory { return c.list }, Now: now, Log: slog.New(slog.DiscardHandler),
			State:  func() nodes.Beat { return nodes.Beat{State: nodes.Serving, Ready: true} },
			Append: func(context.Context, domain.Command) (domain.Outcome, error) { return domain.Outcome{}, nil },
		})
		current = k.member.Get
		all.Go(func() {
			if err := k.member.Run(ctx); err != nil {
				c.Error(err)
			}
		})
	}
	all.Go(func() { s.ticks(ctx, current) })
	all.Go(func() { c.apply(ctx, k) })
	k.stop = func() {
		cancel()
		all.Wait()
		for _, a := range s.appenders {
			<-a.Done()
		}
	}
	return k
}

// apply has the shards of a node apply what is appended, within a second.
func (c *tickers) apply(ctx context.Context, k *ticker) {
	for {
		c.log.mu.Lock()
		more := c.log.more
		for p, part := range c.log.parts {
			if !k.stuck.Load() {
				k.handles[p].Applied.Store(int64(len(part)))
			}
		}
		c.log.mu.Unlock()
		select {
		case <-more:
			time.Sleep(time.Second)
		case <-ctx.Done():
			return
		}
	}
}

// rest lets time pass and gives how many records each shard has got.
func (c *tickers) rest(d time.Duration) (got []int) {
	before := c.ends()
	time.Sleep(d)
	for p, end := range c.ends() {
		got = append(got, end-before[p])
	}
	return got
}

func (c *tickers) ends() (ends []int) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	for _, part := range c.log.parts {
		ends = append(ends, len(part))
	}
	return ends
}

// want requires that each shard has got so many ticks.
func (c *tickers) want(what string, got []int, n int) {
	c.Helper()
	for p := range got {
		if got[p] != n {
			c.Errorf("%s: shard %d got %d ticks, want %d; all: %v", what, p, got[p], n, got)
		}
	}
}

// write appends a record to each shard, as commands do.
func (c *tickers) write() {
	for p := range c.count {
		_, _ = c.log.Append(c.Context(), p, []domain.Record{{Kind: domain.KindPublished, Command: &domain.Published{}}})
	}
}

const half = 30 * time.Minute

// An idle shard gets one tick an hour, however many nodes there are, and one that is not idle none.
func TestTicks_OneAnHourOfSilence(t *testing.T) {
	for _, n := range []int{1, 3} {
		inTickers(t, n, 7, func(c *tickers) {
			c.want("before an hour", c.rest(59*time.Minute), 0)
			c.want("a tick is a record", c.rest(time.Minute+half), 1)
			c.want("four hours", c.rest(4*(time.Hour+2*time.Second)), 4)
			for range 3 {
				c.write()
				c.want("beside records", c.rest(59*time.Minute), 0)
			}
		})
	}
}

// The next rank ticks instead of one that is gone, that is paused, or whose shards apply nothing.
func TestTicks_TheNextRankTicks(t *testing.T) {
	t.Run("stopped", func(t *testing.T) {
		inTickers(t, 3, 7, func(c *tickers) {
			c.nodes[0].stop()
			c.want("two are left", c.rest(90*time.Minute), 1)
			c.nodes[1].stop()
			c.want("one is left", c.rest(2*(time.Hour+2*time.Second)), 2)
		})
	})
	t.Run("its shards stopped", func(t *testing.T) {
		inTickers(t, 3, 7, func(c *tickers) {
			k := c.nodes[0]
			c.rest(time.Hour + half)
			k.stuck.Store(true)
			got := c.rest(4 * (time.Hour + 12*time.Second))
			for p, n := range got { // a node whose shard applies nothing ticks once
				if n < 4 || n > 5 {
					c.Errorf("shard %d got %d ticks in four hours; all: %v", p, n, got)
				}
			}
			k.stuck.Store(false)
			c.write()
			c.rest(half)
			c.want("again", c.rest(2*(time.Hour+2*time.Second)), 2)
		})
	})
}

// What a node takes for the time changes nothing: neither a clock that is ahead nor one that is put right.
func TestTicks_WhateverTheWallClock(t *testing.T) {
	inTickers(t, 3, 7, func(c *tickers) {
		c.want("the first hour", c.rest(time.Hour+half), 1)
		leaps := []time.Duration{26 * time.Hour, 365 * 24 * time.Hour, -72 * time.Hour}
		for _, leap := range leaps[:max(1, sampled(len(leaps)))] {
			for i, k := range c.nodes {
				k.ahead.Store(int64(leap))
				c.want("one clock leapt", c.rest(time.Hour+2*time.Second), 1)
				if i > 0 {
					c.nodes[0].ahead.Store(0) // the others stay wrong
				}
			}
			for _, k := range c.nodes {
				k.ahead.Store(0)
			}
			c.want("all are right", c.rest(2*(time.Hour+2*time.Second)), 2)
		}
	})
}

// A process that was paused takes the time for no silence, and a log that takes no record gets one tick of it.
func TestSilence(t *testing.T) {
	at := time.Now()
	var q silence
	pass := func(d time.Duration) {
		for end := at.Add(d); at.Before(end); {
			at = at.Add(tickLook)
			q.look(5, at)
		}
	}
	q.look(5, at)
	if pass(tickAfter - tickLook); q.due(at, 0) {
		t.Error("due before an hour")
	}
	if pass(tickLook); !q.due(at, 0) || q.due(at, 1) {
		t.Error("after an hour rank 0 is due, and rank 1 not yet")
	}
	if pass(tickDelay); !q.due(at, 1) || q.due(at, 2) {
		t.Error("rank 1 is due after rank 0, and rank 2 not yet")
	}
	q.ticked = true
	if pass(10 * tickAfter); q.due(at, 0) {
		t.Error("a second tick is due while the first is on its way")
	}
	if q.look(6, at); q.due(at, 0) {
		t.Error("due at once after a record")
	}
	q = silence{}
	q.look(5, at)
	at = at.Add(2 * tickAfter)
	if q.look(5, at); q.due(at, 0) {
		t.Error("due after a pause")
	}
	if pass(tickAfter); !q.due(at, 0) {
		t.Error("not due an hour after a pause")
	}
}
