package journal

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// PartitionAppender appends commands to one partition, one batch in flight: the next batch is
// what arrived meanwhile. It retries a batch until it is durable, since an append whose outcome
// is unknown may only be repeated.
//
// A submitter waits until its context ends; then it leaves without an answer, and its record is not sent
// any more: a command that was refused must not take effect after a newer one. A batch is given up once all its
// submitters have left. What was sent of it may be in the log nevertheless, or come there late: such a record
// is void after its time (domain.Record.Until). A record that was posted is sent until it is durable. Any
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
	record  *domain.Record
	base    chan int64
	bulk    bool
	waiting context.Context // of the submitter; nil: the record was posted
	durable func()          // of a record that was posted; nil: not asked for
}

// left reports that the submitter has its answer: that the record is not in the log in time.
func (a *PendingAppend) left() bool {
	if a.waiting == nil {
		return false
	}
	if d, ok := a.waiting.Deadline(); ok && !time.Now().Before(d) {
		return true // the timer of a process that was paused fires late
	}
	return a.waiting.Err() != nil
}

const (
	// queueDepth is the number of pending appends above which submitters are refused (I8).
	queueDepth = 4096
	// BulkDepth is the number of pending appends that may be of bulk: submitters of many
	// records wait for each other and leave room for others.
	BulkDepth = 1024
	// batchRecords is the most records of a batch.
	batchRecords = 512
	// leftEvery is how often a batch that takes long looks whether its submitters have left, and how often
	// an appender whose last append failed, and that has nothing to append, asks for the log's end.
	leftEvery = time.Second
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

// Submit queues a record for a submitter that waits until ctx ends. ErrUnavailable: the queue is full, or, of
// bulk, which waits for room, ctx ended first.
func (p *PartitionAppender) Submit(ctx context.Context, r domain.Record, bulk bool) (PendingAppend, error) {
	a := PendingAppend{record: &r, base: make(chan int64, 1), bulk: bulk, waiting: ctx}
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
// first; the record may or may not be in the log. Once the context of Submit has ended too, it is not sent
// any more.
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

// Post queues a record that is sent until it is durable; false: the queue is full. durable is called once it is, on
// the appender's goroutine; nil: nothing waits for it.
func (p *PartitionAppender) Post(r domain.Record, durable func()) bool {
	select {
	case p.pending <- PendingAppend{record: &r, durable: durable}:
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
		var failing <-chan time.Time
		if p.state.Why() != "" {
			failing = time.After(leftEvery)
		}
		select {
		case a := <-p.pending:
			batch = p.fill(append(batch[:0], a))
		case <-failing:
			p.probe(ctx)
		case <-ctx.Done():
			return
		}
		for len(batch) > 0 {
			records = records[:0]
			for i := range batch {
				records = append(records, *batch[i].record)
			}
			base, ok := p.appendAll(ctx, batch, records)
			clear(records)
			if ctx.Err() != nil && !ok {
				return
			}
			if !ok {
				batch = p.dropLeft(batch)
				continue
			}
			for i := range batch {
				if batch[i].base != nil {
					batch[i].base <- base + int64(i)
				}
				if batch[i].durable != nil {
					batch[i].durable()
				}
				p.release(&batch[i])
			}
			clear(batch)
			batch = batch[:0]
		}
	}
}

// release gives back what an append of bulk took of the queue.
func (p *PartitionAppender) release(a *PendingAppend) {
	if a.bulk {
		<-p.bulk
	}
}

// fill adds the appends that are pending, as far as they fit into one batch of the log, and leaves out those
// whose submitters have left.
func (p *PartitionAppender) fill(batch []PendingAppend) []PendingAppend {
	batch = p.dropLeft(batch)
	size := 0
	for i := range batch {
		size += RecordBytes(batch[i].record)
	}
	for len(batch) < batchRecords && size < BatchBytes {
		select {
		case a := <-p.pending:
			if a.left() {
				p.release(&a)
				continue
			}
			batch = append(batch, a)
			size += RecordBytes(a.record)
		default:
			return batch
		}
	}
	return batch
}

// dropLeft is a batch without the appends whose submitters have left.
func (p *PartitionAppender) dropLeft(batch []PendingAppend) []PendingAppend {
	return slices.DeleteFunc(batch, func(a PendingAppend) bool {
		left := a.left()
		if left {
			p.release(&a)
		}
		return left
	})
}

// appendAll appends a batch; false: all its submitters have left, or ctx has ended.
func (p *PartitionAppender) appendAll(ctx context.Context, batch []PendingAppend, records []domain.Record) (int64, bool) {
	attempt, giveUp := context.WithCancel(ctx)
	defer giveUp()
	defer whenLeft(batch, giveUp)()
	for failures := 1; ; failures++ {
		base, err := p.appender.Append(attempt, p.partition, records)
		if err == nil {
			p.state.Recovered(p.log, "partition", p.partition)
			return base, true
		}
		if ctx.Err() != nil {
			return 0, false
		}
		p.state.Failed(p.log, failures, err, "partition", p.partition)
		if !retry.Backoff(attempt, failures) {
			return 0, false
		}
	}
}

// whenLeft calls giveUp once all submitters of a batch have left, if it has any and they do before stop, which
// returns when the batch is not read any more.
func whenLeft(batch []PendingAppend, giveUp func()) (stop func()) {
	if !slices.ContainsFunc(batch, func(a PendingAppend) bool { return a.waiting != nil }) {
		return func() {}
	}
	var mu sync.Mutex
	stopped := false
	var t *time.Timer
	mu.Lock()
	defer mu.Unlock()
	t = time.AfterFunc(leftEvery, func() {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case stopped:
		case slices.ContainsFunc(batch, func(a PendingAppend) bool { return a.waiting != nil && !a.left() }):
			t.Reset(leftEvery)
		default:
			giveUp()
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		t.Stop()
	}
}

// probe asks the log for its end: an append that was given up says nothing of the log any more.
func (p *PartitionAppender) probe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leftEvery)
	defer cancel()
	if _, err := p.appender.Append(ctx, p.partition, nil); err == nil {
		p.state.Recovered(p.log, "partition", p.partition)
	}
}
