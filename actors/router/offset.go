package router

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// groupEvery is how often the group offset is committed while records come, and then when
// none do: it only bounds what is read again, and its fsync would delay the next
// page.
const groupEvery = time.Second

// groupOffset is what the group has of the progress of this node in a partition. The router commits it, and the
// supervisor in its place while the router waits. Any goroutine.
type groupOffset struct {
	source     Source
	nodes      Nodes
	log        *slog.Logger
	partition  int
	committing chan struct{} // holds one while a commit is under way: none overtakes another
	state      retry.State   // written by who commits
	failed     int           // commits in a row; likewise

	mu        sync.Mutex     // guards what follows; never held over an exchange with the broker
	topic     domain.TopicID // that the router reads
	at        domain.Routed
	committed time.Time
}

func newGroupOffset(o *Options, partition int) *groupOffset {
	return &groupOffset{
		source: o.Source, nodes: o.Nodes, log: o.Log, partition: partition, committing: make(chan struct{}, 1),
		at:    domain.Routed{Next: -1},
		state: retry.State{What: "the router's offset cannot be committed"},
	}
}

// begin takes a topic, and up to where the journal has it as far as the router knows; below zero: it does not know. The first
// commit is due: it says who routes.
func (g *groupOffset) begin(topic domain.TopicID, next int64, epoch int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.topic, g.at.Next, g.at.Epoch, g.committed = topic, next, epoch, time.Time{}
}

// due reports that the last commit was long enough ago.
func (g *groupOffset) due(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return now.Sub(g.committed) >= groupEvery
}

// last is what the group has by this node, of which topic.
func (g *groupOffset) last() (domain.Routed, domain.TopicID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at, g.topic
}

// has reports that the group has that offset.
func (g *groupOffset) has(next int64) bool {
	at, _ := g.last()
	return at.Next == next
}

// errAbove says that another node has routed a partition further: the router is to go on there.
var errAbove = errors.New("another node has routed the partition further")

// commit commits how far the partition is routed. What another node committed above it stays, and is errAbove.
func (g *groupOffset) commit(ctx context.Context, next int64, epoch int32) error {
	return g.alone(ctx, func() error {
		g.mu.Lock()
		g.committed = time.Now()
		g.mu.Unlock()
		if !g.nodes.Alone() {
			kept, err := g.kept(ctx)
			if err != nil {
				return err
			}
			if kept.Next > next {
				return errAbove
			}
		}
		_, topic := g.last()
		return g.put(ctx, topic, next, epoch)
	})
}

// repeat commits what is kept already, as this node's: it routes, and others need not take over.
func (g *groupOffset) repeat(ctx context.Context) error {
	return g.alone(ctx, func() error {
		kept, err := g.kept(ctx)
		if err != nil {
			return err
		}
		at, topic := g.last()
		if kept.Topic == topic && kept.Next > at.Next {
			at = kept
		}
		if at.Next < 0 {
			return nil
		}
		return g.put(ctx, topic, at.Next, at.Epoch)
	})
}

// restore commits again what this node has committed, where another one has put less in its place: it was paused
// between its look at the group and its commit, for which Kafka has no condition.
func (g *groupOffset) restore(ctx context.Context, kept *domain.Routed) error {
	return g.alone(ctx, func() error {
		at, topic := g.last()
		if at.Next <= kept.Next || kept.Topic != topic {
			return nil
		}
		return g.put(ctx, topic, at.Next, at.Epoch)
	})
}

// alone calls f when no other commit is under way, and notes how it went.
func (g *groupOffset) alone(ctx context.Context, f func() error) error {
	select {
	case g.committing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-g.committing }()
	err := f()
	switch {
	case errors.Is(err, errAbove):
		g.recovered()
	case err != nil && ctx.Err() == nil:
		g.failed++
		g.state.Failed(g.log, g.failed, err, "partition", g.partition)
	}
	return err
}

// recovered notes an exchange with the broker that gave what was asked for.
func (g *groupOffset) recovered() {
	g.failed = 0
	g.state.Recovered(g.log, "partition", g.partition)
}

// kept is what the group has of the topic that is read; a Next below zero: nothing.
func (g *groupOffset) kept(ctx context.Context) (domain.Routed, error) {
	all, err := g.source.Kept(ctx, []int{g.partition})
	if err != nil {
		return domain.Routed{}, err
	}
	kept := all[0]
	if _, topic := g.last(); kept.Topic != topic {
		kept = domain.Routed{Next: -1}
	}
	return kept, nil
}

// put commits an offset of a topic.
func (g *groupOffset) put(ctx context.Context, topic domain.TopicID, next int64, epoch int32) error {
	last, _ := g.last()
	at := domain.Routed{Next: next, Epoch: epoch, Topic: topic, Node: g.nodes.Self(), Counter: last.Counter + 1}
	if err := g.source.Commit(ctx, g.partition, at); err != nil {
		return err
	}
	g.recovered()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.topic == topic {
		g.at = at
	}
	return nil
}
