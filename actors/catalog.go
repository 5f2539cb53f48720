package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
)

// catalogReader is the catalog of a node: the actor that applies it, and what appends to its log.
type catalogReader struct {
	o        *Options
	handle   *catalog.Handle
	fault    *fault
	root     *actor.RootContext
	pid      *actor.PID
	appender *journal.PartitionAppender
	done     chan struct{} // closed when the actor has ended
	reading  sharedReading
}

// fault is what makes a node not ready for good.
type fault struct{ err atomic.Pointer[error] }

func (f *fault) set(err error) { f.err.Store(&err) }

func (f *fault) get() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

func newCatalogReader(o *Options, f *fault) *catalogReader {
	return &catalogReader{o: o, fault: f, handle: catalog.NewHandle()}
}

// open starts the actor, which ends with ctx, and what appends to the log.
func (c *catalogReader) open(
	ctx context.Context, root *actor.RootContext, beside func(func()), moved func(),
) error {
	c.root = root
	behind := &retry.State{What: router.NotToItsEnd}
	c.reading = sharedReading{ctx: ctx, beside: beside, read: func(ctx context.Context) error { return c.catchUp(ctx, behind) }}
	c.appender = journal.StartAppender(ctx, c.o.Catalog.Appender(), 0, c.o.Log)
	store, err := c.o.OpenCatalog()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	a, err := catalog.Open(ctx, catalog.Options{
		Store: store, Log: c.o.Catalog, Logger: c.o.Log, Beside: beside, Fatal: c.fault.set, Moved: moved, Done: done,
	}, c.handle)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	c.done = done
	c.pid = root.Spawn(actor.PropsFromProducer(func() actor.Actor { return a }))
	return nil
}

// Catalog is the newest state of the catalog.
func (c *catalogReader) Catalog() *catalog.View { return c.handle.View() }

// CatchUp returns when the catalog is applied up to its end as of now. It tries as
// long as ctx lasts, unless the catalog has stopped: that is catalog.ErrStopped.
func (c *catalogReader) CatchUp(ctx context.Context) error {
	return c.catchUp(ctx, &retry.State{What: router.NotToItsEnd})
}

// ReadCatalog returns when Catalog is as of the end that its log had at the call or later;
// ErrUnavailable when the end cannot be read within about a second.
func (c *catalogReader) ReadCatalog(ctx context.Context) error { return c.reading.wait(ctx) }

// catchUp is CatchUp that reports why it takes long.
func (c *catalogReader) catchUp(ctx context.Context, t *retry.State, where ...any) error {
	for failures := 1; ; failures++ {
		end, err := c.o.Catalog.End(ctx, 0)
		if err == nil {
			err = c.caughtUp(ctx, end)
		}
		if stopped := c.handle.Err(); stopped != nil { // also where the log is shorter than what was applied
			return stopped
		}
		if err == nil {
			t.Recovered(c.o.Log, where...)
			return nil
		}
		if fault := c.fault.get(); fault != nil {
			return fault
		}
		if ctx.Err() == nil {
			t.Failed(c.o.Log, failures, err, where...)
		}
		if !retry.Backoff(ctx, failures) {
			return err
		}
	}
}

// caughtUp waits a little until the catalog is applied up to next. One that has stopped
// gives no answer.
func (c *catalogReader) caughtUp(ctx context.Context, next int64) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return c.await(ctx, next)
}

// await returns once the catalog is applied up to next.
func (c *catalogReader) await(ctx context.Context, next int64) error {
	if _, err := c.ask(ctx, &waiters.AwaitOffset{Next: next}).Result(); err != nil {
		return domain.ErrUnavailable
	}
	return nil
}

// ask sends a message to the catalog; the answer has as long as ctx.
func (c *catalogReader) ask(ctx context.Context, message any) *actor.Future {
	return c.root.RequestFuture(c.pid, message, deadline.Left(ctx))
}

// maxSetAside is how many records may be set aside within an hour: what is wrong with
// more of them is not the records.
const maxSetAside = 100

// setAside appends that a record is to become a dead letter, unless there were too many of late
// or the append is refused.
func (c *catalogReader) setAside(p catalog.RecordPlace) error {
	now := c.o.timeOfDay()
	if lately := c.Catalog().SetAsides().Since(now.Add(-time.Hour).UnixMilli()); lately >= maxSetAside {
		return fmt.Errorf("%d records were set aside within an hour: it is tried again when the node starts again", lately)
	}
	if !c.appender.Post(domain.Record{Kind: domain.KindSetAside, Command: asideOf(p, now)}, nil) {
		return errors.New("too much waits to be appended to the catalog: it is tried again when the node starts again")
	}
	return nil
}
