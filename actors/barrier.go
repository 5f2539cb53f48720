package actors

import (
	"context"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// Ends is the position at which everything is applied that was accepted before the
// call: by the API, or by the public topic, of which it waits until it is in the
// journal. A partition of it that is stopped, or behind until ctx ends, is
// ErrUnavailable.
func (n *Node) Ends(ctx context.Context) (domain.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, patience(ctx))
	defer cancel()
	// The order matters: what a router stamped it stamped by the catalog, and what it
	// appended is in the journal.
	if err := n.routedAll(ctx); err != nil {
		return domain.Position{}, err
	}
	at := domain.Position{Journal: n.o.Journal.Topic(), Shards: make([]domain.ShardOffset, n.shards)}
	err := sideBySide(n.shards+1, func(i int) (err error) {
		if i == n.shards {
			at.Catalog, err = n.o.Catalog.End(ctx, 0)
			return err
		}
		at.Shards[i].Shard = i
		at.Shards[i].Next, err = n.o.Journal.End(ctx, i)
		return err
	})
	if err != nil {
		return domain.Position{}, domain.ErrUnavailable
	}
	return at, nil
}

// routedAll waits until what the public topic holds now is in the journal.
func (n *Node) routedAll(ctx context.Context) error {
	partitions, err := n.o.Source.Partitions(ctx)
	if err != nil {
		return domain.ErrUnavailable
	}
	for len(n.routing.List()) < partitions { // a node that starts has not found all of them yet
		if !retry.Pause(ctx, time.Millisecond) {
			return domain.ErrUnavailable
		}
	}
	all := n.routing.List()
	return sideBySide(len(all), func(i int) error {
		end, err := n.o.Source.End(ctx, all[i].Partition)
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
