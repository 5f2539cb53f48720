package ingest

import (
	"context"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Appender is an appender of its own.
func (l *Log) Appender() *Appender {
	return &Appender{log: l, partitions: make([]partitionAppender, l.partitions)}
}

// Appender appends to the partitions of a log, in order, with one batch in flight and
// an idempotent session each. One goroutine a partition.
type Appender struct {
	log        *Log
	partitions []partitionAppender
	sending    []kafka.Sending // of AppendEach
}

// partitionAppender is what one partition's goroutine has.
type partitionAppender struct {
	producer *kafka.Producer
	buf      []byte
	messages []kafka.Message
	touched  uint64 // by prefetch: the compiler may leave out no read
}

// Append returns when the records are durable; it repeats what may pass until ctx
// ends. After an error the outcome is unknown: append the same records again, or
// none. What was in doubt may be in the log twice: readers know repeats by origin
// and by request id.
//
// Record i is at base+i, or below it if the records took more than one batch or
// the broker forgot where it put them: once base+i is applied, so is the record.
func (a *Appender) Append(ctx context.Context, partition int, records []domain.Record) (base int64, err error) {
	if partition < 0 || partition >= len(a.partitions) {
		return 0, fmt.Errorf("append to %s/%d: there are %d partitions", a.log.topic, partition, len(a.partitions))
	}
	if len(records) == 0 {
		return a.log.End(ctx, partition)
	}
	if err := ctx.Err(); err != nil {
		return 0, err // not begun: nothing is in doubt
	}
	l, err := a.partition(partition)
	if err != nil {
		return 0, err
	}
	l.encode(records)
	end := int64(-1)
	for batch := range kafka.Split(l.messages, kafka.MaxJournalBytes) {
		if end, err = l.send(ctx, batch); err != nil {
			return 0, err
		}
	}
	if end < 0 {
		if end, err = a.end(ctx, partition); err != nil {
			return 0, err
		}
	}
	return end - int64(len(records)), nil
}

// AppendEach appends to several partitions at once, batches[p] to partition p, as Append
// does, but attempts it once: those of one leader go in one request. done is called for each
// that is durable, with its base; for any other, Append of the same records continues what
// was attempted. One goroutine for all partitions.
func (a *Appender) AppendEach(ctx context.Context, batches [][]domain.Record, done func(partition int, base int64)) {
	if ctx.Err() != nil {
		return // not begun: nothing is in doubt
	}
	a.sending = a.sending[:0]
	for p, records := range batches {
		if len(records) == 0 {
			continue
		}
		l, err := a.partition(p)
		if err != nil {
			continue // Append says why
		}
		l.encode(records)
		for batch := range kafka.Split(l.messages, kafka.MaxJournalBytes) {
			if len(batch) == len(records) {
				a.sending = append(a.sending, kafka.Sending{Producer: l.producer, Messages: batch})
			}
			break
		}
	}
	a.log.client.ProduceEach(ctx, a.sending)
	for i := range a.sending {
		s := &a.sending[i]
		if s.Err == nil {
			a.acknowledge(ctx, s, done)
		}
		*s = kafka.Sending{}
	}
}

// acknowledge calls done for a batch that is durable. The log's end bounds the place of one that
// the broker has but forgot where.
func (a *Appender) acknowledge(ctx context.Context, s *kafka.Sending, done func(partition int, base int64)) {
	p, n := s.Producer.Partition(), int64(len(s.Messages))
	if s.Base >= 0 {
		done(p, s.Base)
		return
	}
	if end, err := a.end(ctx, p); err == nil {
		done(p, end-n)
	}
}

// end is the log's end, asked for until ctx ends.
func (a *Appender) end(ctx context.Context, partition int) (end int64, err error) {
	err = kafka.Persist(ctx, func() error { end, err = a.log.End(ctx, partition); return err })
	return end, err
}

// partition is the appender of one partition.
func (a *Appender) partition(partition int) (*partitionAppender, error) {
	l := &a.partitions[partition]
	if l.producer == nil {
		var err error
		l.producer, err = a.log.client.Producer(kafka.ProducerConfig{
			Topic: a.log.topic, Partition: partition, Codec: a.log.compression, MaxBytes: kafka.MaxJournalBytes,
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// encode makes the messages in memory that is used again.
func (l *partitionAppender) encode(records []domain.Record) {
	l.messages = l.messages[:0]
	if cap(l.buf) > 4*kafka.MaxJournalBytes {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for i := range records {
		if i%prefetchAtOnce == 0 {
			l.touched += prefetch(records[i:min(i+prefetchAtOnce, len(records))])
		}
		start := len(l.buf)
		l.buf = codec.AppendRecord(l.buf, &records[i])
		// A buffer that has moved leaves earlier values where they were.
		l.messages = append(l.messages, kafka.Message{Value: l.buf[start:len(l.buf):len(l.buf)]})
	}
}

// prefetchAtOnce is how many records' strings are brought into the processor's cache together:
// another processor has written them, and one by one each would be waited for. With it the router takes 0.39 µs of
// CPU an activity, without 0.52 (deploy/bench, cost, 15 runs in turn on two cores).
const prefetchAtOnce = 64

// prefetch reads of the records' strings what lies in a cache line of its own.
func prefetch(records []domain.Record) (sum uint64) {
	for i := range records {
		c := &records[i].Activity.Content
		for _, s := range [...]string{c.Marker, c.Content} {
			if n := len(s); n > 0 {
				sum += uint64(s[0]) + uint64(s[n-1])
			}
		}
	}
	return sum
}

// send appends a batch and gives the offset after it; -1: not known.
func (l *partitionAppender) send(ctx context.Context, batch []kafka.Message) (end int64, err error) {
	base, err := l.producer.SendAtLeastOnce(ctx, batch)
	if err != nil || base < 0 {
		return -1, err
	}
	return base + int64(len(batch)), nil
}
