package actors

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
	"github.com/ovation-analytics/ovation/actors/journal"
)

// gather appends what all routers of a node bring: the pages that wait while others are
// appended, and small ones that come soon after, go together in the next round, one batch
// for each shard and one request for each leader. A page of a thousand records a second has
// one or two for each shard, and a batch costs the log as much as dozens of records.
//
// A router has one page under way, and a round ends before the next begins: so the records
// of a source partition stand in each journal partition in their order (I2).
type gather struct {
	appender journal.Appender
	shards   []*shardShared // set before it runs
	log      *slog.Logger
	offers   chan *offer // not buffered: who runs has seen what was taken
	over     chan struct{}
	troubles []retry.State // by journal partition
}

// offer is a router's records, by shard.
type offer struct {
	ctx     context.Context
	batches [][]domain.Record
	done    chan error
}

// roundLeast is how many records make a round: those beyond wait for the next, since
// putting pages together copies their records.
const roundLeast = 8000

// roundEvery is the least time from one small round to the next; what comes after a pause
// is not held back. At 10,000 activities a second, small batches and two processors, a
// quarter of the node's work was rounds that followed each other at once.
const roundEvery = 4 * time.Millisecond

func newGather(journal journal.Log, log *slog.Logger) *gather {
	g := &gather{
		appender: journal.Appender(), log: log, offers: make(chan *offer), over: make(chan struct{}),
		troubles: make([]retry.State, journal.Partitions()),
	}
	for i := range g.troubles {
		g.troubles[i].What = fmt.Sprintf("records cannot be appended to partition %d of the journal", i)
	}
	return g
}

// append returns when the records are durable. After an error, which says that ctx or run
// has ended, the journal may have some of them. It may return later than ctx ends: until
// then the records are read.
func (g *gather) append(ctx context.Context, batches [][]domain.Record) error {
	o := &offer{ctx, batches, make(chan error, 1)}
	if o.len() == 0 {
		return nil
	}
	select {
	case g.offers <- o:
		return <-o.done
	case <-ctx.Done():
		return ctx.Err()
	case <-g.over:
		return context.Canceled
	}
}

func (o *offer) len() (n int) {
	for _, b := range o.batches {
		n += len(b)
	}
	return n
}

// run appends what is offered until ctx ends.
func (g *gather) run(ctx context.Context) {
	defer close(g.over)
	var round []*offer
	var due time.Time
	merged := make([][]domain.Record, len(g.shards))
	for {
		select {
		case o := <-g.offers:
			round = g.waiting(ctx, append(round[:0], o), due)
		case <-ctx.Done():
			return
		}
		due = time.Now().Add(roundEvery)
		if len(round) == 1 {
			g.settle(ctx, round, round[0].batches)
		} else {
			g.settle(ctx, round, merge(merged, round))
			empty(merged)
		}
		clear(round)
	}
}

// waiting adds the offers that wait, and while there are few records those that come until
// the round is due.
func (g *gather) waiting(ctx context.Context, round []*offer, due time.Time) []*offer {
	n := round[0].len()
	if left := time.Until(due); left > 0 {
		late := time.NewTimer(left)
		defer late.Stop()
		for waits := true; waits && n < journal.CoalesceBelow; {
			select {
			case o := <-g.offers:
				round, n = append(round, o), n+o.len()
			case <-late.C:
				waits = false
			case <-ctx.Done():
				return round
			}
		}
	}
	for n < roundLeast {
		select {
		case o := <-g.offers:
			round, n = append(round, o), n+o.len()
		default:
			return round
		}
	}
	return round
}

// merge puts the offers' records behind one another, by shard.
func merge(merged [][]domain.Record, round []*offer) [][]domain.Record {
	for _, o := range round {
		for to, records := range o.batches {
			merged[to] = append(merged[to], records...)
		}
	}
	return merged
}

// empty makes the batches ready for others.
func empty(batches [][]domain.Record) {
	for i := range batches {
		clear(batches[i])
		batches[i] = journal.Spare(batches[i])[:0]
	}
}

// settle appends a round and tells who offered it. It is given up when nobody waits for it
// any more: each whose context lasts gets its records appended. A panic stops every router
// of the round.
func (g *gather) settle(ctx context.Context, round []*offer, batches [][]domain.Record) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var waiting atomic.Int32
	waiting.Store(int32(len(round)))
	for _, o := range round {
		defer context.AfterFunc(o.ctx, func() {
			if waiting.Add(-1) == 0 {
				cancel()
			}
		})()
	}
	err := crash.Guard("the appender of the routers", func() error { return g.appendAll(ctx, batches) })
	for _, o := range round {
		o.done <- err
	}
}

// appendAll appends each partition's records: what is one batch, of a shard that has room,
// all at once, the rest side by side.
func (g *gather) appendAll(ctx context.Context, batches [][]domain.Record) error {
	left := g.appendTogether(ctx, batches)
	var wg sync.WaitGroup
	errs := make([]error, len(left))
	for to, records := range left {
		if len(records) == 0 {
			continue
		}
		wg.Go(func() {
			errs[to] = crash.Guard("the appender of the routers", func() error { return g.appendTo(ctx, to, records) })
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// appendTogether attempts what can be appended at once, and gives what is left.
func (g *gather) appendTogether(ctx context.Context, batches [][]domain.Record) (left [][]domain.Record) {
	together := make([][]domain.Record, len(batches))
	left = slices.Clone(batches)
	for to, records := range batches {
		if batchOf(records) == len(records) && g.shards[to].hasRoom() {
			together[to] = records
		}
	}
	g.appender.AppendEach(ctx, together, func(to int, base int64) {
		g.went(to, base+int64(len(together[to])))
		left[to] = nil
	})
	return left
}

// batchOf is how many of the records make a batch.
func batchOf(records []domain.Record) int {
	n, size := 0, 0
	for n < len(records) && n < 1000 && size < batchWeight {
		size += weight(&records[n])
		n++
	}
	return n
}

// appendTo appends the records of one partition in order, leaving none out, batch
// by batch, and no faster than the shard applies.
func (g *gather) appendTo(ctx context.Context, to int, records []domain.Record) error {
	for len(records) > 0 {
		n := batchOf(records)
		if err := g.shards[to].room(ctx); err != nil {
			return err
		}
		for failures := 1; ; failures++ {
			base, err := g.appender.Append(ctx, to, records[:n])
			if err == nil {
				g.went(to, base+int64(n))
				break
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			g.troubles[to].Failed(g.log, failures, err)
			if !retry.Backoff(ctx, failures) {
				return ctx.Err()
			}
		}
		records = records[n:]
	}
	return nil
}

// went notes that the journal partition was appended to, up to end.
func (g *gather) went(to int, end int64) {
	g.shards[to].grew(end)
	g.troubles[to].Recovered(g.log)
}
