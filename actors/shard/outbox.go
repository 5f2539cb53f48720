package shard

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// outbox publishes what a shard sends to other shards and to the dead letters. The
// entries are part of the shard's state; the outbox only brings them, in order and
// leaving none out, into their logs. Forwards and dead letters have cursors of
// their own, so that a dead letter holds up no forward.
//
// The shard owns staged; the goroutines are given what was committed.
type outbox struct {
	shard    int
	appender journal.Appender
	letters  DeadLetters
	log      *slog.Logger
	depth    int // entries that may wait

	pending  []*domain.Outgoing // staged, not committed
	forwards queue[*domain.Outgoing]
	dead     queue[*domain.Outgoing]

	cancel  context.CancelFunc
	done    chan struct{}
	running int
}

// OutboxStatus is what others read of an outbox: its queues, of this life.
type OutboxStatus struct {
	forwards, dead        atomic.Pointer[queue[*domain.Outgoing]]
	Forwarding, Lettering retry.State
}

// Waiting is the number of forwards and of dead letters that are not published.
func (s *OutboxStatus) Waiting() (forwards, letters int) {
	if q := s.forwards.Load(); q != nil {
		forwards = q.len()
	}
	if q := s.dead.Load(); q != nil {
		letters = q.len()
	}
	return forwards, letters
}

// Unpublished calls f with the origins, in a topic, of dead letters that wait.
func (s *OutboxStatus) Unpublished(topic domain.TopicID, f func(domain.Origin)) {
	if q := s.dead.Load(); q != nil {
		q.each(func(e *domain.Outgoing) {
			if e.Dead.Origin.Topic == topic {
				f(e.Dead.Origin)
			}
		})
	}
}

// outboxDepth is how many entries may wait before the shard takes no more records
// (I8).
const outboxDepth = 50_000

func newOutbox(shard, depth int, a journal.Appender, d DeadLetters, log *slog.Logger) *outbox {
	return &outbox{shard: shard, appender: a, letters: d, log: log, depth: depth, forwards: newQueue[*domain.Outgoing](), dead: newQueue[*domain.Outgoing]()}
}

// staged notes an entry of the open commit.
func (o *outbox) staged(e *domain.Outgoing) { o.pending = append(o.pending, e) }

// committed hands the entries of the last commit to the publishers.
func (o *outbox) committed() {
	for _, e := range o.pending {
		o.offer(e)
	}
	clear(o.pending)
	o.pending = o.pending[:0]
}

// offer hands over an entry that is committed: a replay makes it again as it is (I6).
func (o *outbox) offer(e *domain.Outgoing) {
	if e.Dead != nil {
		o.dead.push(e)
	} else {
		o.forwards.push(e)
	}
}

// full reports that the shard should wait.
func (o *outbox) full() bool { return o.forwards.len()+o.dead.len() > o.depth }

// pauseForOutbox applies nothing more until entries are published, which published says.
// What was applied is committed, and routers no longer wait for this shard: its records
// wait in the journal, as a stopped shard's do.
func (s *shard) pauseForOutbox(ctx actor.Context) {
	s.running = false
	s.env.Handle.Apart.Store(true)
	if s.uncommitted > 0 {
		if err := s.commit(ctx); err != nil {
			s.failed(ctx, err)
		}
	}
}

// rejoin has routers wait for the shard again, once it publishes and is near the end of its
// partition.
func (s *shard) rejoin() {
	shared := s.env.Handle
	if shared.Apart.Load() && shared.End.Load()-s.state.Next <= NearEnd && !s.outbox.full() {
		shared.Apart.Store(false)
	}
}

// start begins to publish; report is told how far it came.
func (o *outbox) start(report func(any), shared *OutboxStatus) {
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel, o.done, o.running = cancel, make(chan struct{}, 2), 2
	shared.forwards.Store(&o.forwards)
	shared.dead.Store(&o.dead)
	go o.publish(ctx, &o.forwards, &shared.Forwarding, o.sendForwards, func(upTo uint64) { report(&published{upTo: upTo}) })
	go o.publish(ctx, &o.dead, &shared.Lettering, o.sendLetters, func(upTo uint64) { report(&published{deadUpTo: upTo}) })
}

func (o *outbox) stop() {
	if o.cancel == nil {
		return
	}
	o.cancel()
	for ; o.running > 0; o.running-- {
		<-o.done
	}
	o.cancel = nil
}

// outboxBatch is the number of entries brought on their way at once.
const outboxBatch = 500

// publish brings a queue's entries into their logs, in order.
func (o *outbox) publish(ctx context.Context, q *queue[*domain.Outgoing], t *retry.State,
	send func(context.Context, []*domain.Outgoing) error, report func(uint64),
) {
	defer func() { o.done <- struct{}{} }()
	for {
		batch := q.peek(ctx, outboxBatch)
		if batch == nil {
			return
		}
		for failures := 1; ; failures++ {
			err := send(ctx, batch)
			if err == nil {
				t.Recovered(o.log, "shard", o.shard)
				break
			}
			if ctx.Err() != nil {
				return
			}
			t.Failed(o.log, failures, err, "shard", o.shard, "entries", len(batch))
			if !retry.Backoff(ctx, failures) {
				return
			}
		}
		upTo := batch[len(batch)-1].Sequence
		q.drop(len(batch))
		report(upTo)
	}
}

// sendForwards appends the records of each shard in order. After a failure the
// whole batch is sent again: receivers drop what they have by its origin (I2).
func (o *outbox) sendForwards(ctx context.Context, batch []*domain.Outgoing) error {
	rest := slices.Clone(batch)
	for len(rest) > 0 {
		to := rest[0].To
		var records []domain.Record
		var others []*domain.Outgoing
		size := 0
		for _, e := range rest {
			if e.To != to || size > journal.BatchBytes {
				others = append(others, e)
				continue
			}
			records = append(records, *e.Forward)
			size += journal.RecordBytes(e.Forward)
		}
		if _, err := o.appender.Append(ctx, to, records); err != nil {
			return err
		}
		rest = others
	}
	return nil
}

func (o *outbox) sendLetters(ctx context.Context, batch []*domain.Outgoing) error {
	letters := make([]domain.DeadLetter, len(batch))
	for i, e := range batch {
		letters[i] = *e.Dead
	}
	return o.letters.Publish(ctx, letters)
}

// published notes how far the publishers came. The log is told once a second, or
// after many entries: a record that trims the outbox at the same place in every
// replica.
func (s *shard) published(ctx actor.Context, m *published) {
	s.told.UpTo, s.told.DeadUpTo = max(s.told.UpTo, m.upTo), max(s.told.DeadUpTo, m.deadUpTo)
	if s.told.UpTo >= s.state.Published+publishedMost || s.told.DeadUpTo >= s.state.DeadUpTo+publishedMost {
		s.sayPublished()
	} else if !s.telling {
		s.telling = true
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(time.Second, func() { root.Send(self, &sayPublished{}) })
	}
	s.rejoin()
	if !s.running && len(s.queue) > 0 {
		s.running = true
		ctx.Send(ctx.Self(), &goOn{})
	}
}

// publishedMost is the number of published entries from which the log is told at
// once.
const publishedMost = 1000

func (s *shard) sayPublished() {
	s.telling = false
	if s.told.UpTo <= s.state.Published && s.told.DeadUpTo <= s.state.DeadUpTo {
		return
	}
	told := s.told
	s.env.Appender.Post(domain.Record{Kind: domain.KindPublished, Command: &told})
}
