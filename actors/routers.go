package actors

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// routers is the actor that sees to it that every partition of the public topic has
// a router: partitions that are added are found within a minute and read from
// their start.
type routers struct {
	env    *routerEnv
	shared *routersShared
	known  map[int]*actor.PID // routers, by partition
	ctx    context.Context    // ends with the actor, and with it what its children wait for
	cancel context.CancelFunc
	end    context.CancelFunc // of what appends: it outlives the children, who leave a mark
	done   chan struct{}      // closed when the actor and its children have ended
}

// routersShared is what status reads.
type routersShared struct {
	mu      sync.Mutex // guards all: status asks while partitions are found
	all     []*routerShared
	looking retry.State
}

func (s *routersShared) list() []*routerShared {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[:len(s.all):len(s.all)]
}

// lookEvery is how often new partitions are looked for.
const lookEvery = time.Minute

type (
	// partitionsFound is the number of partitions, as the broker has them.
	partitionsFound struct{ n int }
	// fetched is a message of a router's fetcher, one of the following or a page.
	fetched struct {
		fetcher chan struct{} // router.fetching of that fetcher
		message any
	}
	// routerStarted is where a router goes on.
	routerStarted struct {
		topic domain.TopicID
		resumption
	}
	// routerFailed stops a router at a place.
	routerFailed struct {
		err error
		at  journal.GapPlace
	}
	// routerEnded says that the partition is no more.
	routerEnded struct{ partition int }
)

// errNoPartition says that the public topic, made again, has fewer partitions.
var errNoPartition = errors.New("the public topic has no such partition any more")

// Receive is the mailbox.
func (r *routers) Receive(ctx actor.Context) {
	defer func() {
		if p := recover(); p != nil {
			r.env.fatal(crash.Of("the supervisor of the routers", p))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.ctx, r.cancel = context.WithCancel(context.Background())
		var gathering context.Context
		gathering, r.end = context.WithCancel(context.Background())
		go r.env.batcher.Run(gathering, r.env.backlogs())
		self, root := ctx.Self(), ctx.ActorSystem().Root
		go func() {
			err := crash.Guard("the look for partitions of the public topic", func() error {
				r.look(r.ctx, func(n int) { root.Send(self, &partitionsFound{n}) })
				return nil
			})
			if err != nil {
				r.env.fatal(err)
			}
		}()
	case *actor.Stopping:
		r.cancel()
	case *actor.Stopped:
		r.end()
		close(r.done)
	case *partitionsFound:
		for p := range m.n {
			if r.known[p] == nil {
				r.spawn(ctx, p)
			}
		}
	case *routerEnded:
		r.forget(ctx, m.partition)
	case *catalogMoved:
		for _, c := range ctx.Children() {
			ctx.Send(c, m)
		}
	}
}

// look asks for the number of partitions, again and again.
func (r *routers) look(ctx context.Context, found func(int)) {
	for failures := 0; ; {
		n, err := r.env.source.Partitions(ctx)
		var gap *domain.GapError
		if errors.As(err, &gap) { // also before any was found: each says that it stopped
			found(n)
		}
		if err != nil {
			if failures++; !retry.Backoff(ctx, failures) {
				return
			}
			r.shared.looking.Failed(r.env.log, failures, err)
			continue
		}
		failures = 0
		r.shared.looking.Recovered(r.env.log)
		found(n)
		t := time.NewTimer(lookEvery)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

func (r *routers) spawn(ctx actor.Context, partition int) {
	shared := newRouterShared(partition)
	r.shared.mu.Lock()
	r.shared.all = append(r.shared.all, shared)
	r.shared.mu.Unlock()
	r.known[partition] = ctx.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return &router{
			env: r.env, node: r.ctx, partition: partition, shared: shared,
			batches: make([][]domain.Record, len(r.env.shards)),
		}
	}))
}

// forget ends the router of a partition that is no more. One that is added later is found
// like any other.
func (r *routers) forget(ctx actor.Context, partition int) {
	ctx.Stop(r.known[partition])
	delete(r.known, partition)
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	r.shared.all = slices.DeleteFunc(slices.Clone(r.shared.all), func(s *routerShared) bool { return s.partition == partition })
}

// Receive is the mailbox.
func (r *router) Receive(ctx actor.Context) {
	defer func() {
		if p := recover(); p != nil {
			r.crashed(crash.Of("the router", p))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.start(ctx)
	case *actor.Stopping, *actor.Restarting:
		r.stop()
	case *fetched:
		if m.fetcher == r.fetching {
			r.fetched(ctx, m.message)
		}
	case *catalogMoved:
		if r.shared.stopped.Load() != nil && r.lifted() {
			r.start(ctx)
		}
	}
}

// fetched takes what the fetcher of this start says: a page of an earlier one comes behind
// pages that were not routed.
func (r *router) fetched(ctx actor.Context, message any) {
	switch m := message.(type) {
	case *routerStarted:
		r.next, r.noted, r.marked, r.epoch, r.reading = m.next, m.noted, m.next, m.epoch, m.topic
		r.shared.next.Store(max(m.next, 0))
	case *sourcePage:
		if r.ctx.Err() == nil {
			r.page(m)
		}
	case *routerFailed:
		r.failed(ctx, m)
	}
}

// lifted reports that what stopped the router may be over: it was neither a panic nor a
// gap, or the operator's word is there.
func (r *router) lifted() bool {
	if r.broken {
		return false
	}
	w := r.shared.gap.Load()
	return w == nil || r.word(journal.GapPlace{Topic: w.Topic, Partition: r.partition, Next: w.From, Epoch: w.Epoch}) != nil
}

// failed stops the router, for good if its partition is no more.
func (r *router) failed(ctx actor.Context, m *routerFailed) {
	if errors.Is(m.err, errNoPartition) {
		r.env.log.Warn("a partition of the public topic is no more", "partition", r.partition)
		r.stop()
		ctx.Send(ctx.Parent(), &routerEnded{r.partition})
		return
	}
	r.halt(m.err, m.at)
}

func (r *router) page(m *sourcePage) {
	err := r.route(r.ctx, m)
	m.credit <- journal.Spare(m.Arrivals)
	if err != nil && r.ctx.Err() == nil {
		r.halt(err, journal.GapPlace{})
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
	r.env.log.Error("a partition of the public topic stopped", "partition", r.partition, "err", err)
	r.stop()
	r.shared.gap.Store(at.Acceptance(err))
	why := r.stopText(err)
	r.shared.stopped.Store(&why)
}

// crashed stops this partition for the rest of the process. Nothing more is appended or
// committed: the page that was being routed is read again from the group offset or the
// mark, both of which are below it, and what it appended is dropped by its origin (I2).
func (r *router) crashed(err *crash.Error) {
	r.env.log.Error("a partition of the public topic stopped: its router panicked", "partition", r.partition, "err", err, "stack", err.Stack)
	r.broken = true
	r.shared.gap.Store(nil)
	why := r.stopText(err)
	r.shared.stopped.Store(&why)
	if r.cancel != nil {
		r.cancel()
		<-r.fetching
	}
	r.cancel, r.fetching = nil, nil
}

func (r *router) stop() {
	if r.cancel != nil {
		r.cancel()
		<-r.fetching
		r.cancel, r.fetching = nil, nil
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r.note(ctx)
		if r.next != r.marked && !r.doubt {
			_ = r.mark(ctx, r.next, r.epoch) // the last one stands
		}
	}
}

// start reads on from where the group left the partition.
func (r *router) start(ctx actor.Context) {
	r.shared.next.Store(0) // what was routed may be another topic's: whoever waits for this one's end waits
	r.shared.stopped.Store(nil)
	r.shared.gap.Store(nil)
	r.noted, r.marked = r.next, r.next // of where the fetcher will be nothing is known yet
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

// fetch reads pages, one in flight a credit, until there is a gap without a word. In a topic
// that was made again it goes on as at a start.
func (r *router) fetch(ctx context.Context, send func(any)) {
	for {
		from, err := r.resume(ctx)
		var gap *domain.GapError
		if errors.As(err, &gap) {
			send(&routerFailed{err, journal.GapPlace{Topic: r.topic(), Partition: r.partition, Next: gap.Want, Epoch: -1}})
			return
		}
		var at journal.GapPlace
		if err == nil {
			at, err = r.readOn(ctx, from, send)
		}
		switch {
		case ctx.Err() != nil:
			return
		case r.wordOn(err, at) != nil:
			continue
		}
		send(&routerFailed{err, at})
		return
	}
}

// readOn reads pages, also behind gaps of the topic by the operator's words.
func (r *router) readOn(ctx context.Context, from resumption, send func(any)) (journal.GapPlace, error) {
	at := journal.GapPlace{Topic: r.topic(), Partition: r.partition, Next: from.next, Epoch: from.epoch}
	for {
		send(&routerStarted{at.Topic, from})
		var err error
		at, err = r.read(ctx, at, send)
		w := r.wordOn(err, at)
		if w == nil || w.NewTopic != at.Topic {
			return at, err
		}
		r.env.log.Warn("reading on behind a gap, by the operator's word", "partition", r.partition, "from", w.From, "to", w.To)
		from, at = resumption{w.To, -1, -1}, r.env.behind(at, w)
	}
}

// wordOn is the operator's word if err is a gap, and it may be read on behind it.
func (r *router) wordOn(err error, at journal.GapPlace) *domain.AcceptGap {
	var gap *domain.GapError
	if !errors.As(err, &gap) {
		return nil
	}
	return r.word(at)
}

// read reads pages until there is a gap, or ctx ends.
func (r *router) read(ctx context.Context, at journal.GapPlace, send func(any)) (journal.GapPlace, error) {
	reader := r.env.source.Reader(r.partition)
	credit := journal.NewCredits[domain.Arrival]()
	for failures, last := 0, int64(journal.CoalesceBelow); ; {
		spare, ok := journal.TakeCredit(ctx, credit, last)
		if !ok {
			return at, ctx.Err()
		}
		p, err := reader.Read(ctx, at.Next, at.Epoch, spare)
		if ctx.Err() != nil {
			return at, ctx.Err()
		}
		if err != nil {
			var gap *domain.GapError
			if errors.As(err, &gap) {
				at.Next = max(at.Next, 0)
				return at, gap
			}
			credit <- spare
			failures++
			r.shared.reading.Failed(r.env.log, failures, err, "partition", r.partition)
			if !retry.Backoff(ctx, failures) {
				return at, ctx.Err()
			}
			continue
		}
		failures = 0
		r.shared.reading.Progress(r.env.log, "partition", r.partition)
		r.shared.reads.Add(1)
		at.Next, at.Epoch, last = p.Next, p.Epoch, journal.Readable(len(p.Arrivals), p.Next, p.End)
		send(&sourcePage{p, time.Now(), credit})
	}
}
