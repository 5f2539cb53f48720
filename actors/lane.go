package actors

import (
	"context"
	"log/slog"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// lane appends commands to one partition: one batch in flight, of what came
// meanwhile. It never gives a batch up, since an append whose outcome is unknown
// may only be repeated; who cannot wait goes without an answer.
type lane struct {
	appender  journal.Appender
	partition int
	in        chan ticket
	many      chan struct{} // holds one for each ticket in the lane that came with many
	log       *slog.Logger
	done      chan struct{}
	appending retry.State
}

// ticket is one record on its way; base is told once it is durable.
type ticket struct {
	record *domain.Record
	base   chan int64
	many   bool // it came with many
}

// laneDepth is how many records wait for a lane before submitters are refused
// (I8); laneMany how many of those may have come with many: they wait for each other
// and leave room for others; laneBatch how many go into one batch.
const (
	laneDepth = 4096
	laneMany  = 1024
	laneBatch = 512
)

func startLane(ctx context.Context, a journal.Appender, partition int, log *slog.Logger) *lane {
	l := &lane{
		appender: a, partition: partition, in: make(chan ticket, laneDepth), many: make(chan struct{}, laneMany),
		log: log, done: make(chan struct{}), appending: retry.State{What: "commands cannot be appended"},
	}
	go l.run(ctx)
	return l
}

// enter takes a record in. ErrUnavailable: the lane is full, or, of one that came with
// many and waits for room, ctx ended first.
func (l *lane) enter(ctx context.Context, r domain.Record, many bool) (ticket, error) {
	t := ticket{&r, make(chan int64, 1), many}
	if many {
		select {
		case l.many <- struct{}{}:
		case <-ctx.Done():
			return t, domain.ErrUnavailable
		case <-l.done:
			return t, domain.ErrUnavailable
		}
	}
	select {
	case l.in <- t:
		return t, nil
	default:
	}
	if many {
		<-l.many
	}
	return t, domain.ErrUnavailable
}

// durable returns the record's offset once it is durable. ErrUnavailable: ctx ended
// first; the record may or may not be in the log.
func (l *lane) durable(ctx context.Context, t ticket) (int64, error) {
	select {
	case base := <-t.base:
		return base, nil
	case <-ctx.Done():
		return 0, domain.ErrUnavailable
	case <-l.done:
		return 0, domain.ErrUnavailable
	}
}

// post appends without waiting; false when the lane is full.
func (l *lane) post(r domain.Record) bool {
	select {
	case l.in <- ticket{record: &r}:
		return true
	default:
		return false
	}
}

func (l *lane) run(ctx context.Context) {
	defer close(l.done)
	var batch []ticket
	var records []domain.Record
	for {
		select {
		case t := <-l.in:
			batch = append(batch[:0], t)
		case <-ctx.Done():
			return
		}
		batch = l.fill(batch)
		records = records[:0]
		for i := range batch {
			records = append(records, *batch[i].record)
		}
		base, ok := l.appendAll(ctx, records)
		if !ok {
			return
		}
		for i := range batch {
			if batch[i].base != nil {
				batch[i].base <- base + int64(i)
			}
			if batch[i].many {
				<-l.many
			}
		}
		clear(batch)
		clear(records)
	}
}

// fill takes what waits already, as far as it fits into one batch of the log.
func (l *lane) fill(batch []ticket) []ticket {
	size := weight(batch[0].record)
	for len(batch) < laneBatch && size < batchWeight {
		select {
		case t := <-l.in:
			batch = append(batch, t)
			size += weight(t.record)
		default:
			return batch
		}
	}
	return batch
}

// batchWeight is the weight from which a batch is full. A record weighs at most
// 1 MiB, so a batch stays under the 2 MiB that the journal takes.
const batchWeight = 512 << 10

// weight is about the bytes that a record takes in the log.
func weight(r *domain.Record) int {
	c := &r.Activity.Content
	n := 256 + len(c.Content) + len(c.Link) + len(c.Media) + len(c.Marker) + len(r.Activity.Raw) + len(r.Activity.Detail)
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		n += registerWeight(c)
	case *domain.AttachService:
		n += registerWeight(&c.Register)
	}
	return n
}

func registerWeight(c *domain.RegisterMember) (n int) {
	for _, f := range c.Given {
		n += len(f.Value)
	}
	for _, f := range c.Record {
		n += len(f.Value)
	}
	return n
}

func (l *lane) appendAll(ctx context.Context, records []domain.Record) (int64, bool) {
	for failures := 1; ; failures++ {
		base, err := l.appender.Append(ctx, l.partition, records)
		if err == nil {
			l.appending.Recovered(l.log, "partition", l.partition)
			return base, true
		}
		if ctx.Err() != nil {
			return 0, false
		}
		l.appending.Failed(l.log, failures, err, "partition", l.partition)
		if !retry.Backoff(ctx, failures) {
			return 0, false
		}
	}
}
