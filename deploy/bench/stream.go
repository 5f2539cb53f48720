package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// stream publishes at a steady pace, whether the log takes it or not: what is due stands
// in line, and its wait counts. It sends as Apache Kafka's own producer does: when a
// partition has a full batch or something has lingered, one request takes what stands in
// line for any partition.
type stream struct {
	feed     *feed
	began    time.Time
	linger   time.Duration
	line     *line
	most     int // that may stand in line
	durable  *latencies
	acked    atomic.Int64
	standing atomic.Int64 // in line, or on their way
}

// item is a record and when it was due.
type item struct {
	who     int
	message kafka.Message
	due     time.Time
	probe   *probe // nil: of the crowd
}

func newStream(f *feed, linger time.Duration) *stream {
	return &stream{feed: f, linger: linger, most: standingMost, durable: newLatencies(), line: newLine(f.partition)}
}

// standingMost bounds the line: a pace that is so far off is not kept, and memory ends.
const standingMost = 4_000_000

// tickOf is how often the stream looks what is due: a record is put in line so much
// late at most, and that counts too.
const tickOf = time.Millisecond

var errBehind = errors.New("the log does not take what is due")

// run publishes what next gives until it gives no more, and returns when all is durable.
// next gives what is due by a time since the beginning, and reports whether there is more.
func (s *stream) run(ctx context.Context, next func(upTo time.Duration, put func(item)) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := make([]kafka.Sending, s.feed.partition)
	for p := range all {
		producer, err := s.feed.client.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Partition: p, Codec: kafka.LZ4})
		if err != nil {
			return err
		}
		all[p].Producer = producer
	}
	sent := make(chan error, 1)
	go func() {
		err := s.send(ctx, all)
		if err != nil {
			cancel()
		}
		sent <- err
	}()
	err := s.fill(ctx, next)
	s.line.close()
	return errors.Join(err, <-sent)
}

// fill puts in line what is due.
func (s *stream) fill(ctx context.Context, next func(time.Duration, func(item)) bool) error {
	tick := time.NewTicker(tickOf)
	defer tick.Stop()
	put := func(i item) {
		s.standing.Add(1)
		s.line.put(i, s.feed.batch)
	}
	for next(time.Since(s.began), put) {
		if n := s.standing.Load(); n > int64(s.most) {
			return fmt.Errorf("%w: %d records stand in line", errBehind, n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// send publishes the line, a batch of each partition at a time, until it is closed and
// empty. One request is under way.
func (s *stream) send(ctx context.Context, producers []kafka.Sending) error {
	var sending []kafka.Sending
	for {
		batches, err := s.line.take(ctx, s.feed.batch, s.linger)
		if err != nil || batches == nil {
			return err
		}
		sending = sending[:0]
		for p, batch := range batches {
			if len(batch) > 0 {
				to := &producers[p]
				to.Messages = to.Messages[:0]
				for i := range batch {
					to.Messages = append(to.Messages, batch[i].message)
				}
				sending = append(sending, *to)
			}
		}
		put := time.Now()
		if err := s.sendAll(ctx, sending); err != nil {
			return err
		}
		s.sent(batches, put, time.Now())
	}
}

// sendAll returns when all is durable. What is not known to be is sent once more alone.
func (s *stream) sendAll(ctx context.Context, sending []kafka.Sending) error {
	s.feed.client.ProduceEach(ctx, sending)
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

// sent notes what is durable.
func (s *stream) sent(batches [][]item, put, now time.Time) {
	for _, batch := range batches {
		for i := range batch {
			s.durable.note(now.Sub(batch[i].due))
			if batch[i].probe != nil {
				batch[i].probe.sent(put)
			}
		}
		s.acked.Add(int64(len(batch)))
		s.standing.Add(-int64(len(batch)))
	}
}

// line is what is due and was not taken yet, by partition. One goroutine puts, one takes.
type line struct {
	mu     sync.Mutex // guards items and closed
	items  [][]item
	closed bool
	ready  chan struct{} // there is something to look at
}

func newLine(partitions int) *line {
	return &line{items: make([][]item, partitions), ready: make(chan struct{}, 1)}
}

func (l *line) put(i item, batch int) {
	l.mu.Lock()
	of := &l.items[i.who%len(l.items)]
	*of = append(*of, i)
	n := len(*of)
	l.mu.Unlock()
	if n == 1 || n == batch {
		l.wake()
	}
}

func (l *line) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.wake()
}

func (l *line) wake() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// take waits until a partition has a batch, or something that has stood for as long as a
// producer lingers, and takes up to a batch of each. Of a line that is closed it takes what
// is left, and nil at its end.
func (l *line) take(ctx context.Context, batch int, linger time.Duration) ([][]item, error) {
	for {
		l.mu.Lock()
		due, full, some := l.look(batch)
		closed := l.closed
		wait := time.Until(due.Add(linger))
		if some && (closed || full || wait <= 0) {
			out := l.cut(batch)
			l.mu.Unlock()
			return out, nil
		}
		l.mu.Unlock()
		if closed {
			return nil, nil
		}
		if err := l.sleep(ctx, some, wait); err != nil {
			return nil, err
		}
	}
}

// look tells since when the oldest item was due, if there is some, and whether a partition
// has a batch.
func (l *line) look(batch int) (due time.Time, full, some bool) {
	for _, of := range l.items {
		if len(of) > 0 && (!some || of[0].due.Before(due)) {
			due, some = of[0].due, true
		}
		full = full || len(of) >= batch
	}
	return due, full, some
}

// cut takes up to a batch of each partition.
func (l *line) cut(batch int) [][]item {
	out := make([][]item, len(l.items))
	for p, of := range l.items {
		out[p] = of[:min(len(of), batch)]
		if l.items[p] = of[len(out[p]):]; len(l.items[p]) == 0 {
			l.items[p] = nil
		}
	}
	return out
}

// sleep waits for something to look at, or until what stands in line has lingered.
func (l *line) sleep(ctx context.Context, lingers bool, wait time.Duration) error {
	var lingered <-chan time.Time
	if lingers {
		t := time.NewTimer(wait)
		defer t.Stop()
		lingered = t.C
	}
	select {
	case <-l.ready:
	case <-lingered:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
