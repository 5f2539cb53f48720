package actors

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// catalog is the actor that applies the catalog's records. Its fields are owned by
// the mailbox, but for what is atomic.
type catalog struct {
	store   CatalogStore
	ledger  *ledger
	shared  *catalogShared
	waiting waiting
	log     *slog.Logger
	fatal   func(error)
}

// catalogShared is what others read of the catalog.
type catalogShared struct {
	view    atomic.Pointer[CatalogView]
	fresh   freshness
	end     atomic.Int64 // the log's, as last seen
	moved   func()       // called after a new view is there
	stopped atomic.Pointer[string]
	reading trouble
	foreign foreign
}

// openCatalog reads the stored catalog and publishes its view.
func openCatalog(store CatalogStore, shared *catalogShared, log *slog.Logger, fatal func(error)) (*catalog, error) {
	c := &catalog{store: store, ledger: newLedger(), shared: shared, waiting: newWaiting(), log: log, fatal: fatal}
	if err := store.Load(c.ledger.load); err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	c.ledger.state = store.State()
	shared.view.Store(c.ledger.publish())
	return c, nil
}

// Receive is the mailbox.
func (c *catalog) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *page:
		c.page(ctx, m)
	case *expect:
		c.waiting.expect(m.requested, ctx.Sender())
	case *await:
		c.waiting.await(ctx, m.next, c.ledger.state.Next, nil)
	case *pumpFailed:
		c.shared.reading.met(c.log, m.failures, m.err)
	case *gapFound:
		c.stop(m.gap)
	case *actor.Stopped:
		if err := c.store.Close(); err != nil {
			c.log.Warn("closing the catalog's store", "err", err)
		}
	}
}

// page applies a page and commits it: catalog records are few.
func (c *catalog) page(ctx actor.Context, p *page) {
	defer p.pump.giveBack(nil)
	if c.shared.stopped.Load() != nil {
		return
	}
	c.shared.reading.goes(c.log)
	c.shared.end.Store(p.End)
	before := c.ledger.state.Next
	for i := range p.Records {
		r := &p.Records[i]
		if r.Offset < c.ledger.state.Next {
			continue
		}
		if r.Kind == domain.KindForeign {
			c.shared.foreign.met(c.log, "catalog", r)
			continue
		}
		out := c.ledger.apply(r)
		out.Position = domain.Position{Catalog: r.Offset + 1}
		c.waiting.outcome(requested{r.Request, r.BodyHash}, r.Offset, out)
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
	c.shared.fresh.applied(p.End, state.Next, p.readAt)
	c.waiting.release(ctx, state.Next, nil)
}

// stop ends applying: a store that fails, or another topic. The node says so and
// refuses to be ready.
func (c *catalog) stop(err error) {
	why := err.Error()
	c.shared.stopped.Store(&why)
	c.log.Error("the catalog stopped", "err", err)
	c.fatal(fmt.Errorf("catalog: %w", err))
}

// freshness is the latest moment at which the log's end then seen has since been
// applied. One goroutine writes, any reads. It keeps what the process's own clock says
// beside the time of day: one that is set back while the broker is away makes no lag 0.
type freshness struct{ at atomic.Pointer[time.Time] } // nil: never

// applied notes that a log whose end was seen at a moment is applied up to next.
func (f *freshness) applied(end, next int64, seen time.Time) {
	if next >= end {
		f.at.Store(&seen)
	}
}

// lag is now − that moment; a year when there was none.
func (f *freshness) lag(now time.Time) time.Duration {
	at := f.at.Load()
	if at == nil {
		return 365 * 24 * time.Hour
	}
	return max(0, now.Sub(*at))
}
