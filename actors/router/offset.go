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
	put       bool // since the topic was begun, the group has had what this node has
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
	g.topic, g.at.Next, g.at.Epoch, g.at.Ended, g.committed, g.put = topic, next, epoch, false, time.Time{}, false
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

var (
	// errAbove says that another node has routed a partition further: the router is to go on there.
	errAbove = errors.New("another node has routed the partition further")
	// errElsewhere says that a node of a lower rank routes a partition: the router is to leave it.
	errElsewhere = errors.New("the node whose duty the partition is routes it")
)

// commit commits how far the partition is routed, which is errElsewhere if a node of a lower rank does it too. What another
// node committed above it stays, and is errAbove.
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
			switch {
			case g.elsewhere(&kept, next):
				return errElsewhere
			case kept.Next > next:
				return errAbove
			}
		}
		_, topic := g.last()
		return g.store(ctx, topic, domain.Routed{Next: next, Epoch: epoch})
	})
}

// elsewhere reports that a node of a lower rank has committed since this one began at next or below: what it left before
// is not meant.
func (g *groupOffset) elsewhere(kept *domain.Routed, next int64) bool {
	g.mu.Lock()
	since := g.put || kept.Next > next
	g.mu.Unlock()
	return since && kept.Node != g.nodes.Self() && !kept.Ended &&
		g.nodes.RankOf(kept.Node, g.partition) < g.nodes.Rank(g.partition)
}

// end commits where this node ends to route, and whether it has appended nothing above. What another node committed above
// it stays. Where another one has put less in its place, it is put right: that one was paused between its look at the group
// and its commit, for which Kafka has no condition.
func (g *groupOffset) end(ctx context.Context, next int64, epoch int32, ended bool) error {
	if g.nodes.Alone() && g.has(next) {
		return nil
	}
	return g.alone(ctx, func() error {
		kept, err := g.kept(ctx)
		if err != nil {
			return err
		}
		if kept.Next > next {
			return errAbove
		}
		_, topic := g.last()
		return g.store(ctx, topic, domain.Routed{Next: next, Epoch: epoch, Ended: ended})
	})
}

// repeat commits what is kept already, as this node's: it routes, and others need not take over. After the end it does nothing.
func (g *groupOffset) repeat(ctx context.Context) error {
	return g.alone(ctx, func() error {
		kept, err := g.kept(ctx)
		if err != nil {
			return err
		}
		at, topic := g.last()
		if at.Ended {
			return nil
		}
		if kept.Topic == topic && kept.Next > at.Next {
			at = kept
		}
		if at.Next < 0 {
			return nil
		}
		return g.store(ctx, topic, domain.Routed{Next: at.Next, Epoch: at.Epoch})
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
	case errors.Is(err, errAbove), errors.Is(err, errElsewhere):
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

// store commits an offset of a topic, as this node's.
func (g *groupOffset) store(ctx context.Context, topic domain.TopicID, at domain.Routed) error {
	last, _ := g.last()
	at.Topic, at.Node, at.Counter = topic, g.nodes.Self(), last.Counter+1
	if err := g.source.Commit(ctx, g.partition, at); err != nil {
		return err
	}
	g.recovered()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.topic == topic {
		g.at, g.put = at, true
	}
	return nil
}
