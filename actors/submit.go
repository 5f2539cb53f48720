package actors

import (
	"context"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Submit appends a command to the log of the one who applies it and waits for its
// outcome, or, if it says so, only until it is durable.
func (n *Node) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	w := n.enter(ctx, &s, false)
	return n.outcome(ctx, &w)
}

// SubmitAll is Submit of each. What goes to one log goes there in the order given; an
// error of one is no error of the others.
func (n *Node) SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result {
	under := make([]underway, len(all))
	for i := range all {
		under[i] = n.enter(ctx, &all[i], true)
	}
	out := make([]domain.Result, len(all))
	for i := range under {
		out[i].Outcome, out[i].Err = n.outcome(ctx, &under[i])
	}
	return out
}

// underway is a submission on its way into the log, or the error that kept it out.
type underway struct {
	waiters.Request
	shard    int // -1: the catalog
	appender *journal.PartitionAppender
	pending  journal.PendingAppend
	outcome  *actor.Future // nil: nobody asked for it
	err      error
}

// enter sends a submission on its way. Who waits is known before the record is in the
// log, so before it can be applied.
func (n *Node) enter(ctx context.Context, s *domain.Submission, many bool) underway {
	rec := domain.Record{
		Account: s.Account, Application: s.Application, Request: s.Request, BodyHash: s.BodyHash, Command: s.Command,
	}
	w, pid := underway{Request: waiters.Request{ID: s.Request, Body: s.BodyHash}, shard: -1, appender: n.catalogAppender}, n.catalogPID
	switch {
	case s.Activity != nil:
		rec.Kind, rec.Activity = domain.KindActivity, *s.Activity
		w.shard = s.Slot.Shard(n.shards)
	case s.Command.Kind() < domain.KindLayout:
		rec.Kind = s.Command.Kind()
		w.shard = s.Slot.Shard(n.shards)
	default:
		rec.Kind = s.Command.Kind()
	}
	if w.shard >= 0 {
		pid, w.appender = n.pids[w.shard], n.appenders[w.shard]
	}
	if !s.Durable {
		w.outcome = n.system.Root.RequestFuture(pid, &waiters.AwaitOutcome{Request: w.Request}, patience(ctx))
	}
	w.pending, w.err = w.appender.Submit(ctx, rec, many)
	return w
}

// outcome waits for what became of a submission.
func (n *Node) outcome(ctx context.Context, w *underway) (domain.Outcome, error) {
	if w.err != nil {
		return domain.Outcome{}, w.err
	}
	base, err := w.appender.Durable(ctx, w.pending)
	if err != nil {
		return domain.Outcome{}, err
	}
	if w.outcome == nil {
		return domain.Outcome{Position: n.after(w.shard, base)}, nil
	}
	v, err := w.outcome.Result()
	if err != nil {
		return domain.Outcome{}, domain.ErrUnavailable
	}
	c := v.(*waiters.Completed)
	out := c.Outcome
	out.Replayed = out.Replayed || c.Offset != base
	if out.MovedTo > 0 {
		return n.outcomeAt(ctx, w.Request, &out)
	}
	out.Position.Journal = n.o.Journal.Topic()
	return out, nil
}

// outcomeAt waits for the outcome of a request that another shard concludes.
func (n *Node) outcomeAt(ctx context.Context, q waiters.Request, moved *domain.Outcome) (domain.Outcome, error) {
	v, err := n.system.Root.RequestFuture(n.pids[moved.MovedTo-1], &waiters.AwaitOutcome{Request: q, Known: true}, patience(ctx)).Result()
	if err != nil {
		return domain.Outcome{}, domain.ErrUnavailable
	}
	out := v.(*waiters.Completed).Outcome
	out.Replayed = out.Replayed || moved.Replayed
	out.Position = out.Position.Reach(moved.Position)
	out.Position.Journal = n.o.Journal.Topic()
	return out, nil
}

// after is the position at which a record of a shard, or of the catalog (-1), is
// applied.
func (n *Node) after(shard int, offset int64) domain.Position {
	p := domain.Position{Journal: n.o.Journal.Topic()}
	if shard < 0 {
		p.Catalog = offset + 1
	} else {
		p.Shards = []domain.ShardOffset{{Shard: shard, Next: offset + 1}}
	}
	return p
}
