package router

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Receive is the mailbox.
func (r *router) Receive(ctx actor.Context) {
	defer func() {
		if p := recover(); p != nil {
			r.crashed(crash.Of("the router", p))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.takeUp(ctx)
	case *actor.Stopping, *actor.Restarting:
		r.stop()
	case *fetched:
		if m.fetcher == r.fetching {
			r.fetched(ctx, m.message)
		}
	case *CatalogMoved:
		if r.shared.Stopped.Load() != nil && r.lifted() {
			r.shared.Stopped.Store(nil)
			r.shared.Gap.Store(nil)
			r.takeUp(ctx)
		}
	case *hold:
		if r.cancel == nil && r.shared.Stopped.Load() == nil {
			r.start(ctx)
		}
	case *leave:
		r.stop()
	case *goOn:
		r.again(ctx)
	}
}

// fetched takes what the fetcher of this start says: a page of an earlier one comes after
// pages that were not routed.
func (r *router) fetched(ctx actor.Context, message any) {
	switch m := message.(type) {
	case *routerStarted:
		r.next, r.marked, r.epoch, r.reading, r.begun, r.announced = m.next, m.next, m.epoch, m.topic, true, false
		r.shared.offset.begin(m.topic, m.noted, m.epoch)
		r.shared.Next.Store(max(m.next, 0))
	case *sourcePage:
		if r.ctx.Err() == nil {
			r.page(ctx, m)
		}
	case *routerFailed:
		r.failed(ctx, m)
	}
}

// lifted reports that what stopped the router may be over: it was neither a panic nor a
// gap, or the gap is accepted.
func (r *router) lifted() bool {
	if r.broken {
		return false
	}
	w := r.shared.Gap.Load()
	return w == nil ||
		r.accepted(journal.GapPlace{Topic: w.Topic, Partition: r.partition, Next: w.From, Epoch: w.Epoch}) != nil
}

// failed stops the router, for good if its partition is no more.
func (r *router) failed(ctx actor.Context, m *routerFailed) {
	if errors.Is(m.err, errNoPartition) {
		r.o.Log.Warn("a partition of the public topic is no more", "partition", r.partition)
		r.stop()
		ctx.Send(ctx.Parent(), &routerEnded{r.partition})
		return
	}
	r.halt(m.err, m.at)
}

func (r *router) page(ctx actor.Context, m *sourcePage) {
	err := r.route(r.ctx, m)
	m.credit <- journal.Spare(m.Arrivals)
	switch {
	case err == nil || r.ctx.Err() != nil:
	case errors.Is(err, errAbove):
		r.again(ctx)
	case errors.Is(err, errElsewhere):
		r.stop()
	default:
		r.halt(err, journal.GapPlace{})
	}
}

// again goes on from where the group has the partition, if it routes: another node was there meanwhile.
func (r *router) again(ctx actor.Context) {
	if r.cancel != nil {
		r.rest()
		r.start(ctx)
	}
}

// rest ends the fetcher: no more is routed.
func (r *router) rest() {
	if r.cancel != nil {
		r.cancel()
		<-r.fetching
		r.cancel, r.fetching = nil, nil
	}
	r.shared.Holding.Store(false)
}

// takeUp begins to route where that is this node's duty; else the supervisor sees whether another one does.
func (r *router) takeUp(ctx actor.Context) {
	if r.o.Nodes.Rank(r.partition) == 0 {
		r.start(ctx)
	}
}

// halt stops this partition only, and says why. A gap is where the router met it.
func (r *router) halt(err error, at journal.GapPlace) {
	var crash *crash.Error
	if errors.As(err, &crash) {
		r.crashed(crash)
		return
	}
	var gap *domain.GapError
	if errors.As(err, &gap) {
		err = at.Met(gap)
	}
	r.o.Log.Error("a partition of the public topic stopped", "partition", r.partition, "err", err)
	r.stop()
	r.shared.Gap.Store(at.Acceptance(err))
	why := r.stopText(err)
	r.shared.Stopped.Store(&why)
}

// crashed stops this partition for the rest of the process. Nothing more is appended or
// committed: the page that was being routed is read again from the group offset or the
// mark, both of which are below it, and what it appended is dropped by its origin (I2).
func (r *router) crashed(err *crash.Error) {
	r.o.Log.Error("a partition of the public topic stopped: its router panicked",
		"partition", r.partition, "err", err, "stack", err.Stack)
	r.broken = true
	r.shared.Gap.Store(nil)
	why := r.stopText(err)
	r.shared.Stopped.Store(&why)
	r.rest()
}

// stop ends routing, and says so: another node may begin at the exact offset.
func (r *router) stop() {
	if r.cancel == nil {
		return
	}
	r.rest()
	if !r.begun {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = r.shared.offset.end(ctx, r.next, r.epoch, !r.doubt) // what is above is another node's
	if r.next != r.marked && !r.doubt {
		_ = r.mark(ctx, r.next, r.epoch) // else the last mark holds
	}
}

// start reads on from where the group left the partition.
func (r *router) start(ctx actor.Context) {
	r.shared.Next.Store(0) // what was routed may be another topic's: Reaches waits for this one's
	r.shared.Stopped.Store(nil)
	r.shared.Gap.Store(nil)
	r.shared.By.Store(nil)
	r.shared.Holding.Store(true)
	r.begun = false
	topic, next, epoch := r.o.topic(r.partition), int64(-1), int32(-1)
	if r.reading == topic { // what this node routed is still known
		next, epoch = r.next, r.epoch
	}
	r.shared.offset.begin(topic, next, epoch)
	r.ctx, r.cancel = context.WithCancel(r.node)
	done, run := make(chan struct{}), r.ctx
	r.fetching = done
	self, root := ctx.Self(), ctx.ActorSystem().Root
	send := func(m any) { root.Send(self, &fetched{done, m}) }
	go func() { // a panic of it is the router's: decoding is done here
		defer close(done)
		err := crash.Guard("the reader of the public topic", func() error {
			r.fetch(run, send)
			return nil
		})
		if err != nil {
			send(&routerFailed{err: err})
		}
	}()
}

// stopText is what is read of a partition of the public topic that stopped.
func (r *router) stopText(err error) string {
	effect := fmt.Sprintf("what is published to partition %d waits there; other partitions and questions go on",
		r.partition)
	return remedy.Text(err, effect, r.o.Remedy(err, r.partition, r.shared.Gap.Load()))
}
