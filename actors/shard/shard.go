package shard

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// shard is the actor of one journal partition: it reads the journal, has its machine apply
// records, commits and publishes. All fields are owned by the mailbox.
type shard struct {
	env  *Config
	b    actor.Behavior
	tell func(any) // sends to the shard itself, from any goroutine

	children *children.Children
	machine  *core.Machine
	intake   intake
	commits  commits
	acks     publisherAcks
	duties   duties
	disk     diskGate
	pause    pause
	traces   traces

	running bool // an applyNext is on its way, or being handled
	broken  bool // it panicked: it does not start again in this process
	shows   bool // it stopped, and answers from its last commit
}

// stopping ends a child of a shard that panicked, a member or a brand: the shard sees that
// its message is not done.
var stopping = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

// Props is how a shard is spawned: a child that panics is ended.
func Props(env *Config) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return newShard(env) }, actor.WithSupervisor(stopping))
}

func newShard(env *Config) *shard {
	s := &shard{env: env, b: actor.NewBehavior(), children: children.New()}
	s.commits = commits{handle: env.Handle, log: env.Log, waiting: waiters.New()}
	s.traces = traces{records: env.Traces, shard: env.ID}
	publishing := env.Publishing
	publishing.Status = &env.Handle.Outbox
	publishing.Received = s.received
	s.machine = core.New(&core.Config{
		Partition: core.Partition{
			ID: env.ID, Shards: env.Shards, Journal: env.Journal, Catalog: env.Catalog, Rules: env.Rules, Log: env.Log,
		},
		Memory: env.Memory, Publishing: publishing,
		Readers:  core.Readers{View: &env.Handle.View, Waiting: &s.commits.waiting, Yield: env.Yield},
		Children: s.children, MarkEvery: env.MarkEvery, Counted: env.Hooks.Counted, Delivered: env.Hooks.Delivered, Stats: &env.Handle.Stats,
	})
	s.become(Recovering, s.recovering)
	return s
}

func (s *shard) become(b Behaviour, f actor.ReceiveFunc) {
	s.env.Handle.become(b)
	s.b.Become(f)
}

// Receive is the mailbox.
func (s *shard) Receive(ctx actor.Context) {
	s.children.Enter(ctx)
	defer s.children.Leave()
	defer func() {
		if r := recover(); r != nil {
			s.crashed(ctx, crash.Of("the shard", r))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Stopping, *actor.Restarting:
		s.quiesce()
		s.env.Handle.View.Retract()
	case *actor.Stopped:
		defer close(s.env.Lifetime.Done)
		s.close()
	case *waiters.AwaitOutcome:
		s.commits.awaitOutcome(ctx, s.machine, m)
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
	case *applyNext:
		s.applyNext(ctx)
	case *waiters.AwaitOffset:
		s.commits.waiting.Await(ctx, m.Next, s.env.Handle.Applied.Load(), s.machine.LastSent(0, 0))
	case *waiters.AwaitStream:
		s.commits.waiting.AwaitStream(ctx, m, streams(s.machine))
	case *WhichApplied:
		ctx.Respond(&LastApplied{s.machine.State.Sources.Applied(m.Stream)})
	case *Warm:
		s.warm(ctx, m)
	case *warmed:
		m.restore(s.machine.State.Accounts, s.env)
	case *EvictColumns:
		s.keepLess(ctx)
	case *published:
		s.published(ctx, m)
	case *ackPublished:
		s.acks.due(s)
	case *Look:
		s.look(ctx)
	case *CatalogMoved:
		s.catalogMoved(ctx)
	case *catalogRead:
		s.catalogRead(ctx, m)
	case *journal.FetchFailed:
		s.env.Handle.Reading.Failed(s.env.Log, m.Failures, m.Err, "shard", s.env.ID)
	case *journal.GapFound:
		if s.intake.of(m.Fetcher) {
			s.intake.gap = m.Gap
			s.atGap(ctx)
		}
	case *journal.FetcherCrashed:
		if s.intake.of(m.Fetcher) {
			s.halt(ctx, m.Err)
		}
	case *unreadable:
		s.halt(ctx, m.err)
	case *Renew:
		s.machine.Renew(ViewLasts, unreadableTo(s.tell))
	}
}

// stopped is the behaviour of a shard that stopped. A position after its last commit is not answered: the
// waiter asks another replica or gives up.
func (s *shard) stopped(ctx actor.Context) {
	if _, ok := ctx.Message().(*CatalogMoved); !ok {
		if s.shows {
			s.applying(ctx)
		}
		return
	}
	switch {
	case s.broken:
	case s.env.restarts.lifted(s.env.Catalog.View()) || s.env.Handle.Gap.Load() != nil && s.machine.Position.Lifted():
		s.again(ctx)
	case s.shows && s.env.restarts.poisoned != nil && s.env.Duty.Alone():
		s.tellStopped(s.setAside()) // the others were taken off the list
	}
}

// start reads the store and begins to read the journal.
func (s *shard) start(ctx actor.Context) {
	self, root := ctx.Self(), ctx.ActorSystem().Root
	tell := func(m any) { root.Send(self, m) }
	s.tell = tell
	if err := s.load(); err != nil {
		if s.env.Lifetime.Ctx.Err() != nil { // the node stops
			return
		}
		s.halt(ctx, fmt.Errorf("open the store: %w", err))
		return
	}
	s.shows = false
	s.env.Handle.Stopped.Store(nil)
	s.env.Handle.Poisoned.Store(nil)
	s.env.Handle.Gap.Store(nil)
	s.env.Handle.Met.Store(nil)
	s.read()
	s.become(CatchingUp, s.applying)
}

// load reads the store: the state, and what is kept in memory.
func (s *shard) load() error {
	store, err := s.env.Open()
	if err != nil {
		return err
	}
	s.machine = s.machine.Open(store)
	s.acks = publisherAcks{}
	s.commits.reset()
	s.traces.forget()
	if err := s.machine.Load(s.env.Lifetime.Ctx); err != nil {
		return err
	}
	s.duties = newDuties(s.env, s.machine.Outbox)
	s.commits.loaded(s.machine)
	joins := s.env.Joining || s.machine.State.Shard.Next == 0
	s.commits.hidden = joins && !s.env.restarts.served && !s.env.Duty.Alone()
	s.commits.show(s.machine, s.env.restarts.floor, s.tell)
	return nil
}

// read begins to read the journal where the state is.
func (s *shard) read() {
	state := &s.machine.State.Shard
	s.intake.start(s.env.Journal.Reader(s.env.ID), state.Next, state.Epoch, s.tell)
}

// take queues a page and sees to it that it is applied.
func (s *shard) take(ctx actor.Context, p *journal.Page) {
	if !s.intake.of(p.Fetcher) { // of a fetcher from before a restart
		return
	}
	s.env.Handle.Reading.Progress(s.env.Log, "shard", s.env.ID)
	s.env.Handle.Reads.Add(1)
	s.env.Handle.End.Store(p.End)
	s.env.Handle.First.CompareAndSwap(0, p.End+1)
	s.intake.queue.push(p)
	if !s.running {
		s.running = true
		s.applyNext(ctx)
	}
}

// applyNext applies one micro-batch; other messages come in between micro-batches.
func (s *shard) applyNext(ctx actor.Context) {
	if s.pause.on() {
		return
	}
	if !s.running || s.intake.queue.empty() {
		s.running = false
		return
	}
	if !s.mayApply(ctx) {
		return
	}
	s.env.Yield.Yield()
	done, err := s.applyBatch()
	if err != nil {
		s.failed(ctx, err)
		return
	}
	if done.Lacks != 0 {
		s.pauseFor(ctx, done.Lacks)
		return
	}
	if done.Command || done.Commit || s.intake.queue.empty() || s.machine.State.Shard.Next <= s.env.restarts.singly || s.commits.due() {
		s.env.Yield.Yield()
		if !s.commit(ctx) {
			return
		}
		s.intake.queue.returnCredits()
	}
	if s.intake.queue.empty() {
		s.running = false
		s.atGap(ctx)
		return
	}
	ctx.Send(ctx.Self(), &applyNext{})
}

// mayApply reports that more may be applied. Else what was applied is committed, and the rest
// waits in the journal; the view stays, and questions are answered from it. The shard goes on
// once published says that entries of a full outbox were published, or after another look at a
// disk without headroom. While the outbox is full routers do not wait for the shard, as for one
// that is stopped.
func (s *shard) mayApply(ctx actor.Context) bool {
	full := s.machine.Outbox.Full()
	if full {
		s.running = false
		s.env.Handle.leave()
	} else {
		err := s.machine.Headroom()
		s.disk.checked(err, &s.env.Handle.Space, s.env.Log, s.env.ID)
		if err == nil {
			return true
		}
	}
	committed := s.commits.records == 0 || s.commit(ctx)
	if !full && committed {
		tell := s.tell
		time.AfterFunc(diskEvery, func() { tell(&applyNext{}) })
	}
	return false
}

// diskEvery is how often the headroom of a full disk is looked at.
const diskEvery = time.Second

// applyBatch applies the next records of the queue.
func (s *shard) applyBatch() (done core.Applied, err error) {
	maxRecords := tx.MicroBatch
	if s.machine.State.Shard.Next < s.env.restarts.singly {
		maxRecords = 1
	}
	queue := &s.intake.queue
	began := s.traces.clock()
	records := queue.next(maxRecords)
	done, err = s.machine.Apply(records)
	s.commits.records += done.Records
	if done.Kept {
		queue.keep()
	}
	if err != nil || done.Lacks != 0 {
		return done, err
	}
	s.traces.applied(records[:done.Passed], queue.pages[0], began)
	if p := queue.advance(done.Passed); p != nil {
		s.machine.Passed(&p.Page)
		s.commits.ends.seen(p.End, p.ReadAt)
	}
	return done, nil
}

// commit stores and publishes what was applied; false: it failed, and the shard has stopped or
// starts again.
func (s *shard) commit(ctx actor.Context) bool {
	if err := s.commits.commit(ctx, s.machine, &s.duties, s.env.restarts.floor, s.tell); err != nil {
		s.failed(ctx, err)
		return false
	}
	s.traces.visible(Behaviour(s.env.Handle.Behaviour.Load()) == Serving)
	s.serveWhenNear(ctx)
	if s.duties.claim {
		s.acks.acknowledge(false, s)
	}
	return true
}

// serveWhenNear ends catching up, near the journal's end and not before all is applied that
// was in it when this process first read it, which is what Fresh reports: a power cut may
// have taken the last commits, and readers have seen them. It does not go back: a shard that
// falls behind says so by its lag.
func (s *shard) serveWhenNear(ctx actor.Context) {
	h, next := s.env.Handle, s.machine.State.Shard.Next
	h.rejoin(next, s.held())
	caughtUp := next >= s.env.restarts.floor && h.near(next) && h.Fresh.Reached()
	if caughtUp && Behaviour(h.Behaviour.Load()) == CatchingUp {
		if s.commits.hidden { // before the shard serves: a ready node has a view
			s.commits.hidden = false
			s.commits.show(s.machine, s.env.restarts.floor, s.tell)
		}
		s.become(Serving, s.applying)
		s.env.restarts.served = true
		s.duties.serves = true
		tell := s.tell
		s.machine.Outbox.Start(func(k outbox.Kind, upTo uint64) { tell(&published{k, upTo}) })
		s.look(ctx)
	}
}

// look begins to publish what this node is to publish.
func (s *shard) look(ctx actor.Context) {
	if err := s.duties.look(time.Now(), &s.machine.State.Shard, s.machine.State.LastSent); err != nil {
		s.failed(ctx, err)
		return
	}
	if s.duties.claim {
		s.acks.acknowledge(true, s)
	}
}

// received reports that the shard that a forward goes to has applied it on this node.
func (s *shard) received(o *domain.Outgoing) bool {
	r := s.env.Duty.Receiver(o.To)
	return r != nil && !o.Forward.Origin.Above(r.Received.from(s.env.ID))
}

// held reports that the shard applies nothing for now, whatever has been read.
func (s *shard) held() bool { return s.pause.on() || s.machine.Outbox.Full() }

// atGap reads on after the gap that the fetcher met, if it is accepted, or stops at it.
// What was read before is applied and committed first: the gap is where the shard is, in
// every pass.
func (s *shard) atGap(ctx actor.Context) {
	g := s.intake.gap
	if g == nil || !s.intake.queue.empty() {
		return
	}
	s.intake.gap = nil
	w := s.machine.Position.Accepted()
	if w == nil || w.NewTopic != s.env.Journal.Topic() {
		err := s.machine.Position.Place().Met(g)
		if s.env.Duty.Alone() {
			s.halt(ctx, err)
		} else {
			s.hold(ctx, err)
		}
		return
	}
	s.machine.Position.Pass(w)
	if !w.Back() {
		if s.commit(ctx) {
			s.intake.stop()
			s.read()
		}
		return
	}
	if err := s.machine.Commit(); err != nil {
		s.failed(ctx, err)
		return
	}
	s.become(Recovering, s.recovering) // before the view goes: a node without a view is not ready
	s.env.Handle.View.Retract()        // it is of what was cut
	s.again(ctx)                       // and so is what polls are compared by
}

// published notes how far the publishers came. A record says so once a second, or
// after many entries: it trims the outbox at the same place in every replica.
func (s *shard) published(ctx actor.Context, m *published) {
	if err := s.machine.Outbox.Acknowledged(m.kind, m.upTo); err != nil {
		s.failed(ctx, err)
		return
	}
	s.acks.note(m)
	s.acks.acknowledge(s.acks.many(&s.machine.State.Shard), s)
	s.env.Handle.rejoin(s.machine.State.Shard.Next, s.held())
	if !s.running && !s.intake.queue.empty() {
		s.running = true
		ctx.Send(ctx.Self(), &applyNext{})
	}
}
