package actors

import (
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/query"
	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

// Node runs the actors of one process: it wires its parts, starts and stops them. What it does
// is theirs. New, then Open, then Start, then Stop.
type Node struct {
	*query.Coordinator // of a node that is started
	*replay.Journals   // of a node that is open
	*shards
	*catalogReader
	*usage
	submitter
	barrier
	gaps
	setAsides
	health

	o          Options
	deliveries *Deliveries
	system     *actor.ActorSystem
	membership membership
	among      among
	lifetime   lifetime
	routing    *routing
	executor   *query.Executor
	questions  yield.Questions // that are open: shards yield to them
	took       *query.Durations
}

// lifetime is when what a node runs ends.
type lifetime struct {
	ctx     context.Context // ends when the node stops, after its actors
	cancel  context.CancelFunc
	loading context.Context // ends when the node begins to stop
	endLoad context.CancelFunc
	beside  sync.WaitGroup // usage, ticks, upgrades of rules and trims
}

// New is a node that is not started.
func New(o Options) *Node {
	n := &Node{o: o.withDefaults(), membership: membership{ended: make(chan error, 1)}, took: query.NewDurations()}
	f := &fault{}
	n.shards = newShards(&n.o)
	n.catalogReader = newCatalogReader(&n.o, f)
	n.among = among{n.o.ID, n.Catalog, n.membership.current}
	n.routing = newRouting(&n.o, f)
	n.usage = newUsage(n.o.Incarnation, n.o.timeOfDay, n.shards.appender)
	n.deliveries = newDeliveries(n.shards, &n.among)
	n.submitter = submitter{shards: n.shards, catalog: n.catalogReader, clocks: make([]logClock, n.shards.count+1)}
	n.barrier = barrier{logs: &n.o.Logs, shards: n.shards, catalog: n.catalogReader, routers: n.routing.Handles}
	n.gaps = gaps{o: &n.o, submitter: &n.submitter, routers: n.routing.Handles, nodes: n.membership.current}
	n.setAsides = setAsides{o: &n.o, submitter: &n.submitter, among: &n.among}
	n.health = health{
		o: &n.o, began: n.o.Now(), fault: f, shards: n.shards, catalog: n.catalogReader, routing: n.routing,
		nodes: n.membership.current,
	}
	n.health.retention = &retention{o: &n.o, shards: n.shards, marks: n.routing.marks, trimmer: newTrimmer(n.o.TrimAfter)}
	return n
}

// Deliveries is how far the events of webhooks came.
func (n *Node) Deliveries() *Deliveries { return n.deliveries }

// Open starts what is no shard, and reads the catalog to its end: a record is applied
// with all that the catalog says of it at hand, in a replay too. It waits for the
// broker as long as ctx lasts. After catalog.ErrStopped the node is open all the same: it
// can be started once CatchUp returns without an error.
func (n *Node) Open(ctx context.Context) error {
	l := &n.lifetime
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.loading, l.endLoad = context.WithCancel(l.ctx)
	n.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil)) // failures are logged where they are decided
	}))
	// Futures of an earlier life have other names.
	n.system.ProcessRegistry.SequenceID = uint64(n.o.Now().UnixNano()) >> 8
	n.executor = query.StartExecutor(l.ctx, n.o.Workers)
	n.shards.open(l.ctx, n.system.Root, l.beside.Go)
	n.routing.batcher = journal.NewBatcher(n.o.Journal, n.o.Log)
	n.Journals = replay.New(replay.Config{
		Ctx: l.ctx, System: n.system, Journal: n.o.Journal, Catalog: n.catalogReader.handle, CatchUp: n.CatchUp,
		Shard: n.shards.handle, Settings: n.settings,
	})
	l.beside.Go(func() { n.usage.run(l.ctx) })
	l.beside.Go(func() { n.ticks(l.ctx, n.membership.current) })
	following := &followedLists{shards: n.shards, catalog: n.Catalog, current: n.membership.current}
	l.beside.Go(func() { following.run(l.ctx) })
	l.beside.Go(func() { n.renews(l.ctx) })
	l.beside.Go(func() { n.upgrades(l.ctx) })
	if err := n.catalogReader.open(l.ctx, n.system.Root, l.beside.Go, n.catalogMoved); err != nil {
		return err
	}
	return n.CatchUp(ctx)
}

// Start starts the shards and the routers of an open node. Shards catch up behind it:
// see Ready.
func (n *Node) Start() {
	n.shards.start(n.lifetime.loading, n.settings)
	shards := n.queried()
	n.submitter.Addresses = &query.Addresses{Shards: shards, Logs: n}
	n.Coordinator = query.New(query.Options{
		Shards: shards, Logs: n, Yield: &n.questions, MaxRows: n.o.MaxRows, Apart: &n.apart, Took: n.took, Changes: &n.shards.changes,
	})
	n.routing.start(n.system.Root, n.shards, n.catalogReader, &n.among)
	n.catalogMoved() // what moved meanwhile
	n.lifetime.beside.Go(func() { n.looks(n.lifetime.ctx) })
	if n.o.Trim != nil {
		n.lifetime.beside.Go(func() { n.health.retention.run(n.lifetime.ctx) })
	}
}

// settings are what a shard of the node is made with.
func (n *Node) settings(id int, h *shard.Handle) shard.Config {
	c := n.shards.settings(id, h)
	c.Catalog = n.catalogReader.handle
	c.ReadCatalog = n.ReadCatalog
	c.Hooks.Remedy = n.stopRemedy
	c.Hooks.SetAside = n.setAside
	c.Hooks.Counted = n.usage.remote.see
	c.Hooks.Delivered = n.deliveries.see
	c.Hooks.Newer = n.needsNewer
	c.Yield = &n.questions
	c.Duty = publishingDuty{n, id}
	c.Joining = !n.o.ID.IsZero() && n.Catalog().Node(n.o.ID) == nil
	return c
}

// catalogMoved tells the shards and the routers that wait for a record of the catalog: one that
// is about to stop as well, so that none is missed.
func (n *Node) catalogMoved() {
	n.shards.catalogMoved()
	n.routing.catalogMoved()
}

// queried are what the coordinator asks, by shard.
func (n *Node) queried() []query.Shard {
	out := make([]query.Shard, n.count)
	for i, s := range n.here() {
		out[i] = &query.Local{
			ID: i, Shards: n.count, Views: &s.View, Executor: n.executor, Catalog: n.Catalog, Rows: s.Stats.Rows.Load,
			Warm: func(account domain.AccountID, dense uint32) {
				n.system.Root.Send(s.pid, &shard.Warm{Cold: accounts.Cold{Account: account, Dense: dense}})
			},
			Now: n.o.Now,
		}
	}
	return out
}
