package actors

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// gaps lets an operator accept what a log has lost.
type gaps struct {
	o         *Options
	submitter *submitter
	routers   *router.Handles
	nodes     func() *nodes.Snapshot
}

// madeAgain is the public topic that is there now; zero: none.
func (g *gaps) madeAgain(ctx context.Context) domain.TopicID {
	_, err := g.o.Source.Partitions(ctx)
	var gap *domain.GapError
	switch {
	case err == nil:
		return g.o.Source.Topic()
	case errors.As(err, &gap):
		return gap.TopicID
	}
	return domain.TopicID{}
}

// AcceptGap appends that the operator accepts the gap at which a partition of the journal, or
// of the public topic, stopped, and returns it once the reader read on. Without a gap it is
// NotFound. A Conflict says why the reader did not: of another gap right after, which has to be
// accepted for itself, it gives the bounds. Unavailable says what the reader waits for.
//
// While another node is alive, a gap of the journal must be forced: that node may have read what this one lacks, and
// the word holds for both. What they keep of the shard then differs for good.
func (g *gaps) AcceptGap(ctx context.Context, journal bool, partition int, force bool) (domain.AcceptGap, error) {
	r := g.readerOf(journal, partition)
	if r == nil || r.gap.Load() == nil {
		return domain.AcceptGap{}, g.noGap(r)
	}
	if journal && !force && g.nodes().AnotherAlive() {
		return domain.AcceptGap{}, domain.Bad(domain.Conflict, "force", fmt.Sprintf("another node is alive and may have read "+
			"what is missing here, and by this word its shard would differ from this one's: bring the missing records back, "+
			"or use --force and then rebuild shard %d at every node", partition))
	}
	met := r.gap.Load()
	w := *met
	if !journal && w.NewTopic.IsZero() {
		if w.NewTopic = g.madeAgain(ctx); w.NewTopic.IsZero() {
			return domain.AcceptGap{}, domain.Fail(domain.Conflict,
				"the topic is gone; when it is made again, the gap can be accepted")
		}
	}
	if err := g.submitter.catalog.handle.Err(); err != nil {
		return w, domain.Fail(domain.Conflict, err.Error())
	}
	w.At = g.o.timeOfDay().UnixMilli()
	reads := r.reads.Load()
	if err := g.appendAccepted(ctx, &w, false); err != nil {
		return w, err
	}
	if journal && w.NewTopic != g.o.Journal.Topic() {
		return w, domain.Fail(domain.Conflict,
			"the gap is accepted; the journal is another topic now: it is read when the node is started again")
	}
	return w, g.wentOn(ctx, r, met, reads)
}

// appendAccepted appends an accepted gap to the catalog; durable: and does not wait until it is
// applied.
func (g *gaps) appendAccepted(ctx context.Context, w *domain.AcceptGap, durable bool) error {
	sub := domain.Submission{Command: w, Durable: durable}
	_, _ = rand.Read(sub.Request[:])
	out, err := g.submitter.Submit(ctx, sub)
	if err == nil {
		err = out.Err()
	}
	return err
}

// halting is what is known of a reader that may stop at a gap.
type halting struct {
	gap     *atomic.Pointer[domain.AcceptGap]
	stopped *atomic.Pointer[string]
	reads   *atomic.Int64
	waiting func() string
	gone    func() bool // there is no such partition any more
}

// readerOf is the shard or the router that reads a partition; nil: none does.
func (g *gaps) readerOf(journal bool, partition int) *halting {
	if journal {
		s, err := g.submitter.shards.find(partition)
		if err != nil {
			return nil
		}
		return &halting{&s.Gap, &s.Stopped, &s.Reads, func() string {
			return retry.Join("shard "+strconv.Itoa(s.ID)+" is "+shard.Behaviour(s.Behaviour.Load()).String(),
				retry.Causes(&s.Space, &s.Reading, &s.Behind))
		}, func() bool { return false }}
	}
	find := func() *router.Handle {
		for _, r := range g.routers.List() {
			if r.Partition == partition {
				return r
			}
		}
		return nil
	}
	r := find()
	if r == nil {
		return nil
	}
	return &halting{&r.Gap, &r.Stopped, &r.Reads, func() string {
		return retry.Join("the partition is not read yet", retry.Causes(&r.Reading, &r.CatalogCatchUp))
	}, func() bool { return find() != r }}
}

// noGap says why there is nothing to accept.
func (g *gaps) noGap(r *halting) error {
	if r != nil {
		if why := r.stopped.Load(); why != nil {
			return domain.Fail(domain.Conflict, "the partition did not stop at a gap that can be given up: "+*why)
		}
	}
	return domain.Bad(domain.NotFound, "partition", "the partition has no gap")
}

// wentOn returns when the reader has read on after the gap that was accepted.
func (g *gaps) wentOn(ctx context.Context, r *halting, met *domain.AcceptGap, reads int64) error {
	ctx, cancel := context.WithTimeout(ctx, deadline.Left(ctx))
	defer cancel()
	for {
		next, why := r.gap.Load(), r.stopped.Load()
		switch {
		case next != r.gap.Load(): // between two states
			continue
		case r.gone():
			return nil
		case why == nil && next == nil && r.reads.Load() > reads:
			return nil
		case why != nil && next != met && next != nil:
			return domain.Fail(domain.Conflict,
				"the gap is accepted; the next one is right behind and has to be accepted, too: "+*why)
		case why != nil && next != met:
			return domain.Fail(domain.Conflict, "the gap is accepted; the reader stopped for another reason: "+*why)
		}
		if !retry.Pause(ctx, time.Millisecond) {
			return domain.Fail(domain.Unavailable, "the gap is accepted for good; the reader has not read on yet: "+r.waiting())
		}
	}
}

// AcceptCatalogGap is AcceptGap of the catalog. It may be called as soon as Open has
// returned catalog.ErrStopped.
func (g *gaps) AcceptCatalogGap(ctx context.Context) (domain.AcceptGap, error) {
	c := g.submitter.catalog.handle
	r := &halting{&c.Gap, &c.Stopped, &c.Reads, func() string {
		return retry.Join("the catalog is being read", retry.Causes(&c.Reading, g.submitter.catalog.appender.State()))
	}, func() bool { return false }}
	met := r.gap.Load()
	if met == nil {
		return domain.AcceptGap{}, g.noGap(r)
	}
	w := *met
	w.At = g.o.timeOfDay().UnixMilli()
	reads := r.reads.Load()
	if err := g.appendAccepted(ctx, &w, true); err != nil {
		return w, err
	}
	return w, g.wentOn(ctx, r, met, reads)
}
