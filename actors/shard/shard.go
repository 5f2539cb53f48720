package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Config is what a shard is given and keeps over its restarts.
type Config struct {
	ID, Shards int
	Limits
	Lifetime
	Journal     journal.Log
	Appender    *journal.PartitionAppender // of this partition
	Open        func() (Store, error)
	Catalog     *catalog.Handle
	DeadLetters DeadLetters
	Remedy      func(err error, shard int, accept *domain.AcceptGap) string // of an error that stopped it
	Handle      *Handle
	SetAside    func(catalog.RecordPlace) error // a record failed twice: the shard starts again once the catalog sets it aside
	Yield       *yield.Questions                // of the node
	Log         *slog.Logger

	restarts restarts
}

// Limits bound a shard's memory and outbox.
type Limits struct {
	AwakeBytes  int           // memory for members that are awake
	Identities  int           // remembered in each of two generations
	MarkEvery   int64         // records between two state marks; 0: as usual
	OutboxDepth int           // entries that wait at most; 0: as usual
	Resident    *atomic.Int64 // bytes that columns may take, over all shards; 0: no bound
}

// Lifetime is when a shard begins and ends.
type Lifetime struct {
	Ctx  context.Context // ends when the node stops: loading looks at it
	Done chan struct{}   // closed when the actor has ended and its store is closed
}

// restarts is what a shard knows of its own earlier starts.
type restarts struct {
	singly   int64                // below this offset records are applied one by one, since one of them panicked
	poisoned *catalog.RecordPlace // the record that panicked alone; nil: none
	lacks    domain.BrandID       // which the catalog at hand does not know yet; 0: none
	floor    int64                // below this offset the shard shows nothing: it was further before it was reopened
}

// Handle is what others read of a shard, on any goroutine.
type Handle struct {
	ID        int
	View      view.Holder
	Behaviour atomic.Int32
	offsets
	halted
	Fresh    journal.Freshness
	Reads    atomic.Int64 // pages read
	Stats    Stats
	foreign  journal.ForeignRecords
	Progress chan struct{} // holds one token after a commit
	Apart    atomic.Bool   // its outbox was full: routers do not wait for it until it is near the end again
	Outbox   outbox.Status
	Reading  retry.State
	Space    retry.State
	clock    clockShared
}

// offsets are how far a shard is in its journal.
type offsets struct {
	Applied atomic.Int64 // after the last record committed
	End     atomic.Int64 // the journal's end as last seen
	First   atomic.Int64 // 1 + the journal's end as first seen in this process; 0: not yet
	rate    atomic.Int64 // records applied in the last 200 ms
}

// halted is why a shard stopped.
type halted struct {
	Stopped atomic.Pointer[string]           // nil: it has not
	Gap     atomic.Pointer[domain.AcceptGap] // what an operator would accept to let it go on
	Met     atomic.Pointer[domain.GapError]  // the gap that this is for
}

// ErrNotHere says that the node does not run a shard.
var ErrNotHere = errors.New("the node does not run this shard")

// NewHandle is one of a shard that is not started.
func NewHandle(id int) *Handle {
	s := &Handle{ID: id, Progress: make(chan struct{}, 1), Reading: retry.State{What: "the journal cannot be read"}, Space: retry.State{What: "nothing is applied"}}
	s.Outbox.Publishing[outbox.Forwards].What = "forwards cannot be published"
	s.Outbox.Publishing[outbox.DeadLetters].What = "dead letters cannot be published"
	return s
}

// Behaviour is what a shard is doing.
type Behaviour int32

// A shard reads its store, then the log's backlog, then serves. One that stopped
// needs an operator: it says why.
const (
	Recovering Behaviour = iota
	CatchingUp
	Serving
	Stopped
)

var behaviourNames = [...]string{"recovering", "catching up", "serving", "stopped"}

// String is the word in status and logs.
func (b Behaviour) String() string { return behaviourNames[b] }

// NearEnd is how many records behind the log's end a shard begins to serve.
const NearEnd = 1000

// shard is the actor of one journal partition: it reads the journal, has its machine apply
// records, commits and publishes. All fields are owned by the mailbox.
type shard struct {
	env *Config
	b   actor.Behavior

	machine *machine
	fetcher *journal.Fetcher
	tell    func(any) // sends to the shard itself, from any goroutine
	waiting waiters.Waiters
	ends    journalEnds
	acks    publisherAcks

	queue   pageQueue
	running bool
	gap     *domain.GapError // that the fetcher met behind the queue; nil: none
	broken  bool             // it panicked: it does not start again in this process

	open       openCommit
	diskChecks int // looks since the disk had room
}

// stopping ends a child of a shard that panicked, a member or a brand: the shard sees that
// its message is not done.
var stopping = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

// Props is how a shard is spawned: a child that panics is ended.
func Props(env *Config) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return newShard(env) }, actor.WithSupervisor(stopping))
}

func newShard(env *Config) *shard {
	s := &shard{env: env, b: actor.NewBehavior(), machine: &machine{}}
	s.machine.journal = journalPlace{env, &s.machine.state}
	s.become(Recovering, s.recovering)
	return s
}

func (s *shard) become(b Behaviour, f actor.ReceiveFunc) {
	s.env.Handle.Behaviour.Store(int32(b))
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
		defer close(s.env.Done)
		s.close()
	case *waiters.AwaitOutcome:
		s.awaitOutcome(ctx, m)
	case *Reopen:
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
		s.waiting.Await(ctx, m.Next, s.env.Handle.Applied.Load(), s.machine.effects.sent)
	case *waiters.AwaitStream:
		s.waiting.AwaitStream(ctx, m, s.reached(*m))
	case *WhichApplied:
		ctx.Respond(&LastApplied{s.machine.sources.applied(m.Stream)})
	case *Warm:
		s.warm(ctx, m)
	case *warmed:
		s.warmed(m)
	case *KeepLess:
		s.keepLess(ctx)
	case *published:
		s.published(ctx, m)
	case *ackPublished:
		s.ackPublished()
	case *journal.FetchFailed:
		s.env.Handle.Reading.Failed(s.env.Log, m.Failures, m.Err, "shard", s.env.ID)
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
	case *Renew:
		s.renew()
	}
}

// held is the behaviour of a shard that stopped.
func (s *shard) held(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *CatalogMoved:
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
		if s.env.Ctx.Err() != nil { // the node stops
			return
		}
		s.halt(ctx, fmt.Errorf("open the store: %w", err))
		return
	}
	s.env.Handle.Stopped.Store(nil)
	s.env.Handle.Gap.Store(nil)
	s.env.Handle.Met.Store(nil)
	s.read()
	s.machine.effects.outbox.Start(func(k outbox.Kind, upTo uint64) { s.tell(&published{k, upTo}) }, &s.env.Handle.Outbox)
	s.become(CatchingUp, s.applying)
}

// read begins to read the journal where the state is.
func (s *shard) read() {
	s.fetcher = journal.StartFetcher(context.Background(), s.env.Journal.Reader(s.env.ID), s.machine.state.Next, s.machine.state.Epoch, s.tell)
}

// take queues a page and sees to it that it is applied.
func (s *shard) take(ctx actor.Context, p *journal.Page) {
	if p.Fetcher != s.fetcher { // of a fetcher from before a restart
		return
	}
	s.env.Handle.Reading.Progress(s.env.Log, "shard", s.env.ID)
	s.env.Handle.Reads.Add(1)
	s.env.Handle.End.Store(p.End)
	s.env.Handle.First.CompareAndSwap(0, p.End+1)
	s.queue.push(p)
	if !s.running {
		s.running = true
		s.goOn(ctx)
	}
}

// goOn applies one micro-batch; other messages come in between micro-batches.
func (s *shard) goOn(ctx actor.Context) {
	if !s.running || s.queue.empty() {
		s.running = false
		return
	}
	if s.machine.effects.outbox.Full() {
		s.pauseForOutbox(ctx)
		return
	}
	if !s.diskHasRoom(ctx) {
		return
	}
	s.env.Yield.Yield()
	command, err := s.applyBatch(ctx)
	if err != nil {
		s.failed(ctx, err)
		return
	}
	if s.commitDue(command) {
		s.env.Yield.Yield()
		if err := s.commit(ctx); err != nil {
			s.failed(ctx, err)
			return
		}
		s.queue.returnCredits()
	}
	if s.queue.empty() {
		s.running = false
		s.atGap(ctx)
		return
	}
	ctx.Send(ctx.Self(), &goOn{})
}

// commitDue reports that the shard is idle, that a command waits for its outcome, or that the
// open commit is old or large.
func (s *shard) commitDue(command bool) bool {
	return command || s.queue.empty() || s.machine.state.Next <= s.env.restarts.singly || s.open.due(s.env.Handle.rate.Load())
}

// applyBatch applies the next records of the queue and reports whether one of them
// has someone waiting.
func (s *shard) applyBatch(ctx actor.Context) (command bool, err error) {
	most := MicroBatch
	if s.machine.state.Next < s.env.restarts.singly {
		most = 1
	}
	done, err := s.machine.apply(ctx, s.queue.next(most))
	s.open.records += done.records
	if done.kept {
		s.queue.keep()
	}
	if err != nil {
		return false, err
	}
	if p := s.queue.advance(done.passed); p != nil {
		s.endPage(p)
	}
	return done.command, nil
}

// endPage moves the state behind a page that was applied. Its offsets hold also where the
// log has none of our records at its end.
func (s *shard) endPage(p *journal.Page) {
	s.machine.state.Next, s.machine.state.Epoch = max(s.machine.state.Next, p.Next), p.Epoch
	s.ends.seen(p.End, p.ReadAt)
}
