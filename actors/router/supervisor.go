package router

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// Supervisor is the actor that gives every partition of the public topic
// a router: partitions that are added are found within a minute and read from
// their start.
type Supervisor struct {
	o      *Options
	shared *Handles
	known  map[int]*actor.PID // routers, by partition
	ctx    context.Context    // ends with the actor, or appendsFor after it began to stop, and with it what its children wait for
	cancel context.CancelFunc
	end    context.CancelFunc // of what appends: it outlives the children, who leave a mark
	early  chan struct{}      // somebody waits for what another node routes
	done   chan struct{}      // closed when the actor and its children have ended
}

// NewSupervisor is one of all partitions; done is closed when it and its children have ended.
func NewSupervisor(o *Options, handles *Handles, done chan struct{}) *Supervisor {
	return &Supervisor{o: o, shared: handles, known: map[int]*actor.PID{}, done: done, early: make(chan struct{}, 1)}
}

// CatalogMoved tells that a new view of the catalog is there: a router that stopped looks
// whether it may go on. Sent after the view is published.
type CatalogMoved struct{}

// appendsFor is how long an append may take while the routers stop. One that is given up may be in the journal: the next
// router repeats it.
const appendsFor = time.Second

// lookEvery is how often new partitions are looked for.
const lookEvery = time.Minute

type (
	// PartitionsFound is the number of partitions, as the broker has them.
	PartitionsFound struct{ Count int }
	// toRouter is a message for the router of a partition.
	toRouter struct {
		partition int
		message   any
	}
	// routerEnded says that the partition is no more.
	routerEnded struct{ partition int }
)

// errNoPartition says that the public topic, made again, has fewer partitions.
var errNoPartition = errors.New("the public topic has no such partition any more")

// Receive is the mailbox.
func (r *Supervisor) Receive(ctx actor.Context) {
	defer func() {
		if p := recover(); p != nil {
			r.o.Fatal(crash.Of("the supervisor of the routers", p))
		}
	}()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.ctx, r.cancel = context.WithCancel(context.Background())
		var gathering context.Context
		gathering, r.end = context.WithCancel(context.Background())
		go r.o.Batcher.Run(gathering, r.o.Backlogs)
		self, root := ctx.Self(), ctx.ActorSystem().Root
		go func() {
			err := crash.Guard("the look for partitions of the public topic", func() error {
				r.look(r.ctx, func(n int) { root.Send(self, &PartitionsFound{n}) })
				return nil
			})
			if err != nil {
				r.o.Fatal(err)
			}
		}()
		go func() {
			err := crash.Guard("the look at what other nodes route", func() error {
				newDuty(r.o, r.shared, r.early, func(partition int, m any) {
					root.Send(self, &toRouter{partition, m})
				}).run(r.ctx)
				return nil
			})
			if err != nil {
				r.o.Fatal(err)
			}
		}()
	case *toRouter:
		if pid := r.known[m.partition]; pid != nil {
			ctx.Send(pid, m.message)
		}
	case *actor.Stopping:
		time.AfterFunc(appendsFor, r.cancel)
	case *actor.Stopped:
		r.cancel()
		r.end()
		close(r.done)
	case *PartitionsFound:
		for p := range m.Count {
			if r.known[p] == nil {
				r.spawn(ctx, p)
			}
		}
	case *routerEnded:
		r.forget(ctx, m.partition)
	case *CatalogMoved:
		for _, c := range ctx.Children() {
			ctx.Send(c, m)
		}
	}
}

// look asks for the number of partitions, again and again.
func (r *Supervisor) look(ctx context.Context, found func(int)) {
	for failures := 0; ; {
		n, err := r.o.Source.Partitions(ctx)
		var gap *domain.GapError
		if errors.As(err, &gap) { // also before any was found: each says that it stopped
			found(n)
		}
		if err != nil {
			if failures++; !retry.Backoff(ctx, failures) {
				return
			}
			r.shared.Looking.Failed(r.o.Log, failures, err)
			continue
		}
		failures = 0
		r.shared.Looking.Recovered(r.o.Log)
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

func (r *Supervisor) spawn(ctx actor.Context, partition int) {
	shared := newHandle(partition, r.o, r.early)
	r.shared.mu.Lock()
	r.shared.all = append(r.shared.all, shared)
	r.shared.mu.Unlock()
	r.known[partition] = ctx.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return &router{
			o: r.o, node: r.ctx, partition: partition, shared: shared,
			batches: make([][]domain.Record, len(r.o.Backlogs)),
		}
	}))
}

// forget ends the router of a partition that is no more. One that is added later is found
// like any other.
func (r *Supervisor) forget(ctx actor.Context, partition int) {
	ctx.Stop(r.known[partition])
	delete(r.known, partition)
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	r.shared.all = slices.DeleteFunc(slices.Clone(r.shared.all), func(s *Handle) bool { return s.Partition == partition })
}
