package outbox

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Kind is where entries go.
type Kind uint8

// The kinds, each with a cursor of its own.
const (
	Forwards Kind = iota
	DeadLetters
	KeyDeletions
	Kinds
)

func kindOf(e *domain.Outgoing) Kind {
	switch {
	case e.Dead != nil:
		return DeadLetters
	case len(e.Keys) > 0:
		return KeyDeletions
	}
	return Forwards
}

// Outbox belongs to its shard's goroutine.
type Outbox struct {
	shard int
	depth int // entries that may wait
	bytes int // that entries which wait may take
	send  [Kinds]Send
	log   *slog.Logger

	staged []*domain.Outgoing
	queues [Kinds]queue[*domain.Outgoing]
	held   atomic.Int64 // bytes of what is staged and of what waits

	cancel  context.CancelFunc
	done    chan struct{}
	running int
}

// Status is what others read of an outbox: its queues, of this life.
type Status struct {
	queues     [Kinds]atomic.Pointer[queue[*domain.Outgoing]]
	Publishing [Kinds]retry.State
}

// Waiting is the number of entries of a kind that are not published.
func (s *Status) Waiting(k Kind) int {
	if q := s.queues[k].Load(); q != nil {
		return q.len()
	}
	return 0
}

// Tried is how publishing goes, of each kind.
func (s *Status) Tried() (states []*retry.State) {
	for k := range s.Publishing {
		states = append(states, &s.Publishing[k])
	}
	return states
}

// Unpublished calls f with the origins, in a topic, of dead letters that wait.
func (s *Status) Unpublished(topic domain.TopicID, f func(domain.Origin)) {
	if q := s.queues[DeadLetters].Load(); q != nil {
		q.each(func(e *domain.Outgoing) {
			if e.Dead.Origin.Topic == topic {
				f(e.Dead.Origin)
			}
		})
	}
}

// usualDepth is how many entries may wait before the shard takes no more records, usualBytes how much they may
// take (I8): a step of a merge takes up to 2 MiB.
const (
	usualDepth = 50_000
	usualBytes = 16 << 20
)

// New is the outbox of a shard; depth 0: as usual.
func New(shard, depth int, send [Kinds]Send, log *slog.Logger) *Outbox {
	o := &Outbox{shard: shard, depth: cmp.Or(depth, usualDepth), bytes: usualBytes, send: send, log: log}
	for k := range o.queues {
		o.queues[k] = newQueue[*domain.Outgoing]()
	}
	return o
}

// Stage notes an entry of the open commit.
func (o *Outbox) Stage(e *domain.Outgoing) {
	o.held.Add(int64(sizeOf(e)))
	o.staged = append(o.staged, e)
}

// Committed hands over the entries of the last commit.
func (o *Outbox) Committed() {
	for _, e := range o.staged {
		o.queues[kindOf(e)].push(e)
	}
	clear(o.staged)
	o.staged = o.staged[:0]
}

// Offer hands over an entry that is committed.
func (o *Outbox) Offer(e *domain.Outgoing) {
	o.held.Add(int64(sizeOf(e)))
	o.queues[kindOf(e)].push(e)
}

// sizeOf is about what an entry takes in memory.
func sizeOf(e *domain.Outgoing) int {
	switch {
	case e.Dead != nil:
		return 256 + len(e.Dead.Raw) + len(e.Dead.Detail)
	case e.Forward != nil:
		return journal.RecordBytes(e.Forward)
	}
	return 64 + len(e.Keys)*len(domain.KeyID{})
}

// Full reports that the shard should wait.
func (o *Outbox) Full() bool {
	if o.held.Load() > int64(o.bytes) {
		return true
	}
	waiting := 0
	for k := range o.queues {
		waiting += o.queues[k].len()
	}
	return waiting > o.depth
}

// Start begins to publish; report gets how far each kind came, on that kind's goroutine.
func (o *Outbox) Start(report func(k Kind, upTo uint64), status *Status) {
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	o.done = make(chan struct{}, Kinds)
	o.running = int(Kinds)
	for k := range Kinds {
		status.queues[k].Store(&o.queues[k])
		go o.publish(ctx, k, &status.Publishing[k], report)
	}
}

// Stop returns when nothing more is sent.
func (o *Outbox) Stop() {
	if o.cancel == nil {
		return
	}
	o.cancel()
	for ; o.running > 0; o.running-- {
		<-o.done
	}
	o.cancel = nil
}

// maxBatch is the number of entries sent at once.
const maxBatch = 500

// publish brings the entries of a kind into their log, in order.
func (o *Outbox) publish(ctx context.Context, k Kind, t *retry.State, report func(Kind, uint64)) {
	defer func() { o.done <- struct{}{} }()
	q := &o.queues[k]
	for {
		batch := q.peek(ctx, maxBatch)
		if batch == nil {
			return
		}
		for failures := 1; ; failures++ {
			err := o.send[k](ctx, batch)
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
		upTo, size := batch[len(batch)-1].Sequence, 0
		for _, e := range batch {
			size += sizeOf(e)
		}
		q.drop(len(batch))
		o.held.Add(int64(-size))
		report(k, upTo)
	}
}
