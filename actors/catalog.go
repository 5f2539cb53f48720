package actors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// catalog is the actor that applies the catalog's records. Its fields are owned by
// the mailbox, but for what is atomic.
type catalog struct {
	store   CatalogStore
	ledger  *ledger
	shared  *catalogShared
	waiting waiters.Waiters
	log     journal.Log
	fetcher *journal.Fetcher
	ctx     context.Context // of the node: pumps end with it
	tell    func(any)       // sends to the actor itself, from any goroutine
	beside  func(func())    // runs what the node waits for when it stops
	logger  *slog.Logger
	fatal   func(error)
	done    chan struct{} // closed when the actor has ended
	broken  bool          // it was stopped for good: no word helps
}

// catalogShared is what others read of the catalog.
type catalogShared struct {
	view    atomic.Pointer[CatalogView]
	fresh   journal.Freshness
	end     atomic.Int64 // the log's, as last seen
	moved   func()       // called after a new view is there
	stopped atomic.Pointer[string]
	gap     atomic.Pointer[domain.AcceptGap] // the word that would let it go on
	reads   atomic.Int64                     // pages read
	reading retry.State
	foreign journal.ForeignRecords
}

// openCatalog reads the stored catalog and publishes its view. It begins to read its log
// with Started.
func (n *Node) openCatalog(store CatalogStore) (*catalog, error) {
	c := &catalog{
		store: store, ledger: newLedger(), shared: n.catalog, waiting: waiters.New(), log: n.o.Catalog, ctx: n.ctx, logger: n.o.Log,
		beside: n.beside.Go, fatal: func(err error) { n.fault.Store(&err) }, done: make(chan struct{}),
	}
	if err := store.Load(c.ledger.load); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	c.ledger.state = store.State()
	c.shared.view.Store(c.ledger.publish())
	return c, nil
}

// start begins to read the log, if it is the catalog's.
func (c *catalog) start(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	c.tell = func(m any) { root.Send(self, m) }
	var g *domain.GapError
	if errors.As(c.sameLog(), &g) {
		c.halt(g)
		return
	}
	c.read()
}

// Receive is the mailbox. A record on which applying panics is not passed over: what is
// in memory then is neither stored nor published, and the catalog stops.
func (c *catalog) Receive(ctx actor.Context) {
	defer func() {
		if r := recover(); r != nil {
			c.stop(crash.Of("the catalog", r))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		c.start(ctx)
	case *journal.Page:
		c.page(ctx, m)
	case *waiters.AwaitOutcome:
		c.waiting.Expect(m.Request, ctx.Sender())
	case *waiters.AwaitOffset:
		c.waiting.Await(ctx, m.Next, c.shared.view.Load().next, nil)
	case *journal.FetchFailed:
		c.shared.reading.Failed(c.logger, m.Failures, m.Err)
	case *journal.GapFound:
		c.atGap(m.Gap)
	case *noWord:
		if m.at == c.place() {
			c.halt(m.gap)
		}
	case *wordFound:
		c.pass(m)
	case *journal.FetcherCrashed:
		c.stop(m.Err)
	case *actor.Stopping, *actor.Restarting:
		if c.fetcher != nil {
			c.fetcher.Stop()
		}
	case *actor.Stopped:
		c.close()
	}
}

// close gives the store back, and says that the actor has ended.
func (c *catalog) close() {
	defer close(c.done)
	if err := c.store.Close(); err != nil {
		c.logger.Warn("closing the catalog's store", "err", err)
	}
}

// page applies a page and commits it: catalog records are few.
func (c *catalog) page(ctx actor.Context, p *journal.Page) {
	defer p.Fetcher.GiveBack(nil)
	if c.shared.stopped.Load() != nil || p.Fetcher != c.fetcher {
		return
	}
	c.shared.reading.Progress(c.logger)
	c.shared.reads.Add(1)
	c.shared.end.Store(p.End)
	before := c.ledger.state.Next
	for i := range p.Records {
		r := &p.Records[i]
		if r.Offset < c.ledger.state.Next {
			continue
		}
		if r.Kind == domain.KindForeign {
			c.shared.foreign.Skipped(c.logger, "catalog", r)
			continue
		}
		out := c.ledger.apply(r)
		out.Position = domain.Position{Catalog: r.Offset + 1}
		c.waiting.Outcome(waiters.Request{ID: r.Request, Body: r.BodyHash}, r.Offset, out)
	}
	state := &c.ledger.state
	state.Next, state.Epoch = max(state.Next, p.Next), p.Epoch
	if state.Next > before {
		if err := c.store.Commit(*state, c.ledger.changed); err != nil {
			c.stop(err)
			return
		}
		c.ledger.changed = nil
		c.shared.view.Store(c.ledger.publish())
		c.shared.moved()
	}
	c.shared.fresh.Applied(p.End, state.Next, p.ReadAt)
	c.waiting.Release(ctx, state.Next, nil)
}

// stop ends applying for good: a store that fails. The node says so and refuses to be ready.
func (c *catalog) stop(err error) {
	c.broken = true
	why := stopText(err, catalogEffect, "restart the node, which tries it again; the log has more")
	c.shared.stopped.Store(&why)
	var crash *crash.Error
	if errors.As(err, &crash) {
		c.logger.Error("the catalog stopped: it panicked", "next", c.shared.view.Load().next, "err", err, "stack", crash.Stack)
	} else {
		c.logger.Error("the catalog stopped", "err", err)
	}
	c.fatal(fmt.Errorf("%w: %s", ErrCatalogStopped, why))
}
