package publish

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Stream publishes at a steady pace, whether the log takes it or not.
type Stream struct {
	Began   time.Time // of the pace; set before Run
	Durable *report.Latencies
	Acked   atomic.Int64 // records that are durable

	publisher *Publisher
	queue     *queue
	pending   atomic.Int64 // records queued or sent, not yet durable
	max       int64        // of pending
}

// Item is a record and when it was due.
type Item struct {
	Member  int
	Message kafka.Message
	Due     time.Time
	Acked   func(sent time.Time) // called once it is durable; nil: nothing is called
}

// NewStream makes a stream of a publisher; it runs once.
func NewStream(p *Publisher) *Stream {
	return &Stream{publisher: p, max: maxPending, Durable: report.NewLatencies(), queue: newQueue(p.partitions)}
}

// maxPending bounds the queue: the pace is far too high then, and memory is bounded.
const maxPending = 4_000_000

// linger is how long the first record of a batch waits for more, as Apache Kafka's producer
// does by default.
const linger = 5 * time.Millisecond

// tickOf is how often due records are queued: one is queued so much late at most, and that
// counts too.
const tickOf = time.Millisecond

var errBehind = errors.New("the log is slower than the pace")

// Run publishes until next reports that there is no more, and returns when all is durable.
// next puts what is due up to a time since Began.
func (s *Stream) Run(ctx context.Context, next func(upTo time.Duration, put func(Item)) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	producers, err := s.publisher.producers()
	if err != nil {
		return err
	}
	all := make([]kafka.Sending, len(producers))
	for p := range all {
		all[p].Producer = producers[p]
	}
	sent := make(chan error, 1)
	go func() {
		err := s.send(ctx, all)
		if err != nil {
			cancel()
		}
		sent <- err
	}()
	err = s.fill(ctx, next)
	s.queue.close()
	err = errors.Join(err, <-sent)
	s.publisher.Published += s.Acked.Load()
	return err
}

// fill queues what is due.
func (s *Stream) fill(ctx context.Context, next func(time.Duration, func(Item)) bool) error {
	tick := time.NewTicker(tickOf)
	defer tick.Stop()
	put := func(i Item) {
		s.pending.Add(1)
		s.queue.put(i, s.publisher.batch)
	}
	for next(time.Since(s.Began), put) {
		if n := s.pending.Load(); n > s.max {
			return fmt.Errorf("%w: %d records are queued", errBehind, n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// send publishes what is queued, a batch of each partition at a time, until the queue is
// closed and empty. One request is in flight.
func (s *Stream) send(ctx context.Context, producers []kafka.Sending) error {
	var sending []kafka.Sending
	for {
		batches, err := s.queue.take(ctx, s.publisher.batch, linger)
		if err != nil || batches == nil {
			return err
		}
		sending = sending[:0]
		for p, batch := range batches {
			if len(batch) > 0 {
				to := &producers[p]
				to.Messages = to.Messages[:0]
				for i := range batch {
					to.Messages = append(to.Messages, batch[i].Message)
				}
				sending = append(sending, *to)
			}
		}
		began := time.Now()
		if err := s.sendAll(ctx, sending); err != nil {
			return err
		}
		s.acked(batches, began, time.Now())
	}
}

// sendAll returns when all is durable; a batch that failed is sent once more, alone.
func (s *Stream) sendAll(ctx context.Context, sending []kafka.Sending) error {
	s.publisher.client.ProduceEach(ctx, sending)
	for i := range sending {
		if sending[i].Err == nil {
			continue
		}
		if _, err := sending[i].Producer.Send(ctx, sending[i].Messages); err != nil {
			return err
		}
	}
	return nil
}

// acked notes what is durable.
func (s *Stream) acked(batches [][]Item, sent, now time.Time) {
	for _, batch := range batches {
		for i := range batch {
			s.Durable.Note(now.Sub(batch[i].Due))
			if f := batch[i].Acked; f != nil {
				f(sent)
			}
		}
		s.Acked.Add(int64(len(batch)))
		s.pending.Add(-int64(len(batch)))
	}
}
