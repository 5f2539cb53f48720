package router

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// groupEvery is how often the group offset is committed while records come, and then when
// none do: it only bounds what is read again, and its fsync would delay the next
// page.
const groupEvery = time.Second

// groupOffset is what the group has of the progress of this node in a partition. The router commits it, and the
// supervisor in its place while the router waits. Any goroutine.
type groupOffset struct {
	source    Source
	nodes     Nodes
	partition int

	mu        sync.Mutex     // held over a commit, so that none overtakes another
	topic     domain.TopicID // that the router reads
	at        domain.Routed
	committed time.Time
	unnoted   int // failures since
}

// begin takes what the group had of a topic when the router began there; below zero: nothing that holds. The first
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

// has reports that the group has that offset.
func (g *groupOffset) has(next int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at.Next == next
}

// errAbove says that another node has routed a partition further: the router is to go on there.
var errAbove = errors.New("another node has routed the partition further")

// commit commits how far the partition is routed. What another node committed above it stays, and is errAbove.
func (g *groupOffset) commit(ctx context.Context, next int64, epoch int32) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.committed = time.Now()
	if !g.nodes.Alone() {
		kept, err := g.source.Kept(ctx, g.partition+1)
		if err != nil {
			g.unnoted++
			return err
		}
		if k := &kept[g.partition]; k.Next > next && k.Topic == g.topic {
			return errAbove
		}
	}
	return g.put(ctx, next, epoch)
}

// failures is how many commits failed since the last one.
func (g *groupOffset) failures() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unnoted
}

// repeat commits what is kept already, as this node's: it routes, and others need not take over.
func (g *groupOffset) repeat(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept, err := g.source.Kept(ctx, g.partition+1)
	if err != nil {
		return err
	}
	next, epoch := g.at.Next, g.at.Epoch
	if k := &kept[g.partition]; k.Next > next && k.Topic == g.topic {
		next, epoch = k.Next, k.Epoch
	}
	return g.put(ctx, next, epoch)
}

// restore commits again what this node has committed, where another one has put less in its place: it was paused
// between its look at the group and its commit, for which Kafka has no condition.
func (g *groupOffset) restore(ctx context.Context, kept *domain.Routed) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at.Next <= kept.Next || kept.Topic != g.topic {
		return nil
	}
	return g.put(ctx, g.at.Next, g.at.Epoch)
}

// put commits. The lock is held.
func (g *groupOffset) put(ctx context.Context, next int64, epoch int32) error {
	at := domain.Routed{Next: next, Epoch: epoch, Node: g.nodes.Self(), Counter: g.at.Counter + 1}
	if err := g.source.Commit(ctx, g.partition, at); err != nil {
		g.unnoted++
		return err
	}
	g.at = at
	g.unnoted = 0
	return nil
}
