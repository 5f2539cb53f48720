package actors

import (
	"context"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/router"
)

// barrier waits for positions of the logs: for what was accepted before a question.
type barrier struct {
	logs    *Logs
	shards  *shards
	catalog *catalogReader
	routers *router.Handles
}

// Journal is the journal's topic.
func (b *barrier) Journal() domain.TopicID { return b.logs.Journal.Topic() }

// End is the offset after the last record of a shard's log.
func (b *barrier) End(ctx context.Context, shard int) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline.Left(ctx))
	defer cancel()
	return b.logs.Journal.End(ctx, shard)
}

// Await returns once the position is applied, and what follows from it in other
// shards: every receiver has what was sent to it by then.
func (b *barrier) Await(ctx context.Context, wait domain.Position) error {
	if !wait.Journal.IsZero() && wait.Journal != b.logs.Journal.Topic() {
		return domain.Bad(domain.InvalidParameter, "wait_for", "the position is of another journal")
	}
	if wait.Catalog > b.catalog.Catalog().Next() {
		if err := b.catalog.await(ctx, wait.Catalog); err != nil {
			return err
		}
	}
	if err := b.awaitBacklog(ctx, wait); err != nil {
		return err
	}
	asked := make([]sentFrom, 0, len(wait.Shards))
	for _, s := range wait.Shards {
		if s.Shard < 0 || s.Shard >= b.shards.count {
			return domain.Bad(domain.InvalidParameter, "wait_for", "the position names a shard that does not exist")
		}
		asked = append(asked, sentFrom{s.Shard, b.shards.ask(ctx, s.Shard, &waiters.AwaitOffset{Next: s.Next})})
	}
	return b.awaitStreams(ctx, asked)
}

// sentFrom is a shard that is to answer how far its outbox came.
type sentFrom struct {
	shard  int
	answer *actor.Future
}

// awaitStreams waits until every receiver has what the shards sent to it; and so on, as long as receivers
// may have sent on what follows from that: as deep as members of the context's account are merged.
func (b *barrier) awaitStreams(ctx context.Context, asked []sentFrom) error {
	for depth := 1; len(asked) > 0; depth++ {
		streams := map[[2]int]uint64{} // by sender and receiver
		for _, of := range asked {
			v, err := of.answer.Result()
			if err != nil {
				return domain.ErrUnavailable
			}
			for _, to := range v.(*waiters.Applied).Sent {
				at := [2]int{of.shard, to.Shard}
				streams[at] = max(streams[at], to.Sequence)
			}
		}
		asked = asked[:0]
		for at, sequence := range streams {
			m := &waiters.AwaitStream{From: at[0], Sequence: sequence, Depth: depth, Account: domain.AccountOf(ctx)}
			asked = append(asked, sentFrom{at[1], b.shards.ask(ctx, at[1], m)})
		}
	}
	return nil
}

// awaitBacklog asks every shard for the end of the log that it met at its start: what
// was sent to it in an earlier life and is no longer in its sender's outbox is
// below that.
func (b *barrier) awaitBacklog(ctx context.Context, wait domain.Position) error {
	if len(wait.Shards) == 0 {
		return nil
	}
	var behind []*actor.Future
	for i, s := range b.shards.here() {
		first := s.First.Load()
		if first == 0 { // nothing was read yet: it would not serve either
			return domain.ErrUnavailable
		}
		if s.Applied.Load() < first-1 {
			behind = append(behind, b.shards.ask(ctx, i, &waiters.AwaitOffset{Next: first - 1}))
		}
	}
	for _, f := range behind {
		if _, err := f.Result(); err != nil {
			return domain.ErrUnavailable
		}
	}
	return nil
}

// AcceptedPosition is the position at which everything is applied that was accepted before the
// call: by the API, or by the public topic, of which it waits until it is in the
// journal. A partition of it that is stopped, or behind until ctx ends, is
// ErrUnavailable.
func (b *barrier) AcceptedPosition(ctx context.Context) (domain.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline.Left(ctx))
	defer cancel()
	// The order matters: what a router stamped it stamped by the catalog, and what it
	// appended is in the journal.
	if err := b.routedAll(ctx); err != nil {
		return domain.Position{}, err
	}
	at := domain.Position{Journal: b.logs.Journal.Topic(), Shards: make([]domain.ShardOffset, b.shards.count)}
	err := sideBySide(b.shards.count+1, func(i int) (err error) {
		if i == b.shards.count {
			at.Catalog, err = b.logs.Catalog.End(ctx, 0)
			return err
		}
		at.Shards[i].Shard = i
		at.Shards[i].Next, err = b.logs.Journal.End(ctx, i)
		return err
	})
	if err != nil {
		return domain.Position{}, domain.ErrUnavailable
	}
	return at, nil
}

// routedAll waits until what the public topic holds now is in the journal.
func (b *barrier) routedAll(ctx context.Context) error {
	partitions, err := b.logs.Source.Partitions(ctx)
	if err != nil {
		return domain.ErrUnavailable
	}
	for len(b.routers.List()) < partitions { // a node that starts has not found all of them yet
		if !retry.Pause(ctx, time.Millisecond) {
			return domain.ErrUnavailable
		}
	}
	all := b.routers.List()
	return sideBySide(len(all), func(i int) error {
		end, err := b.logs.Source.End(ctx, all[i].Partition)
		if err != nil {
			return domain.ErrUnavailable
		}
		return all[i].Reaches(ctx, end)
	})
}

// sideBySide calls f for 0 to n−1 at once and gives the first error.
func sideBySide(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
