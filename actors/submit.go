package actors

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/query"
)

// submitter appends commands to the journal and the catalog, and waits for their outcomes.
type submitter struct {
	*query.Addresses // of a node that is started
	shards           *shards
	catalog          *catalogReader
	clocks           []logClock // of the catalog, and of each partition of the journal
}

// A command that waits for its outcome takes effect until appendWithin + voidAfter after it was submitted: it may be
// on its way to a broker, where nothing takes it back, when its submitter leaves. One that waits longer enters it
// again. The log's clock is known less exactly.
const (
	appendWithin = 3 * time.Second
	voidAfter    = 25 * time.Second
)

// Submit appends a command to the log that it is applied from and waits for its outcome, or,
// if the submission says so, only until it is durable. Where no log is in reach it is ErrUnavailable within some
// seconds, and while none is, at once.
func (c *submitter) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	ctx, release := c.shards.o.WhileReached(ctx)
	defer release()
	ctx, span := trace.Start(ctx, "submit")
	defer span.End()
	w := c.enter(ctx, &s, newNonce(), false)
	return c.outcome(ctx, &w)
}

// SubmitAll is Submit of each. What goes to one log goes there in the order given; an
// error of one is no error of the others.
func (c *submitter) SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result {
	ctx, release := c.shards.o.WhileReached(ctx)
	defer release()
	ctx, span := trace.Start(ctx, "submit")
	span.Int("ovation.records", int64(len(all)))
	defer span.End()
	under := make([]underway, len(all))
	for i := range all {
		under[i] = c.enter(ctx, &all[i], newNonce(), true)
	}
	out := make([]domain.Result, len(all))
	for i := range under {
		out[i].Outcome, out[i].Err = c.outcome(ctx, &under[i])
	}
	return out
}

// underway is a submission on its way into the log, or the error that kept it out.
type underway struct {
	waiters.Request
	of       *domain.Submission
	nonce    domain.Nonce
	shard    int // -1: the catalog
	appender *journal.PartitionAppender
	pending  journal.PendingAppend
	outcome  *actor.Future // nil: it was not asked for
	err      error
}

func newNonce() domain.Nonce { return domain.Nonce(rand.Uint64()) }

// enter sends a submission on its way. The waiter is known before the record is in the
// log, so before it can be applied.
func (c *submitter) enter(ctx context.Context, s *domain.Submission, nonce domain.Nonce, many bool) underway {
	rec := domain.Record{
		Account: s.Account, Application: s.Application, Request: s.Request, BodyHash: s.BodyHash, Command: s.Command,
		Nonce: nonce,
	}
	w := underway{
		Request: waiters.Request{ID: s.Request, Body: s.BodyHash}, of: s, nonce: nonce,
		shard: -1, appender: c.catalog.appender,
	}
	switch {
	case s.Activity != nil:
		rec.Kind, rec.Activity = domain.KindActivity, *s.Activity
		w.shard = s.Slot.Shard(c.shards.count)
	case s.Command.Kind() < domain.KindLayout:
		rec.Kind = s.Command.Kind()
		w.shard = s.Slot.Shard(c.shards.count)
	default:
		rec.Kind = s.Command.Kind()
	}
	if w.shard >= 0 {
		w.appender = c.shards.appenders[w.shard]
	}
	if !s.Durable { // what is acknowledged once it is in the log is never void
		rec.Until = c.clocks[w.shard+1].in(min(deadline.Left(ctx), appendWithin) + voidAfter)
		w.outcome = c.ask(ctx, w.shard, &waiters.AwaitOutcome{Request: w.Request})
	}
	w.pending, w.err = w.appender.Submit(ctx, rec, many)
	return w
}

// outcome waits for what became of a submission.
func (c *submitter) outcome(ctx context.Context, w *underway) (domain.Outcome, error) {
	if w.err != nil {
		return domain.Outcome{}, w.err
	}
	span := trace.From(ctx).Start("append")
	span.Int("ovation.shard", int64(w.shard))
	base, err := w.appender.Durable(ctx, w.pending)
	span.Failed(err)
	if err != nil {
		return domain.Outcome{}, err
	}
	if w.outcome == nil {
		return domain.Outcome{Position: c.after(w.shard, base)}, nil
	}
	defer trace.From(ctx).Start("apply").End()
	v, err := w.outcome.Result()
	if err != nil {
		return domain.Outcome{}, domain.ErrUnavailable
	}
	completed := v.(*waiters.Completed)
	c.clocks[w.shard+1].show(completed.Clock)
	if completed.Void { // the log's clock was set, or an earlier submission came late: what is void changed nothing
		again := c.enter(ctx, w.of, w.nonce, false)
		return c.outcome(ctx, &again)
	}
	position := completed.Position
	if to := completed.MovedTo; to > 0 { // another shard completes the request
		v, err = c.ask(ctx, to-1, &waiters.AwaitOutcome{Request: w.Request, Known: true}).Result()
		if err != nil {
			return domain.Outcome{}, domain.ErrUnavailable
		}
		completed = v.(*waiters.Completed)
	}
	out := completed.Outcome
	out.Replayed = completed.First != w.nonce
	out.Position = out.Position.Reach(position)
	out.Position.Journal = c.shards.o.Journal.Topic()
	return out, nil
}

// ask sends a message to a shard, or to the catalog (-1).
func (c *submitter) ask(ctx context.Context, shard int, message any) *actor.Future {
	if shard < 0 {
		return c.catalog.ask(ctx, message)
	}
	return c.shards.ask(ctx, shard, message)
}

// after is the position at which a record of a shard, or of the catalog (-1), is
// applied.
func (c *submitter) after(shard int, offset int64) domain.Position {
	p := domain.Position{Journal: c.shards.o.Journal.Topic()}
	if shard < 0 {
		p.Catalog = offset + 1
	} else {
		p.Shards = []domain.ShardOffset{{Shard: shard, Next: offset + 1}}
	}
	return p
}
