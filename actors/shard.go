package actors

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/twogen"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/view"
)

// shardEnv is what a shard is given and keeps over its restarts.
type shardEnv struct {
	id, shards int
	journal    journal.Log
	appender   *journal.PartitionAppender // of this partition
	open       func() (ShardStore, error)
	catalog    *catalog.Handle
	options    Options
	resident   *atomic.Int64 // bytes that columns may take, over all shards; 0: no bound
	shared     *shardShared
	poison     func(catalog.RecordPlace) error // a record failed twice: the shard starts again once the catalog sets it aside
	yield      *yield.Questions                // of the node
	log        *slog.Logger
	ctx        context.Context // ends when the node stops: loading looks at it
	done       chan struct{}   // closed when the actor has ended and its store is closed

	singly   int64                // below this offset records are applied one by one, since one of them panicked
	poisoned *catalog.RecordPlace // the record that panicked alone; nil: none
	lacks    domain.BrandID       // which the catalog at hand does not know yet; 0: none
	floor    int64                // below this offset the shard shows nothing: it was further before it was reopened
}

// shardShared is what others read of a shard, on any goroutine.
type shardShared struct {
	id        int
	view      view.Holder
	behaviour atomic.Int32
	applied   atomic.Int64 // offset after the last record committed
	end       atomic.Int64 // the journal's end as last seen
	first     atomic.Int64 // 1 + the journal's end as first seen in this process; 0: not yet
	rate      atomic.Int64 // records applied in the last 200 ms
	fresh     journal.Freshness
	stopped   atomic.Pointer[string]
	gap       atomic.Pointer[domain.AcceptGap] // the word that would let it go on
	met       atomic.Pointer[domain.GapError]  // the gap that the word is for
	reads     atomic.Int64                     // pages read
	stats     shardStats
	foreign   journal.ForeignRecords
	progress  chan struct{} // holds one token after a commit
	apart     atomic.Bool   // its outbox was full: routers do not wait for it until it is near the end again
	outbox    outboxShared
	reading   retry.State
	space     retry.State
	clock     clockShared
}

func newShardShared(id int) *shardShared {
	s := &shardShared{id: id, progress: make(chan struct{}, 1), reading: retry.State{What: "the journal cannot be read"}, space: retry.State{What: "nothing is applied"}}
	s.outbox.forwarding.What = "forwards cannot be published"
	s.outbox.lettering.What = "dead letters cannot be published"
	return s
}

// behaviour is what a shard is doing.
type behaviour int32

// A shard reads its store, then the log's backlog, then serves. One that stopped
// needs an operator: it says why.
const (
	recovering behaviour = iota
	catchingUp
	serving
	stopped
)

var behaviourNames = [...]string{"recovering", "catching up", "serving", "stopped"}

func (b behaviour) String() string { return behaviourNames[b] }

// nearEnd is how many records behind the log's end a shard begins to serve.
const nearEnd = 1000

// shard is the state machine over one journal partition: an actor that owns its
// part of the store, its children and its published view. All fields are owned by
// the mailbox.
type shard struct {
	env *shardEnv
	b   actor.Behavior

	store    ShardStore
	state    domain.ShardState
	marked   int64 // offset of the last mark
	flows    map[stream]*flow
	flow     *flow   // of the last record with an origin
	moved    []*flow // since the last commit
	roster   *member.Roster
	accounts map[domain.AccountID]*account
	awake    *children
	parked   parked
	fetcher  *journal.Fetcher
	tell     func(any) // sends to the shard itself, from any goroutine
	outbox   *outbox
	waiting  waiters.Waiters
	views    publisher
	resident resident
	sent     map[int]uint64   // last sequence of the outbox sent to each shard, of this life
	told     domain.Published // how far the publishers came
	telling  bool             // sayPublished is on its way

	queue   []*journal.Page // pages not yet applied; the first from at on
	owed    []*journal.Page // applied, their credits not yet given back
	at      int
	running bool
	gap     *domain.GapError // that the fetcher met behind the queue; nil: none
	broken  bool             // it panicked: it does not start again in this process

	slice      *slice                               // of the records being applied
	requests   map[domain.RequestID]*domain.Request // staged
	identities *twogen.Cache[domain.IdentityHash, domain.Identity]
	staged     map[domain.IdentityHash]*domain.Identity // staged; nil: dropped

	uncommitted int       // records applied since the last commit
	since       time.Time // of the last commit
	short       int       // looks since the disk had room
	meter       meter
}

// stream is a source partition or a sender.
type stream struct {
	topic     domain.TopicID
	partition int32
}

// flow is how far a stream was applied (I2).
type flow struct {
	applied domain.Origin // the highest
	moved   bool          // since the last commit
}

func newShard(env *shardEnv) *shard {
	s := &shard{env: env, b: actor.NewBehavior()}
	s.become(recovering, s.recovering)
	return s
}

func (s *shard) become(b behaviour, f actor.ReceiveFunc) {
	s.env.shared.behaviour.Store(int32(b))
	s.b.Become(f)
}

// Receive is the mailbox.
func (s *shard) Receive(ctx actor.Context) {
	defer func() {
		if r := recover(); r != nil {
			s.crashed(ctx, crash.Of("the shard", r))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Stopping, *actor.Restarting:
		s.quiesce(ctx)
	case *actor.Stopped:
		defer close(s.env.done)
		s.close()
	case *waiters.AwaitOutcome:
		s.awaitOutcome(ctx, m)
	case *reopen:
		s.reopen(ctx, m)
	default:
		s.b.Receive(ctx)
	}
}

func (s *shard) recovering(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Started); ok {
		s.start(ctx)
	}
}

// applying is the behaviour of a shard that is catching up or serving.
func (s *shard) applying(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *journal.Page:
		s.take(ctx, m)
	case *goOn:
		s.goOn(ctx)
	case *waiters.AwaitOffset:
		s.waiting.Await(ctx, m.Next, s.env.shared.applied.Load(), s.sent)
	case *waiters.AwaitStream:
		s.waiting.AwaitStream(ctx, m, s.reached(*m))
	case *whichApplied:
		ctx.Respond(s.whichApplied(m))
	case *warm:
		s.warm(ctx, m)
	case *warmed:
		s.warmed(m)
	case *keepLess:
		s.keepLess(ctx)
	case *published:
		s.published(ctx, m)
	case *sayPublished:
		s.sayPublished()
	case *journal.FetchFailed:
		s.env.shared.reading.Failed(s.env.log, m.Failures, m.Err, "shard", s.env.id)
	case *journal.GapFound:
		if m.Fetcher == s.fetcher {
			s.gap = m.Gap
			s.atGap(ctx)
		}
	case *journal.FetcherCrashed:
		if m.Fetcher == s.fetcher {
			s.halt(ctx, m.Err)
		}
	case *unreadable:
		s.halt(ctx, m.err)
	case *renew:
		s.renew()
	}
}

// held is the behaviour of a shard that stopped.
func (s *shard) held(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *catalogMoved:
		s.resume(ctx)
	case *waiters.AwaitOffset:
		// no answer: the one who waits asks another replica or gives up
	}
}

// start reads the store and begins to read the journal.
func (s *shard) start(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	s.tell = func(m any) { root.Send(self, m) }
	if err := s.load(); err != nil {
		if s.env.ctx.Err() != nil { // the node stops
			return
		}
		s.halt(ctx, fmt.Errorf("open the store: %w", err))
		return
	}
	s.env.shared.stopped.Store(nil)
	s.env.shared.gap.Store(nil)
	s.env.shared.met.Store(nil)
	s.read()
	s.outbox.start(s.tell, &s.env.shared.outbox)
	s.become(catchingUp, s.applying)
}

// read begins to read the journal where the state is.
func (s *shard) read() {
	s.fetcher = journal.StartFetcher(context.Background(), s.env.journal.Reader(s.env.id), s.state.Next, s.state.Epoch, s.tell)
}

// take queues a page and sees to it that it is applied.
func (s *shard) take(ctx actor.Context, p *journal.Page) {
	if p.Fetcher != s.fetcher { // of a fetcher from before a restart
		return
	}
	s.env.shared.reading.Progress(s.env.log, "shard", s.env.id)
	s.env.shared.reads.Add(1)
	s.env.shared.end.Store(p.End)
	s.env.shared.first.CompareAndSwap(0, p.End+1)
	s.queue = append(s.queue, p)
	if !s.running {
		s.running = true
		s.goOn(ctx)
	}
}

// goOn applies one slice; other messages come in between slices.
func (s *shard) goOn(ctx actor.Context) {
	if !s.running || len(s.queue) == 0 {
		s.running = false
		return
	}
	if s.outbox.full() {
		s.pauseForOutbox(ctx)
		return
	}
	if !s.roomy(ctx) {
		return
	}
	s.env.yield.Yield()
	command, err := s.applySlice(ctx)
	if err != nil {
		s.failed(ctx, err)
		return
	}
	if s.commitDue(command) {
		s.env.yield.Yield()
		if err := s.commit(ctx); err != nil {
			s.failed(ctx, err)
			return
		}
		s.repay()
	}
	if len(s.queue) == 0 {
		s.running = false
		s.atGap(ctx)
		return
	}
	ctx.Send(ctx.Self(), &goOn{})
}

// commitInterval is the longest time between commits while records keep coming;
// commitMost the most records in one.
const (
	commitInterval     = 10 * time.Millisecond
	commitIntervalBusy = 50 * time.Millisecond
	busyRate           = 4000 // records in 200 ms: 20,000 a second
	commitMost         = 20_000
)

// commitDue: when idle, when a command waits for its outcome, when it is long
// since the last, or much since.
func (s *shard) commitDue(command bool) bool {
	interval := commitInterval
	if s.env.shared.rate.Load() > busyRate {
		interval = commitIntervalBusy
	}
	return command || len(s.queue) == 0 || s.state.Next <= s.env.singly || s.uncommitted >= commitMost || time.Since(s.since) >= interval
}
