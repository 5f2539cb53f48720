package actors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/query"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

// Node runs the actors of one process. New, then Open, then Start, then Stop.
type Node struct {
	*query.Coordinator // of a node that is started

	o       Options
	shards  int
	system  *actor.ActorSystem
	ctx     context.Context // ends when the node stops, after its actors
	cancel  context.CancelFunc
	loading context.Context // ends when the node begins to stop
	endLoad context.CancelFunc

	catalog         *catalog.Handle
	catalogPID      *actor.PID
	catalogDone     chan struct{}
	catalogAppender *journal.PartitionAppender

	shared      []*shard.Handle
	pids        []*actor.PID // shards
	appenders   []*journal.PartitionAppender
	batcher     *journal.Batcher
	routing     *router.Handles
	routers     *actor.PID
	routersDone chan struct{}
	ended       []chan struct{} // of each shard, closed when it has
	executor    *query.Executor
	usage       *usage
	questions   yield.Questions
	beside      sync.WaitGroup // usage, ticks and trims

	resident atomic.Int64 // bytes that columns may take, over all shards; 0: no bound

	began   time.Time   // of the process, by Options.Now
	started atomic.Bool // pids and routers are there: the catalog's goroutine may read them

	fault atomic.Pointer[error] // what makes the node not ready for good
}

// New is a node that is not started.
func New(o Options) *Node {
	if o.AwakeBytes == 0 {
		o.AwakeBytes = 192 << 20
	}
	if o.CachedIdentities == 0 {
		o.CachedIdentities = 50_000
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	shards := o.Journal.Partitions()
	n := &Node{o: o, shards: shards, began: o.Now(), catalog: catalog.NewHandle(), routing: router.NewHandles()}
	n.KeepResident(int64(o.ResidentBytes))
	return n
}

// Open starts what is no shard, and reads the catalog to its end: a record is applied
// with all that the catalog says of it at hand, in a replay too. It waits for the
// broker as long as ctx lasts. After catalog.ErrStopped the node is open all the same: it
// can be started once CatchUp returns without an error.
func (n *Node) Open(ctx context.Context) error {
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.loading, n.endLoad = context.WithCancel(n.ctx)
	n.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil)) // failures are logged where they are decided
	}))
	n.system.ProcessRegistry.SequenceID = uint64(n.o.Now().UnixNano()) >> 8 // futures of an earlier life have other names
	n.executor = query.StartExecutor(n.ctx, n.o.Workers)
	for i := range n.shards {
		n.appenders = append(n.appenders, journal.StartAppender(n.ctx, n.o.Journal.Appender(), i, n.o.Log))
	}
	n.batcher = journal.NewBatcher(n.o.Journal, n.o.Log)
	n.catalogAppender = journal.StartAppender(n.ctx, n.o.Catalog.Appender(), 0, n.o.Log)
	n.usage = newUsage(n.o.Incarnation, func(slot domain.Slot, r domain.Record) bool {
		return n.appenders[slot.Shard(n.shards)].Post(r)
	})
	n.beside.Go(func() { n.usage.run(n.ctx) })
	n.beside.Go(func() { n.ticks(n.ctx) })
	n.beside.Go(func() { n.renews(n.ctx) })
	if err := n.startCatalog(); err != nil {
		return err
	}
	return n.CatchUp(ctx)
}

// Start starts the shards and the routers of an open node. Shards catch up behind it:
// see Ready.
func (n *Node) Start() {
	for i := range n.shards {
		n.startShard(i)
	}
	n.Coordinator = query.New(query.Options{Shards: n.doors(), Logs: n, Yield: &n.questions, MaxRows: n.o.MaxRows})
	n.startRouters()
	n.started.Store(true)
	n.catalogMoved() // what moved meanwhile
	if n.o.Trim != nil {
		n.beside.Go(func() { n.trims(n.ctx) })
	}
}

func (n *Node) startCatalog() error {
	store, err := n.o.OpenCatalog()
	if err != nil {
		return err
	}
	n.catalogDone = make(chan struct{})
	c, err := catalog.Open(n.ctx, catalog.Options{
		Store: store, Log: n.o.Catalog, Logger: n.o.Log, Beside: n.beside.Go,
		Fatal: func(err error) { n.fault.Store(&err) }, Moved: n.catalogMoved, Done: n.catalogDone,
	}, n.catalog)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	n.catalogPID = n.system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return c }))
	return nil
}

// catalogMoved tells those who may wait for the catalog: one that is about to stop
// as well, so that no word is missed.
func (n *Node) catalogMoved() {
	if !n.started.Load() {
		return
	}
	for _, p := range n.pids {
		n.system.Root.Send(p, &shard.CatalogMoved{})
	}
	n.system.Root.Send(n.routers, &router.CatalogMoved{})
}

func (n *Node) startShard(i int) {
	shared := shard.NewHandle(i)
	env := &shard.Config{
		ID: i, Shards: n.shards, Journal: n.o.Journal, Appender: n.appenders[i],
		Open:    func() (shard.Store, error) { return n.o.OpenShard(i) },
		Catalog: n.catalog, Handle: shared, SetAside: n.setAside, Yield: &n.questions, Log: n.o.Log,
		DeadLetters: n.o.DeadLetters,
		Remedy: func(err error, partition int, accept *domain.AcceptGap) string {
			return n.o.remedy(err, "journal", partition, accept)
		},
		Limits: shard.Limits{
			AwakeBytes: n.o.AwakeBytes / n.shards, Identities: n.o.CachedIdentities, MarkEvery: n.o.markEvery,
			OutboxDepth: n.o.outboxDepth, Resident: &n.resident,
		},
		Lifetime: shard.Lifetime{Ctx: n.loading, Done: make(chan struct{})},
	}
	n.shared = append(n.shared, shared)
	n.pids = append(n.pids, n.system.Root.Spawn(shard.Props(env)))
	n.ended = append(n.ended, env.Done)
}

// doors are what the coordinator asks, by shard.
func (n *Node) doors() []query.Shard {
	out := make([]query.Shard, len(n.shared))
	for i, s := range n.shared {
		pid := n.pids[i]
		out[i] = &query.Local{
			ID: i, Shards: n.shards, Views: &s.View, Executor: n.executor, Catalog: n.Catalog, Rows: s.Stats.Rows.Load,
			Warm: func(account domain.AccountID, dense uint32) {
				n.system.Root.Send(pid, &shard.Warm{Cold: accounts.Cold{Account: account, Dense: dense}})
			}, Now: n.o.Now,
		}
	}
	return out
}

func (n *Node) startRouters() {
	backlogs := make([]journal.Backlog, len(n.shared))
	for i, s := range n.shared {
		backlogs[i] = s
	}
	o := &router.Options{
		Source: n.o.Source, Journal: n.o.Journal, Backlogs: backlogs, Catalog: n.catalog, Batcher: n.batcher,
		CatchUp: n.catchUp, Applied: n.appliedOrigin, Log: n.o.Log,
		Remedy: func(err error, partition int, accept *domain.AcceptGap) string {
			return n.o.remedy(err, "activities", partition, accept)
		},
		Fatal: func(err error) {
			n.o.Log.Error("the node is not ready any more", "err", err)
			n.fault.Store(&err)
		},
	}
	n.routersDone = make(chan struct{})
	n.routers = n.system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return router.NewSupervisor(o, n.routing, n.routersDone)
	}))
}

// appliedWithin is how long a router waits for a shard's answer, and with it the node's stop.
const appliedWithin = 200 * time.Millisecond

// appliedOrigin is the highest origin of a stream that a shard has applied, once it has
// applied its journal below an offset.
func (n *Node) appliedOrigin(ctx context.Context, id int, below int64, topic domain.TopicID, partition int32) (domain.Origin, error) {
	ask := func(message any) (any, error) {
		return n.system.Root.RequestFuture(n.pids[id], message, min(appliedWithin, patience(ctx))).Result()
	}
	if _, err := ask(&waiters.AwaitOffset{Next: below}); err != nil {
		return domain.Origin{}, fmt.Errorf("shard %d, which knows how far was routed, has not applied %d records: %w", id, below, err)
	}
	answer, err := ask(&shard.WhichApplied{Stream: shard.Stream{Topic: topic, Partition: partition}})
	if err != nil {
		return domain.Origin{}, err
	}
	return answer.(*shard.LastApplied).Origin, nil
}

// CatchUp returns when the catalog is applied up to its end as of now. It tries as
// long as ctx lasts, unless the catalog has stopped: that is catalog.ErrStopped.
func (n *Node) CatchUp(ctx context.Context) error {
	return n.catchUp(ctx, &retry.State{What: router.NotToItsEnd})
}

// catchUp is CatchUp that tells why it takes long.
func (n *Node) catchUp(ctx context.Context, t *retry.State, where ...any) error {
	for failures := 1; ; failures++ {
		end, err := n.o.Catalog.End(ctx, 0)
		if err == nil {
			err = n.caughtUp(ctx, end)
		}
		if stopped := n.catalog.Err(); stopped != nil { // also where the log is shorter than what was applied
			return stopped
		}
		if err == nil {
			t.Recovered(n.o.Log, where...)
			return nil
		}
		if fault := n.fault.Load(); fault != nil {
			return *fault
		}
		if ctx.Err() == nil {
			t.Failed(n.o.Log, failures, err, where...)
		}
		if !retry.Backoff(ctx, failures) {
			return err
		}
	}
}

// caughtUp waits a little until the catalog is applied up to next. One that has stopped
// gives no answer.
func (n *Node) caughtUp(ctx context.Context, next int64) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return n.awaitCatalog(ctx, next)
}

// setAsideMost is how many records may be set aside within an hour: what is wrong with
// more of them is not the records.
const setAsideMost = 100

// setAside appends the word that a record is to become a dead letter; false when there
// were too many of late, or nobody takes it.
func (n *Node) setAside(p catalog.RecordPlace) error {
	now := n.o.Now()
	if lately := n.Catalog().SetAsideSince(now.Add(-time.Hour).UnixMilli()); lately >= setAsideMost {
		return fmt.Errorf("%d records were set aside within an hour: it is tried again when the node starts again", lately)
	}
	word := &domain.SetAside{Topic: p.Topic, Partition: p.Partition, Offset: p.Offset, Epoch: p.Epoch, At: now.UnixMilli()}
	if !n.catalogAppender.Post(domain.Record{Kind: domain.KindSetAside, Command: word}) {
		return errors.New("too much waits to be appended to the catalog: it is tried again when the node starts again")
	}
	return nil
}
