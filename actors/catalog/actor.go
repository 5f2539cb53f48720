package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Actor applies the catalog's records. Its fields are owned by the mailbox.
type Actor struct {
	o       Options
	ledger  *ledger
	handle  *Handle
	waiting waiters.Waiters
	fetcher *journal.Fetcher
	ctx     context.Context // of the node
	tell    func(any)       // sends to the actor itself, from any goroutine
	broken  bool            // it was stopped for good: no accepted gap helps
}

// Options is what a catalog is made with.
type Options struct {
	Store  Store
	Log    journal.Log
	Logger *slog.Logger
	Beside func(func())  // runs what the node waits for when it stops
	Fatal  func(error)   // the node is not ready any more
	Moved  func()        // called after a new view is published
	Done   chan struct{} // closed when the actor has ended and its store is closed
}

// Open reads the stored catalog and publishes its view to the handle. The actor begins to
// read its log with Started; ctx is the node's: what it runs ends with it.
func Open(ctx context.Context, o Options, h *Handle) (*Actor, error) {
	c := &Actor{o: o, ledger: newLedger(), handle: h, waiting: waiters.New(), ctx: ctx}
	if err := o.Store.Load(c.ledger.load); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	c.ledger.state = o.Store.State()
	h.view.Store(c.ledger.publish())
	return c, nil
}

// start begins to read the log, if it is the catalog's.
func (c *Actor) start(ctx actor.Context) {
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
func (c *Actor) Receive(ctx actor.Context) {
	defer func() {
		if r := recover(); r != nil {
			c.fail(crash.Of("the catalog", r))
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
		c.waiting.Await(ctx, m.Next, c.handle.view.Load().next, nil)
	case *journal.FetchFailed:
		c.handle.Reading.Failed(c.o.Logger, m.Failures, m.Err)
	case *journal.GapFound:
		c.atGap(m.Gap)
	case *notAccepted:
		if m.at == c.place() {
			c.halt(m.gap)
		}
	case *gapAccepted:
		c.pass(m)
	case *journal.FetcherCrashed:
		c.fail(m.Err)
	case *actor.Stopping, *actor.Restarting:
		if c.fetcher != nil {
			c.fetcher.Stop()
		}
	case *actor.Stopped:
		c.close()
	}
}

// close gives the store back, and says that the actor has ended.
func (c *Actor) close() {
	defer close(c.o.Done)
	if err := c.o.Store.Close(); err != nil {
		c.o.Logger.Warn("closing the catalog's store", "err", err)
	}
}

// page applies a page and commits it: catalog records are few.
func (c *Actor) page(ctx actor.Context, p *journal.Page) {
	defer p.Fetcher.GiveBack(nil)
	if c.handle.Stopped.Load() != nil || p.Fetcher != c.fetcher {
		return
	}
	c.handle.Reading.Progress(c.o.Logger)
	c.handle.Reads.Add(1)
	c.handle.End.Store(p.End)
	before := c.ledger.state.Next
	for i := range p.Records {
		r := &p.Records[i]
		if r.Offset < c.ledger.state.Next {
			continue
		}
		if r.Kind == domain.KindForeign || r.Kind < domain.KindLayout {
			c.handle.Foreign.Skipped(c.o.Logger, "catalog", 0, r)
			continue
		}
		if r.IsVoid() {
			c.ledger.pass(r)
			c.waiting.Outcome(waiters.Request{ID: r.Request, Body: r.BodyHash}, &waiters.Completed{
				First: r.Nonce, Void: true, Clock: c.ledger.state.Clock,
			})
			continue
		}
		out, first := c.ledger.apply(r)
		out.Position = domain.Position{Catalog: r.Offset + 1}
		c.waiting.Outcome(waiters.Request{ID: r.Request, Body: r.BodyHash}, &waiters.Completed{
			Outcome: out, First: first, Clock: c.ledger.state.Clock,
		})
	}
	state := &c.ledger.state
	state.Next, state.Epoch = max(state.Next, p.Next), p.Epoch
	if state.Next > before {
		if err := c.o.Store.Commit(*state, c.ledger.changed); err != nil {
			c.fail(err)
			return
		}
		c.ledger.changed = nil
		c.handle.view.Store(c.ledger.publish())
		c.o.Moved()
	}
	c.handle.Fresh.Applied(p.End, state.Next, p.ReadAt)
	c.waiting.Release(ctx, state.Next, nil)
}

// fail ends applying for good: a store that fails. The node says so and refuses to be ready.
func (c *Actor) fail(err error) {
	c.broken = true
	why := remedy.Text(err, effect, remedy.Restart)
	c.handle.Stopped.Store(&why)
	var crash *crash.Error
	if errors.As(err, &crash) {
		c.o.Logger.Error("the catalog stopped: it panicked",
			"next", c.handle.view.Load().next, "err", err, "stack", crash.Stack)
	} else {
		c.o.Logger.Error("the catalog stopped", "err", err)
	}
	c.o.Fatal(fmt.Errorf("%w: %s", ErrStopped, why))
}

// effect is what follows from a catalog that stopped.
const effect = "brands, definitions, applications and keys stay as they are, and the node is not ready"
