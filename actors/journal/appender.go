package journal

import (
	"context"
	"log/slog"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// PartitionAppender appends commands to one partition, one batch in flight: the next batch is
// what arrived meanwhile. It retries a batch until it is durable, since an append whose outcome
// is unknown may only be repeated; a submitter that cannot wait leaves without an answer. Any
// goroutine may submit.
type PartitionAppender struct {
	appender  Appender
	partition int
	pending   chan PendingAppend
	bulk      chan struct{} // holds one for each pending append of bulk
	log       *slog.Logger
	done      chan struct{}
	state     retry.State
}

// PendingAppend is one record on its way; base receives its offset once it is durable.
type PendingAppend struct {
	record *domain.Record
	base   chan int64 // nil: no submitter waits
	bulk   bool
}

const (
	// queueDepth is the number of pending appends above which submitters are refused (I8).
	queueDepth = 4096
	// BulkDepth is the number of pending appends that may be of bulk: submitters of many
	// records wait for each other and leave room for others.
	BulkDepth = 1024
	// batchRecords is the most records of a batch.
	batchRecords = 512
)

// StartAppender starts the appender of a partition; it ends with ctx.
func StartAppender(ctx context.Context, a Appender, partition int, log *slog.Logger) *PartitionAppender {
	p := &PartitionAppender{
		appender: a, partition: partition,
		pending: make(chan PendingAppend, queueDepth), bulk: make(chan struct{}, BulkDepth),
		log: log, done: make(chan struct{}), state: retry.State{What: "commands cannot be appended"},
	}
	go p.run(ctx)
	return p
}

// Partition is the partition that it appends to.
func (p *PartitionAppender) Partition() int { return p.partition }

// State says whether appends fail. Any goroutine may read it.
func (p *PartitionAppender) State() *retry.State { return &p.state }

// Done is closed when the appender has ended.
func (p *PartitionAppender) Done() <-chan struct{} { return p.done }

// Submit queues a record. ErrUnavailable: the queue is full, or, of bulk, which waits for
// room, ctx ended first.
func (p *PartitionAppender) Submit(ctx context.Context, r domain.Record, bulk bool) (PendingAppend, error) {
	a := PendingAppend{&r, make(chan int64, 1), bulk}
	if bulk {
		select {
		case p.bulk <- struct{}{}:
		case <-ctx.Done():
			return a, domain.ErrUnavailable
		case <-p.done:
			return a, domain.ErrUnavailable
		}
	}
	select {
	case p.pending <- a:
		return a, nil
	default:
	}
	if bulk {
		<-p.bulk
	}
	return a, domain.ErrUnavailable
}

// Durable returns the record's offset once it is durable. ErrUnavailable: ctx ended
// first; the record may or may not be in the log.
func (p *PartitionAppender) Durable(ctx context.Context, a PendingAppend) (int64, error) {
	select {
	case base := <-a.base:
		return base, nil
	case <-ctx.Done():
		return 0, domain.ErrUnavailable
	case <-p.done:
		return 0, domain.ErrUnavailable
	}
}

// Post queues a record for which nothing waits; false: the queue is full.
func (p *PartitionAppender) Post(r domain.Record) bool {
	select {
	case p.pending <- PendingAppend{record: &r}:
		return true
	default:
		return false
	}
}

func (p *PartitionAppender) run(ctx context.Context) {
	defer close(p.done)
	var batch []PendingAppend
	var records []domain.Record
	for {
		select {
		case a := <-p.pending:
			batch = append(batch[:0], a)
		case <-ctx.Done():
			return
		}
		batch = p.fill(batch)
		records = records[:0]
		for i := range batch {
			records = append(records, *batch[i].record)
		}
		base, ok := p.appendAll(ctx, records)
		if !ok {
			return
		}
		for i := range batch {
			if batch[i].base != nil {
				batch[i].base <- base + int64(i)
			}
			if batch[i].bulk {
				<-p.bulk
			}
		}
		clear(batch)
		clear(records)
	}
}

// fill adds the appends that are pending, as far as they fit into one batch of the log.
func (p *PartitionAppender) fill(batch []PendingAppend) []PendingAppend {
	size := RecordBytes(batch[0].record)
	for len(batch) < batchRecords && size < BatchBytes {
		select {
		case a := <-p.pending:
			batch = append(batch, a)
			size += RecordBytes(a.record)
		default:
			return batch
		}
	}
	return batch
}

func (p *PartitionAppender) appendAll(ctx context.Context, records []domain.Record) (int64, bool) {
	for failures := 1; ; failures++ {
		base, err := p.appender.Append(ctx, p.partition, records)
		if err == nil {
			p.state.Recovered(p.log, "partition", p.partition)
			return base, true
		}
		if ctx.Err() != nil {
			return 0, false
		}
		p.state.Failed(p.log, failures, err, "partition", p.partition)
		if !retry.Backoff(ctx, failures) {
			return 0, false
		}
	}
}
