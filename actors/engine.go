package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/view"
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

// questionLife is how long a question may take: as long as it lives it holds views, and
// with them what compaction would drop.
const questionLife = 10 * time.Second

// Ask answers a question once everything in wait is applied.
func (n *Node) Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	switch {
	case q.Shape == domain.ShapeLeaders && q.Top.Latest && q.Top.End() > farDown:
		return n.far(ctx, q, wait)
	case deep(q):
		return n.newDiver(ctx, wait).page(q)
	}
	return n.ask(ctx, q, wait)
}

// ask is one round of questions to all shards.
func (n *Node) ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	n.turns.begin()
	defer n.turns.end()
	if err := n.Await(ctx, wait); err != nil {
		return nil, err
	}
	v := n.Catalog()
	dense := brand.EveryBrand
	if q.Brand != 0 {
		b, ok := v.Brand(q.Account, q.Brand)
		if !ok {
			return nil, domain.Bad(domain.NotFound, "brandID", "no such brand")
		}
		dense = b.Dense
	}
	chosen, err := choiceOf(v, q)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, min(patience(ctx), questionLife))
	defer cancel() // what still scans for it ends
	reply := make(chan *merged, 1)
	a := &queryActor{
		ask: &ask{
			ctx: ctx, question: q, plan: brand.NewPlan(q), dense: dense,
			lists: listsOf(v, q.Account, q.Lists), choice: chosen, label: n.labels(q.Account), brands: directory(v, q),
		},
		wait: wait, desks: n.desksFor(q), reply: reply,
	}
	if err := n.bounded(a.ask); err != nil {
		return nil, err
	}
	pid := n.system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return a }, inline))
	select {
	case m := <-reply:
		if m.err != nil {
			return nil, m.err
		}
		m.answer.Position.Journal, m.answer.Position.Catalog = n.o.Journal.Topic(), v.Next()
		m.answer.LagMs = n.Lag().Milliseconds()
		return &m.answer, nil
	case <-ctx.Done():
		n.system.Root.Stop(pid)
		return nil, domain.ErrUnavailable
	}
}

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
		first := s.first.Load()
		if first == 0 { // nothing was read yet: it would not serve either
			return domain.ErrUnavailable
		}
		if s.applied.Load() < first-1 {
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

// Member is a member of the account as of the newest commit.
func (n *Node) Member(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error) {
	none := domain.Bad(domain.NotFound, "memberid", "no such member")
	v, at, err := n.viewOf(ctx, id.Slot(), wait)
	if err != nil {
		return nil, at, err
	}
	defer v.Release()
	m, err := memberOf(v, account, id)
	if m == nil && err == nil {
		err = none
	}
	return m, at, err
}

// Resolve is the member that an identity of the kind names as of the newest commit;
// of those that a pointer names the one created first; 0: nobody.
func (n *Node) Resolve(ctx context.Context, account domain.AccountID, kind domain.IdentityKind, hash domain.IdentityHash, wait domain.Position) (domain.MemberID, domain.Position, error) {
	v, at, err := n.viewOf(ctx, hash.Slot(), wait)
	if err != nil {
		return 0, at, err
	}
	defer v.Release()
	if kind.Pointer() {
		id, err := v.Snapshot.Earliest(account, hash)
		return id, at, err
	}
	i, ok, err := v.Snapshot.Identity(account, hash)
	if err != nil || !ok || i.State != domain.Held {
		return 0, at, err
	}
	return i.Member, at, nil
}

// viewOf is the newest view of the slot's shard once wait is applied; release it.
func (n *Node) viewOf(ctx context.Context, slot domain.Slot, wait domain.Position) (*view.View, domain.Position, error) {
	if err := n.Await(ctx, wait); err != nil {
		return nil, domain.Position{}, err
	}
	i := slot.Shard(n.shards)
	v := n.shared[i].view.Acquire()
	if v == nil {
		return nil, domain.Position{}, domain.ErrUnavailable
	}
	return v, domain.Position{
		Journal: n.o.Journal.Topic(), Catalog: n.Catalog().Next(), Shards: []domain.ShardOffset{{Shard: i, Next: v.Next}},
	}, nil
}

// Lag is now − the latest moment at which every log's end then seen has since been
// applied: of the catalog, of each shard, and of the public topic. Of a log of which no end
// was reached since the node started, a stopped partition of the public topic say, it is the
// time since then: the least that it can be.
func (n *Node) Lag() time.Duration {
	now := n.o.Now()
	lag := n.catalog.Fresh.Lag(now, n.began)
	for _, s := range n.shared {
		lag = max(lag, s.fresh.Lag(now, n.began))
	}
	for _, r := range n.routing.list() {
		lag = max(lag, r.fresh.Lag(now, n.began))
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
		if b := behaviour(s.behaviour.Load()); b != serving {
			return fmt.Errorf("shard %d is %s", s.id, b)
		}
	}
	if !n.catalog.Fresh.Reached() {
		return errors.New("the catalog is being read")
	}
	return nil
}
