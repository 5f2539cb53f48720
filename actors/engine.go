package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// What the API and the operator ask of a node. Any goroutine may call these.

// Catalog is the newest state of the catalog.
func (n *Node) Catalog() *catalog.View { return n.catalog.View() }

// Hit counts an answered request.
func (n *Node) Hit(account domain.AccountID, application domain.ApplicationID, at time.Time) {
	n.usage.hit(account, application, at)
}

// defaultPatience bounds what has no deadline of its own.
const defaultPatience = 10 * time.Second

func patience(ctx context.Context) time.Duration {
	if d, ok := ctx.Deadline(); ok {
		return max(time.Millisecond, time.Until(d))
	}
	return defaultPatience
}

// Journal is the journal's topic.
func (n *Node) Journal() domain.TopicID { return n.o.Journal.Topic() }

// Await returns once the position is applied, and what follows from it in other
// shards: every receiver has what was sent to it by then.
func (n *Node) Await(ctx context.Context, wait domain.Position) error {
	if !wait.Journal.IsZero() && wait.Journal != n.o.Journal.Topic() {
		return domain.Bad(domain.InvalidParameter, "wait_for", "the position is of another journal")
	}
	if wait.Catalog > n.Catalog().Next() {
		if err := n.awaitCatalog(ctx, wait.Catalog); err != nil {
			return err
		}
	}
	if err := n.awaitBacklog(ctx, wait); err != nil {
		return err
	}
	asked := map[int]*actor.Future{}
	for _, s := range wait.Shards {
		if s.Shard < 0 || s.Shard >= n.shards {
			return domain.Bad(domain.InvalidParameter, "wait_for", "the position names a shard that does not exist")
		}
		asked[s.Shard] = n.system.Root.RequestFuture(n.pids[s.Shard], &waiters.AwaitOffset{Next: s.Next}, patience(ctx))
	}
	var streams []*actor.Future
	for from, f := range asked {
		v, err := f.Result()
		if err != nil {
			return domain.ErrUnavailable
		}
		for _, to := range v.(*waiters.Applied).Sent {
			streams = append(streams, n.system.Root.RequestFuture(n.pids[to.Shard], &waiters.AwaitStream{From: from, Sequence: to.Sequence}, patience(ctx)))
		}
	}
	for _, f := range streams {
		if _, err := f.Result(); err != nil {
			return domain.ErrUnavailable
		}
	}
	return nil
}

// awaitBacklog asks every shard for the end of the log that it met at its start: what
// was sent to it in an earlier life and is no longer in its sender's outbox stands
// below that.
func (n *Node) awaitBacklog(ctx context.Context, wait domain.Position) error {
	if len(wait.Shards) == 0 {
		return nil
	}
	var behind []*actor.Future
	for i, s := range n.shared {
		first := s.First.Load()
		if first == 0 { // nothing was read yet: it would not serve either
			return domain.ErrUnavailable
		}
		if s.Applied.Load() < first-1 {
			behind = append(behind, n.system.Root.RequestFuture(n.pids[i], &waiters.AwaitOffset{Next: first - 1}, patience(ctx)))
		}
	}
	for _, f := range behind {
		if _, err := f.Result(); err != nil {
			return domain.ErrUnavailable
		}
	}
	return nil
}

func (n *Node) awaitCatalog(ctx context.Context, next int64) error {
	if _, err := n.system.Root.RequestFuture(n.catalogPID, &waiters.AwaitOffset{Next: next}, patience(ctx)).Result(); err != nil {
		return domain.ErrUnavailable
	}
	return nil
}

// Lag is now − the latest moment at which every log's end then seen has since been
// applied: of the catalog, of each shard, and of the public topic. Of a log of which no end
// was reached since the node started, a stopped partition of the public topic say, it is the
// time since then: the least that it can be.
func (n *Node) Lag() time.Duration {
	now := n.o.Now()
	lag := n.catalog.Fresh.Lag(now, n.began)
	for _, s := range n.shared {
		lag = max(lag, s.Fresh.Lag(now, n.began))
	}
	for _, r := range n.routing.List() {
		lag = max(lag, r.Fresh.Lag(now, n.began))
	}
	return lag
}

// Ready is nil when every shard serves and nothing stopped.
func (n *Node) Ready() error {
	if err := n.fault.Load(); err != nil {
		return *err
	}
	if err := n.catalog.Err(); err != nil {
		return err
	}
	for _, s := range n.shared {
		if b := shard.Behaviour(s.Behaviour.Load()); b != shard.Serving {
			return fmt.Errorf("shard %d is %s", s.ID, b)
		}
	}
	if !n.catalog.Fresh.Reached() {
		return errors.New("the catalog is being read")
	}
	return nil
}
