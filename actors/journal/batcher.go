package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/crash"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// Backlog is what a shard has not applied of its partition. Any goroutine may call it.
type Backlog interface {
	// HasRoom reports that Wait returns at once.
	HasRoom() bool
	// Wait returns when the backlog is small enough for more records, or ctx ends.
	Wait(ctx context.Context) error
	// Grew notes that the partition reaches to end.
	Grew(end int64)
}

// Batcher appends what all routers of a node bring: the pages that arrive while others are
// appended, and small ones soon after, are appended in the next round, one batch a shard and
// one request a leader. A page of a thousand records a second has one or two for each shard,
// and a batch costs the log as much as dozens of records.
//
// A router has one page in flight, and a round ends before the next begins: so the records of a
// source partition are in each journal partition in their order (I2).
type Batcher struct {
	appender Appender
	backlogs []Backlog // by journal partition
	log      *slog.Logger
	requests chan *appendRequest // not buffered: the sender knows that the batcher has it
	done     chan struct{}
	states   []retry.State // by journal partition
}

// appendRequest is a router's records, by shard.
type appendRequest struct {
	ctx     context.Context
	batches [][]domain.Record
	done    chan error
}

// minRound is how many records make a round: those beyond wait for the next, since
// coalescing pages copies their records.
const minRound = 8000

// roundEvery is the least time from one small round to the next; after a pause the first is
// appended at once. At 10,000 activities a second, small batches and two processors, a
// quarter of the node's work was rounds without a pause in between.
const roundEvery = 4 * time.Millisecond

// NewBatcher is a batcher that appends to a log.
func NewBatcher(l Log, log *slog.Logger) *Batcher {
	b := &Batcher{
		appender: l.Appender(), log: log, requests: make(chan *appendRequest), done: make(chan struct{}),
		states: make([]retry.State, l.Partitions()),
	}
	for i := range b.states {
		b.states[i].What = fmt.Sprintf("records cannot be appended to partition %d of the journal", i)
	}
	return b
}

// State says whether appends to a partition fail. Any goroutine may read it.
func (b *Batcher) State(partition int) *retry.State { return &b.states[partition] }

// Append returns when the records are durable. After an error, which says that ctx or Run
// has ended, the journal may have some of them. It may return later than ctx ends: until
// then the records are read.
func (b *Batcher) Append(ctx context.Context, batches [][]domain.Record) error {
	r := &appendRequest{ctx, batches, make(chan error, 1)}
	if r.len() == 0 {
		return nil
	}
	select {
	case b.requests <- r:
		return <-r.done
	case <-ctx.Done():
		return ctx.Err()
	case <-b.done:
		return context.Canceled
	}
}

func (r *appendRequest) len() (n int) {
	for _, records := range r.batches {
		n += len(records)
	}
	return n
}

// Run appends until ctx ends. Each backlog is that of a journal partition.
func (b *Batcher) Run(ctx context.Context, backlogs []Backlog) {
	defer close(b.done)
	b.backlogs = backlogs
	var round []*appendRequest
	var due time.Time
	merged := make([][]domain.Record, len(backlogs))
	for {
		select {
		case r := <-b.requests:
			round = b.collect(ctx, append(round[:0], r), due)
		case <-ctx.Done():
			return
		}
		due = time.Now().Add(roundEvery)
		if len(round) == 1 {
			b.settle(ctx, round, round[0].batches)
		} else {
			b.settle(ctx, round, merge(merged, round))
			Empty(merged)
		}
		clear(round)
	}
}

// collect adds the requests that wait, and below CoalesceBelow records those that arrive until
// the round is due.
func (b *Batcher) collect(ctx context.Context, round []*appendRequest, due time.Time) []*appendRequest {
	n := round[0].len()
	if left := time.Until(due); left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		for waits := true; waits && n < CoalesceBelow; {
			select {
			case r := <-b.requests:
				round, n = append(round, r), n+r.len()
			case <-timer.C:
				waits = false
			case <-ctx.Done():
				return round
			}
		}
	}
	for n < minRound {
		select {
		case r := <-b.requests:
			round, n = append(round, r), n+r.len()
		default:
			return round
		}
	}
	return round
}

// merge concatenates the records of the requests, by shard.
func merge(merged [][]domain.Record, round []*appendRequest) [][]domain.Record {
	for _, r := range round {
		for to, records := range r.batches {
			merged[to] = append(merged[to], records...)
		}
	}
	return merged
}

// Empty clears the batches for the next round.
func Empty(batches [][]domain.Record) {
	for i := range batches {
		clear(batches[i])
		batches[i] = Spare(batches[i])[:0]
	}
}

// settle appends a round and answers its requests. The round is canceled when the contexts of
// all requests have ended: a request whose context lasts has its records appended. A panic
// stops every router of the round.
func (b *Batcher) settle(ctx context.Context, round []*appendRequest, batches [][]domain.Record) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var waiting atomic.Int32
	waiting.Store(int32(len(round)))
	for _, r := range round {
		defer context.AfterFunc(r.ctx, func() {
			if waiting.Add(-1) == 0 {
				cancel()
			}
		})()
	}
	err := crash.Guard("the appender of the routers", func() error { return b.appendAll(ctx, batches) })
	for _, r := range round {
		r.done <- err
	}
}

// appendAll appends each partition's records: single batches of shards that have room in one
// multi-partition produce, the rest concurrently.
func (b *Batcher) appendAll(ctx context.Context, batches [][]domain.Record) error {
	left := b.appendEach(ctx, batches)
	var wg sync.WaitGroup
	errs := make([]error, len(left))
	for to, records := range left {
		if len(records) == 0 {
			continue
		}
		wg.Go(func() {
			errs[to] = crash.Guard("the appender of the routers", func() error { return b.appendTo(ctx, to, records) })
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// appendEach appends what fits one multi-partition produce, and returns what is left.
func (b *Batcher) appendEach(ctx context.Context, batches [][]domain.Record) (left [][]domain.Record) {
	batched := make([][]domain.Record, len(batches))
	left = slices.Clone(batches)
	for to, records := range batches {
		if batchOf(records) == len(records) && b.backlogs[to].HasRoom() {
			batched[to] = records
		}
	}
	b.appender.AppendEach(ctx, batched, func(to int, base int64) {
		b.appended(to, base+int64(len(batched[to])))
		left[to] = nil
	})
	return left
}

// batchOf is how many of the records make a batch.
func batchOf(records []domain.Record) int {
	n, size := 0, 0
	for n < len(records) && n < 1000 && size < BatchBytes {
		size += RecordBytes(&records[n])
		n++
	}
	return n
}

// appendTo appends the records of one partition in order, batch by batch, and no faster than
// the shard applies.
func (b *Batcher) appendTo(ctx context.Context, to int, records []domain.Record) error {
	for len(records) > 0 {
		n := batchOf(records)
		if err := b.backlogs[to].Wait(ctx); err != nil {
			return err
		}
		for failures := 1; ; failures++ {
			base, err := b.appender.Append(ctx, to, records[:n])
			if err == nil {
				b.appended(to, base+int64(n))
				break
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			b.states[to].Failed(b.log, failures, err)
			if !retry.Backoff(ctx, failures) {
				return ctx.Err()
			}
		}
		records = records[n:]
	}
	return nil
}

// appended notes that the journal partition was appended to, up to end.
func (b *Batcher) appended(to int, end int64) {
	b.backlogs[to].Grew(end)
	b.states[to].Recovered(b.log)
}
