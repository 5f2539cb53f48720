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
// in line, and its wait counts.
type stream struct {
	feed     *feed
	began    time.Time
	linger   time.Duration
	lines    []*line // one for each partition
	most     int     // that may stand in line
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
	s := &stream{feed: f, linger: linger, most: standingMost, durable: newLatencies(), lines: make([]*line, f.partition)}
	for i := range s.lines {
		s.lines[i] = &line{ready: make(chan struct{}, 1)}
	}
	return s
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
	var wg sync.WaitGroup
	errs := make([]error, len(s.lines)+1)
	for p, l := range s.lines {
		producer, err := s.feed.client.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Partition: p, Codec: kafka.LZ4})
		if err != nil {
			return err
		}
		wg.Go(func() {
			if errs[p] = s.send(ctx, l, producer); errs[p] != nil {
				cancel()
			}
		})
	}
	errs[len(s.lines)] = s.fill(ctx, next)
	for _, l := range s.lines {
		l.close()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// fill puts in line what is due.
func (s *stream) fill(ctx context.Context, next func(time.Duration, func(item)) bool) error {
	tick := time.NewTicker(tickOf)
	defer tick.Stop()
	put := func(i item) {
		s.standing.Add(1)
		s.lines[i.who%len(s.lines)].put(i, s.feed.batch)
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

// send publishes a line, a batch at a time, until it is closed and empty.
func (s *stream) send(ctx context.Context, l *line, p *kafka.Producer) error {
	var messages []kafka.Message
	for {
		batch, err := l.take(ctx, s.feed.batch, s.linger)
		if err != nil || len(batch) == 0 {
			return err
		}
		messages = messages[:0]
		for i := range batch {
			messages = append(messages, batch[i].message)
		}
		sent := time.Now()
		if _, err := p.Send(ctx, messages); err != nil {
			return err
		}
		now := time.Now()
		for i := range batch {
			s.durable.note(now.Sub(batch[i].due))
			if batch[i].probe != nil {
				batch[i].probe.sent(sent)
			}
		}
		s.acked.Add(int64(len(batch)))
		s.standing.Add(-int64(len(batch)))
	}
}

// line is what is due for a partition and was not taken yet. One goroutine puts, one
// takes.
type line struct {
	mu     sync.Mutex // guards items and closed
	items  []item
	closed bool
	ready  chan struct{} // there is something to look at
}

func (l *line) put(i item, batch int) {
	l.mu.Lock()
	l.items = append(l.items, i)
	n := len(l.items)
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

// take waits until there is a batch, or something that has stood for as long as a
// producer lingers, and takes that. Of a line that is closed it takes what is left, and
// nothing at its end.
func (l *line) take(ctx context.Context, batch int, linger time.Duration) ([]item, error) {
	for {
		l.mu.Lock()
		n, closed, wait := len(l.items), l.closed, time.Duration(0)
		if n > 0 {
			wait = time.Until(l.items[0].due.Add(linger))
		}
		if closed || n >= batch || n > 0 && wait <= 0 {
			out := l.items[:min(n, batch)]
			if l.items = l.items[len(out):]; len(l.items) == 0 {
				l.items = nil
			}
			l.mu.Unlock()
			return out, nil
		}
		l.mu.Unlock()
		if err := l.sleep(ctx, n > 0, wait); err != nil {
			return nil, err
		}
	}
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
