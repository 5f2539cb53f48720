package actors

import (
	"context"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
)

// routing is the routers of a node, and the batcher that they append by.
type routing struct {
	*router.Handles

	o       *Options
	fault   *fault
	batcher *journal.Batcher // of a node that is open
	router  *router.Options
	root    *actor.RootContext
	pid     *actor.PID    // of the supervisor; nil: it is not started
	done    chan struct{} // closed when it has ended
	started atomic.Bool   // pid is there: the catalog's goroutine may read it
}

func newRouting(o *Options, f *fault) *routing {
	return &routing{Handles: router.NewHandles(), o: o, fault: f}
}

// start starts the supervisor of the routers.
func (r *routing) start(root *actor.RootContext, shards *shards, c *catalogReader, among *among) {
	backlogs := make([]journal.Backlog, shards.count)
	for i, s := range shards.here() {
		backlogs[i] = s
	}
	o := &router.Options{
		Source: r.o.Source, Nodes: among, Journal: r.o.Journal, Backlogs: backlogs, Catalog: c.handle, Batcher: r.batcher,
		CatchUp: c.catchUp, Applied: shards.appliedOrigin, Traces: r.o.Traces, Log: r.o.Log,
		Remedy: func(err error, partition int, accept *domain.AcceptGap) remedy.Advice {
			return r.o.remedy(err, "activities", partition, accept)
		},
		Fatal: func(err error) {
			r.o.Log.Error("the node is not ready any more", "err", err)
			r.fault.set(err)
		},
	}
	r.router, r.root = o, root
	r.done = make(chan struct{})
	r.pid = root.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return router.NewSupervisor(o, r.Handles, r.done)
	}))
	r.started.Store(true)
}

// marks are how far the public topic was routed, by whichever node, as the journal has it.
func (r *routing) marks(ctx context.Context) (map[int]int64, error) { return r.router.Marks(ctx) }

// catalogMoved has routers that stopped look whether they may go on.
func (r *routing) catalogMoved() {
	if r.started.Load() {
		r.root.Send(r.pid, &router.CatalogMoved{})
	}
}

// held is how many partitions this node routes.
func (r *routing) held() (n int) {
	for _, h := range r.List() {
		if h.Holding.Load() {
			n++
		}
	}
	return n
}
