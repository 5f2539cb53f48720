package actors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/broadcast"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// shards are the shards of a node, and what appends commands to their partitions. Any goroutine
// may use them once they are started.
type shards struct {
	o         *Options
	count     int
	root      *actor.RootContext
	appenders []*journal.PartitionAppender // by partition, of a node that is open
	running   map[int]*runningShard        // by id, of a node that is started
	started   atomic.Bool                  // running is complete: the catalog's goroutine may read it
	changes   broadcast.Signal             // wakes on a new view of any of them
	resident  atomic.Int64                 // bytes that columns may take, over all shards; 0: no bound
	ctx       context.Context              // of the node
	asked     atomic.Int64                 // messages that shards were to answer
	readings  []*sharedReading             // to the ends of their journals, of a node that is open
}

// runningShard is a shard of this node.
type runningShard struct {
	*shard.Handle
	pid  *actor.PID
	done <-chan struct{} // closed when it has ended
}

func newShards(o *Options) *shards {
	s := &shards{o: o, count: o.Journal.Partitions(), running: map[int]*runningShard{}}
	s.resident.Store(int64(o.ResidentBytes))
	return s
}

// open starts the appenders: they end with ctx.
func (s *shards) open(ctx context.Context, root *actor.RootContext, beside func(func())) {
	s.ctx, s.root = ctx, root
	for i := range s.count {
		s.readings = append(s.readings, &sharedReading{ctx: ctx, beside: beside, read: func(ctx context.Context) error {
			return s.read(ctx, i)
		}})
		s.appenders = append(s.appenders, journal.StartAppender(ctx, s.o.Journal.Appender(), i, s.o.Log))
	}
}

// start starts the shards; they give up loading when ctx ends.
func (s *shards) start(loading context.Context, settings func(int, *shard.Handle) shard.Config) {
	for i := range s.count {
		done := make(chan struct{})
		h := shard.NewHandle(i)
		h.View.Shared = &s.changes
		c := settings(i, h)
		c.Lifetime = shard.Lifetime{Ctx: loading, Done: done}
		s.running[i] = &runningShard{h, s.root.Spawn(shard.Props(&c)), done}
	}
	s.started.Store(true)
}

// settings are what a shard is made with, but for its lifetime and what is of the node.
func (s *shards) settings(id int, h *shard.Handle) shard.Config {
	return shard.Config{
		ID: id, Shards: s.count, Rules: s.o.rules, Journal: s.o.Journal, Appender: s.appenders[id], Handle: h, Log: s.o.Log, Traces: s.o.Traces,
		Open: func() (shard.Store, error) { return s.o.OpenShard(id) },
		Memory: shard.MemoryLimits{
			MemberBytes: s.o.MemberBytes / s.count, CachedBytes: s.o.CachedRecordBytes / s.count,
			Identities: s.o.CachedIdentities, Places: s.o.places, Resident: &s.resident,
		},
		Publishing: shard.Publishing{DeadLetters: s.o.DeadLetters, DataKeys: s.o.DataKeys, Depth: s.o.outboxDepth},
		MarkEvery:  s.o.markEvery,
	}
}

// here are the shards that run here, ascending by id.
func (s *shards) here() iter.Seq2[int, *runningShard] {
	return func(yield func(int, *runningShard) bool) {
		for id := range s.count {
			if r := s.running[id]; r != nil && !yield(id, r) {
				return
			}
		}
	}
}

// late is how long ago the shard that is last was at the end of its log.
func (s *shards) late(now time.Time) (late time.Duration) {
	for _, r := range s.here() {
		late = max(late, r.Late(now))
	}
	return late
}

// find is the shard with that id.
func (s *shards) find(id int) (*runningShard, error) {
	r := s.running[id]
	if r == nil {
		return nil, shard.ErrNotHere
	}
	return r, nil
}

// handle is that of a shard.
func (s *shards) handle(id int) (*shard.Handle, error) {
	r, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return r.Handle, nil
}

// ask sends a message to a shard; the answer has as long as ctx.
func (s *shards) ask(ctx context.Context, id int, message any) *actor.Future {
	s.asked.Add(1)
	return s.root.RequestFuture(s.running[id].pid, message, deadline.Left(ctx))
}

// ReadMembers returns when the members and identities of a slot are as of the end that their journal had at the call
// or later; ErrUnavailable when the end cannot be read within about a second.
func (s *shards) ReadMembers(ctx context.Context, slot domain.Slot) error {
	return s.readings[slot.Shard(s.count)].wait(ctx)
}

// read returns once a shard has applied its journal up to its end as of the call.
func (s *shards) read(ctx context.Context, id int) error {
	if _, err := s.find(id); err != nil {
		return err
	}
	end, err := s.o.Journal.End(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.ask(ctx, id, &waiters.AwaitOffset{Next: end}).Result()
	return err
}

// appender is what appends to the shard of a slot.
func (s *shards) appender(slot domain.Slot) *journal.PartitionAppender {
	return s.appenders[slot.Shard(s.count)]
}

// broadcast sends a message to every shard of a node that is started.
func (s *shards) broadcast(message any) {
	if s.started.Load() {
		for _, r := range s.here() {
			s.root.Send(r.pid, message)
		}
	}
}

// catalogMoved has shards that stopped look whether they may go on.
func (s *shards) catalogMoved() { s.broadcast(&shard.CatalogMoved{}) }

// renews has each shard look at how old its view is, again and again.
func (s *shards) renews(ctx context.Context) {
	for retry.Pause(ctx, shard.RenewEvery) {
		s.broadcast(&shard.Renew{})
	}
}

// KeepResident sets how much memory columns may take, over all shards; 0: no bound. A shard
// that has more evicts them, one that gets more within accounts.LookEveryCommits commits.
func (s *shards) KeepResident(bytes int64) {
	s.resident.Store(bytes)
	if !s.started.Load() || bytes == 0 {
		return
	}
	each := bytes / int64(s.count)
	for _, r := range s.here() {
		if r.Stats.Columns.Load() > each {
			s.root.Send(r.pid, &shard.EvictColumns{})
		}
	}
}

// Resident is how much columns take, each shard's as of when it looked last.
func (s *shards) Resident() (bytes int64) {
	for _, r := range s.here() {
		bytes += r.Stats.Columns.Load()
	}
	return bytes
}

// Reopen closes a shard's part of the store and opens it again, of a shard too that has
// stopped. What it finds there may be as of an earlier record: the shard applies the journal
// from there on, and answers no question before it is where it was. Reopen returns when it
// is; the error says why it is not.
func (s *shards) Reopen(ctx context.Context, id int) error {
	r, err := s.find(id)
	if err != nil {
		return err
	}
	m := &shard.Reopen{Done: make(chan struct{})}
	s.root.Send(r.pid, m)
	select {
	case <-m.Done:
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	for failures := 1; ; failures++ {
		switch shard.Behaviour(r.Behaviour.Load()) {
		case shard.Serving:
			return nil
		case shard.Stopped:
			if why := r.Stopped.Load(); why != nil {
				return errors.New(*why)
			}
		}
		if !retry.Backoff(ctx, failures) {
			return ctx.Err()
		}
	}
}

// appliedWithin is how long a router waits for a shard's answer, and with it the node's stop.
const appliedWithin = 200 * time.Millisecond

// appliedOrigin is the highest origin of a stream that a shard has applied, once it has
// applied its journal below an offset.
func (s *shards) appliedOrigin(
	ctx context.Context, id int, below int64, topic domain.TopicID, partition int32,
) (domain.Origin, error) {
	ask := func(message any) (any, error) {
		return s.root.RequestFuture(s.running[id].pid, message, min(appliedWithin, deadline.Left(ctx))).Result()
	}
	if _, err := ask(&waiters.AwaitOffset{Next: below}); err != nil {
		return domain.Origin{}, fmt.Errorf(
			"shard %d, which knows how far was routed, has not applied %d records: %w", id, below, err)
	}
	answer, err := ask(&shard.WhichApplied{Stream: tx.Stream{Topic: topic, Partition: partition}})
	if err != nil {
		return domain.Origin{}, err
	}
	return answer.(*shard.LastApplied).Origin, nil
}
