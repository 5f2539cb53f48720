package router

import (
	"context"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

type (
	// fetched is a message of a router's fetcher, one of the following or a page.
	fetched struct {
		fetcher chan struct{} // router.fetching of that fetcher
		message any
	}
	// routerStarted is where a router reads on.
	routerStarted struct {
		topic domain.TopicID
		resumption
	}
	// routerFailed stops a router at a place.
	routerFailed struct {
		err error
		at  journal.GapPlace
	}
)

// fetch reads pages, one in flight a credit, until a gap that is not accepted. In a topic that
// was made again it begins as at a start.
func (r *router) fetch(ctx context.Context, send func(any)) {
	for {
		from, err := r.resume(ctx)
		var gap *domain.GapError
		if errors.As(err, &gap) {
			send(&routerFailed{err, journal.GapPlace{Topic: r.o.topic(r.partition), Partition: r.partition, Next: gap.Want, Epoch: -1}})
			return
		}
		var at journal.GapPlace
		if err == nil {
			at, err = r.readOn(ctx, from, send)
		}
		switch {
		case ctx.Err() != nil:
			return
		case r.acceptedOn(err, at) != nil:
			continue
		}
		send(&routerFailed{err, at})
		return
	}
}

// readOn reads pages, also after accepted gaps of the topic.
func (r *router) readOn(ctx context.Context, from resumption, send func(any)) (journal.GapPlace, error) {
	at := journal.GapPlace{Topic: r.o.topic(r.partition), Partition: r.partition, Next: from.next, Epoch: from.epoch}
	for {
		send(&routerStarted{at.Topic, from})
		var err error
		at, err = r.read(ctx, at, send)
		w := r.acceptedOn(err, at)
		if w == nil || w.NewTopic != at.Topic {
			return at, err
		}
		r.o.Log.Warn("reading on after a gap that the operator accepted",
			"partition", r.partition, "from", w.From, "to", w.To)
		from, at = resumption{w.To, -1, -1}, r.o.placeAfter(at, w)
	}
}

// acceptedOn is the accepted gap after which the topic is read on, if err is a gap; nil: none.
func (r *router) acceptedOn(err error, at journal.GapPlace) *domain.AcceptGap {
	var gap *domain.GapError
	if !errors.As(err, &gap) {
		return nil
	}
	return r.accepted(at)
}

// lookAtEnd is how often the end is looked at while no page is read.
const lookAtEnd = time.Second

// credit waits for a credit as TakeCredit does. Where pages are not appended it looks at the end of the
// partition meanwhile: status says how much waits there.
func (r *router) credit(ctx context.Context, credit chan []domain.Arrival, last int64) (spare []domain.Arrival, ok bool) {
	for {
		waits, cancel := context.WithTimeout(ctx, lookAtEnd)
		spare, ok = journal.TakeCredit(waits, credit, last)
		cancel()
		if ok || ctx.Err() != nil {
			return spare, ok
		}
		if end, err := r.o.Source.End(ctx, r.partition); err == nil {
			r.shared.End.Store(end)
		}
	}
}

// read reads pages until there is a gap, or ctx ends.
func (r *router) read(ctx context.Context, at journal.GapPlace, send func(any)) (journal.GapPlace, error) {
	reader := r.o.Source.Reader(r.partition)
	credit := journal.NewCredits[domain.Arrival]()
	for failures, last := 0, int64(journal.CoalesceBelow); ; {
		spare, ok := r.credit(ctx, credit, last)
		if !ok {
			return at, ctx.Err()
		}
		p, err := reader.Read(ctx, at.Next, at.Epoch, spare)
		if ctx.Err() != nil {
			return at, ctx.Err()
		}
		if err != nil {
			var gap *domain.GapError
			if errors.As(err, &gap) {
				at.Next = max(at.Next, 0)
				return at, gap
			}
			credit <- spare
			failures++
			r.shared.Reading.Failed(r.o.Log, failures, err, "partition", r.partition)
			if !retry.Backoff(ctx, failures) {
				return at, ctx.Err()
			}
			continue
		}
		failures = 0
		r.shared.Reading.Progress(r.o.Log, "partition", r.partition)
		r.shared.Reads.Add(1)
		r.shared.End.Store(p.End)
		at.Next, at.Epoch, last = p.Next, p.Epoch, journal.Readable(len(p.Arrivals), p.Next, p.End)
		send(&sourcePage{p, time.Now(), credit})
	}
}
