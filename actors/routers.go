package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// routers is the actor that sees to it that every partition of the public topic has
// a router: partitions that are added are found within a minute and read from
// their start.
type routers struct {
	env    *routerEnv
	shared *routersShared
	known  int
	ctx    context.Context // ends with the actor, and with it what its children wait for
	cancel context.CancelFunc
	end    context.CancelFunc // of what appends: it outlives the children, who leave a mark
}

// routersShared is what status reads.
type routersShared struct {
	mu      sync.Mutex // guards all: status asks while partitions are found
	all     []*routerShared
	looking trouble
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
	// routerStarted is where a router goes on.
	routerStarted struct {
		topic domain.TopicID
		resumption
	}
	// routerFailed ends a router.
	routerFailed struct{ err error }
)

// Receive is the mailbox.
func (r *routers) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.ctx, r.cancel = context.WithCancel(context.Background())
		var gathering context.Context
		gathering, r.end = context.WithCancel(context.Background())
		go r.env.gather.run(gathering)
		self, root := ctx.Self(), ctx.ActorSystem().Root
		go r.look(r.ctx, func(n int) { root.Send(self, &partitionsFound{n}) })
	case *actor.Stopping:
		r.cancel()
	case *actor.Stopped:
		r.end()
	case *partitionsFound:
		for ; r.known < m.n; r.known++ {
			r.spawn(ctx, r.known)
		}
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
			if failures++; !backOff(ctx, failures) {
				return
			}
			r.shared.looking.met(r.env.log, failures, err)
			continue
		}
		failures = 0
		r.shared.looking.over(r.env.log)
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
	ctx.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return &router{
			env: r.env, node: r.ctx, partition: partition, shared: shared,
			batches: make([][]domain.Record, len(r.env.shards)),
		}
	}))
}

// Receive is the mailbox.
func (r *router) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.start(ctx)
	case *actor.Stopping:
		r.stop()
	case *routerStarted:
		r.next, r.noted, r.marked, r.epoch, r.reading = m.next, m.noted, m.next, m.epoch, m.topic
		r.shared.next.Store(max(m.next, 0))
	case *sourcePage:
		if r.ctx.Err() == nil {
			r.page(m)
		}
	case *routerFailed:
		r.halt(m.err)
	case *catalogMoved:
		if r.shared.stopped.Load() != nil && r.lifted() {
			r.start(ctx)
		}
	}
}

// lifted reports that what stopped the router may be over: it was no gap, or the
// operator's word is there.
func (r *router) lifted() bool {
	w := r.shared.gap.Load()
	return w == nil || r.accepted(w.Topic, w.From) != nil
}

func (r *router) page(m *sourcePage) {
	err := r.route(r.ctx, m)
	m.credit <- filled(m.Arrivals)
	if err != nil && r.ctx.Err() == nil {
		r.halt(err)
	}
}

// halt stops this partition only, and says why.
func (r *router) halt(err error) {
	r.env.log.Error("a partition of the public topic stopped", "partition", r.partition, "err", err)
	r.stop()
	why := err.Error()
	r.shared.gap.Store(wordFor(err, r.topic()))
	r.shared.stopped.Store(&why)
}

func (r *router) stop() {
	if r.cancel != nil {
		r.cancel()
		<-r.pumping
		r.cancel = nil
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
	r.ctx, r.cancel = context.WithCancel(r.node)
	r.pumping = make(chan struct{})
	self, root := ctx.Self(), ctx.ActorSystem().Root
	go r.pump(r.ctx, r.pumping, func(m any) { root.Send(self, m) })
}

// pump reads pages: one in flight a credit.
func (r *router) pump(ctx context.Context, done chan struct{}, send func(any)) {
	defer close(done)
	from, err := r.resume(ctx)
	if err != nil {
		if ctx.Err() == nil {
			send(&routerFailed{err})
		}
		return
	}
	send(&routerStarted{r.topic(), from})
	next, epoch := from.next, from.epoch
	reader := r.env.source.Reader(r.partition)
	credit := make(chan []domain.Arrival, credits)
	for range credits {
		credit <- nil
	}
	for failures, last := 0, few; ; {
		spare, ok := credited(ctx, credit, last)
		if !ok {
			return
		}
		p, err := reader.Read(ctx, next, epoch, spare)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			var gap *domain.GapError
			if errors.As(err, &gap) {
				send(&routerFailed{gap})
				return
			}
			credit <- spare
			failures++
			r.shared.reading.met(r.env.log, failures, err, "partition", r.partition)
			if !backOff(ctx, failures) {
				return
			}
			continue
		}
		failures = 0
		r.shared.reading.goes(r.env.log, "partition", r.partition)
		next, epoch, last = p.Next, p.Epoch, len(p.Arrivals)
		send(&sourcePage{p, time.Now(), credit})
	}
}

// resumption is where a router reads on. Below zero: at the log's start, since nothing of
// the partition was ever read.
type resumption struct {
	next  int64
	epoch int32
	noted int64 // what the group has; below zero: nothing that holds
}

// resume is where to read on: the group's offset, or the journal's mark, or where the
// operator's word says behind either.
func (r *router) resume(ctx context.Context) (resumption, error) {
	for failures := 1; ; failures++ {
		from, err := r.left(ctx)
		var gap *domain.GapError
		switch {
		case err == nil && from.next >= 0:
			if g := r.accepted(r.topic(), from.next); g != nil {
				from.next, from.epoch = g.To, -1
			}
			return from, nil
		case err == nil, errors.As(err, &gap):
			return from, err
		case ctx.Err() != nil:
			return resumption{}, ctx.Err()
		}
		r.shared.reading.met(r.env.log, failures, err, "partition", r.partition)
		if !backOff(ctx, failures) {
			return resumption{}, ctx.Err()
		}
	}
}

// left is where the partition was left; below zero: it was never begun.
func (r *router) left(ctx context.Context) (resumption, error) {
	next, epoch, ok, err := r.env.source.Committed(ctx, r.partition)
	var gap *domain.GapError
	if err == nil && ok {
		return resumption{next, epoch, next}, nil
	}
	if errors.As(err, &gap) {
		if g := r.accepted(r.topic(), gap.Want); g != nil {
			return resumption{g.To, -1, -1}, nil
		}
	} else if err != nil {
		return resumption{}, err
	}
	// Kafka forgets offsets, with a topic too that is deleted. The mark is of the topic
	// that is there now, if it is the one to be read: of another one's records nobody knows
	// what was lost.
	now, known := r.env.source.Topic(), r.env.catalog.view.Load().source(r.partition)
	switch {
	case known == now, known.IsZero() && gap == nil:
	case gap != nil:
		return resumption{}, gap
	default:
		return resumption{}, &domain.GapError{
			Kind: domain.GapRecreated, Topic: "the public topic", TopicID: now, Partition: r.partition, Detail: "was " + known.String(),
		}
	}
	at, err := r.env.markedIn(ctx, now, r.partition)
	if err != nil || at.IsZero() {
		return resumption{-1, -1, -1}, err
	}
	return resumption{at.Offset, at.Epoch, -1}, nil
}

// topic is the one that the partition is to be read of.
func (r *router) topic() domain.TopicID {
	if id := r.env.catalog.view.Load().source(r.partition); !id.IsZero() {
		return id
	}
	return r.env.source.Topic()
}

func (r *router) accepted(topic domain.TopicID, from int64) *domain.AcceptGap {
	return r.env.catalog.view.Load().accepted(topic, r.partition, from)
}
