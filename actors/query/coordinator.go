package query

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/internal/broadcast"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
)

// Options is what a coordinator is made with.
type Options struct {
	Shards  []Shard // by id
	Logs    Logs
	Yield   *yield.Questions
	MaxRows uint64            // a question that would read more is refused; 0: no bound
	Apart   *Disagreement     // notes shards that no answer could be made of; nil: not asked for
	Took    *Durations        // of questions; nil: not asked for
	Changes *broadcast.Signal // wakes on a new view of any shard; nil: AwaitRows returns only when its context ends
}

// Coordinator asks the shards and merges what they answer. Any goroutine may call it.
type Coordinator struct{ o Options }

// New is a coordinator.
func New(o Options) *Coordinator {
	if o.Apart == nil {
		o.Apart = new(Disagreement)
	}
	if o.Took == nil {
		o.Took = NewDurations()
	}
	if o.Changes == nil {
		o.Changes = new(broadcast.Signal)
	}
	return &Coordinator{o}
}

// maxLife is how long a question may take: as long as it lives it holds views, and with them
// what compaction would drop.
const maxLife = deadline.Usual

// Ask answers a question once everything in wait is applied.
func (c *Coordinator) Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	defer c.o.Took.since(time.Now(), q.Shape)
	ctx, span := trace.Start(ctx, "question")
	span.Text("ovation.shape", shapeNames[q.Shape])
	defer span.End()
	switch {
	case q.Shape == domain.ShapeLeaders && q.Top.Latest && q.Top.End() > farDown:
		return c.deepLeaders(ctx, q, wait)
	case deep(q):
		return c.newDeepPager(ctx, wait).page(q)
	}
	return c.ask(ctx, q, wait)
}

// await returns once the position is applied, and what follows from it for the account in other shards.
func await(ctx context.Context, logs Logs, account domain.AccountID, wait domain.Position) error {
	if len(wait.Shards) > 0 {
		ctx = domain.ForAccount(ctx, account)
	}
	return logs.Await(ctx, wait)
}

// ask answers a question that needs no other one.
func (c *Coordinator) ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	c.o.Yield.Begin()
	defer c.o.Yield.End()
	if err := await(ctx, c.o.Logs, q.Account, wait); err != nil {
		return nil, err
	}
	span := trace.From(ctx).Start("plan")
	entities := c.o.Logs.Catalog()
	p, err := newPlan(entities, q)
	span.Failed(err)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxLife)
	defer cancel() // what still scans for it ends
	a, err := (&asking{c: c, question: q, plan: p, wait: wait}).answer(ctx)
	if err != nil {
		return nil, err
	}
	a.Position.Journal = c.o.Logs.Journal()
	a.Position.Catalog = entities.Next()
	a.LagMs = c.o.Logs.Lag().Milliseconds()
	return a, nil
}
