package router

import (
	"context"
	"errors"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// router brings one partition of the public topic into the journal: it stamps each
// record with what the catalog says, or a refusal, and appends it at the place
// that its bytes name. It decides nothing else: which member it is of and whether its time
// is acceptable is decided where it is applied.
//
// It is an actor; its fields are owned by the mailbox. Pages come from a fetcher of
// its own, two at most, so the fetch waits for the journal (I8).
type router struct {
	o         *Options
	node      context.Context // ends when the node stops: an append that waits for the broker keeps the mailbox
	partition int
	shared    *Handle
	ctx       context.Context // ends with the actor
	cancel    context.CancelFunc
	fetching  chan struct{} // closed when the fetcher has ended; a page of another fetcher is not routed
	broken    bool          // it panicked: it does not start again in this process
	begun     bool          // the fetcher has said where it reads on
	announced bool          // since it began to route, the group has this node as who routes

	batches [][]domain.Record // by journal partition
	next    int64
	epoch   int32
	journalMark
	reading domain.TopicID // the topic that the pages are of
	doubt   bool           // an append was given up: the journal may have it or not
}

// journalMark is what the journal has of it.
type journalMark struct {
	marked   int64 // next as the journal's mark has it; below zero: there is none
	markedAt time.Time
}

// sourcePage is a page on its way from the fetcher to the router.
type sourcePage struct {
	domain.SourcePage
	readAt time.Time
	credit chan []domain.Arrival // gives the page's memory back
}

// route appends a page to the journal. An error is final: the router stops.
func (r *router) route(ctx context.Context, p *sourcePage) error {
	shared := r.shared
	if r.marked < 0 {
		if err := r.begin(ctx, p); err != nil {
			return err
		}
	}
	timed := r.timing()
	if err := r.stamp(ctx, p); err != nil {
		return err
	}
	timed.stamped()
	for i := range p.Arrivals {
		a := &p.Arrivals[i]
		to := a.Slot.Shard(len(r.o.Backlogs))
		r.batches[to] = append(r.batches[to], a.Record)
	}
	if err := r.append(ctx); err != nil {
		return err
	}
	r.trace(p, &timed)
	p.Memory.Release(false)
	r.next, r.epoch = p.Next, p.Epoch
	shared.Routed.Add(int64(len(p.Arrivals)))
	shared.Next.Store(p.Next)
	shared.Fresh.Applied(p.End, p.Next, p.readAt)
	now := time.Now()
	if shared.offset.due(now) || len(p.Arrivals) == 0 {
		if err := r.note(ctx); err != nil {
			return err
		}
	}
	if r.next != r.marked && now.Sub(r.markedAt) >= markEvery {
		return r.mark(ctx, r.next, r.epoch)
	}
	return nil
}

// append appends the batches, and empties them.
func (r *router) append(ctx context.Context) error {
	err := r.o.Batcher.Append(ctx, r.batches)
	journal.Empty(r.batches)
	r.doubt = r.doubt || err != nil
	return err
}

// note commits the group offset where it has moved, and the first one where other nodes are listed: it says who
// routes. A failure is no fault: repeats are dropped by their origin. errAbove is for the router to go on elsewhere, and
// errElsewhere to leave.
func (r *router) note(ctx context.Context) error {
	if r.shared.offset.has(r.next) && (r.announced || r.o.Nodes.Alone()) {
		return nil
	}
	err := r.shared.offset.commit(ctx, r.next, r.epoch)
	r.announced = r.announced || err == nil
	if errors.Is(err, errAbove) || errors.Is(err, errElsewhere) {
		return err
	}
	return nil
}

// stamp gives every record what the catalog says. Before the first refusal for
// want of a brand or a definition the catalog is read to its end.
func (r *router) stamp(ctx context.Context, p *sourcePage) error {
	view, caughtUp := r.o.Catalog.View(), false
	for i := range p.Arrivals {
		rec := &p.Arrivals[i].Record
		if rec.Activity.Refusal == domain.Accepted {
			a := rec.Activity
			stampActivity(rec, view)
			if rec.Activity.Refusal != domain.Accepted && !caughtUp {
				if err := r.o.CatchUp(ctx, &r.shared.CatalogCatchUp, "partition", r.partition); err != nil {
					return err
				}
				view, caughtUp = r.o.Catalog.View(), true
				rec.Activity = a
				stampActivity(rec, view)
			}
		}
		if reason := rec.Activity.Refusal; reason != domain.Accepted {
			r.shared.Refused[reason].Add(1)
		}
	}
	return nil
}

// stampActivity gives an activity what the catalog says of its definition and
// brand, or a refusal.
func stampActivity(rec *domain.Record, v *catalog.View) {
	a := &rec.Activity
	refuse := func(reason domain.Reason, detail string) { a.Refusal, a.Detail = reason, detail }
	if _, ok := v.Account(rec.Account); !ok {
		refuse(domain.UnknownAccount, "")
		return
	}
	d, ok := v.Definition(rec.Account, a.Definition)
	if !ok {
		refuse(domain.UnknownActivity, "")
		return
	}
	switch {
	case a.Brand == 0 && d.Brand == 0:
		refuse(domain.MissingField, "brandID")
		return
	case a.Brand == 0:
		a.Brand = d.Brand
	case d.Brand != 0 && a.Brand != d.Brand:
		refuse(domain.UnknownBrand, "the activity is of another brand")
		return
	}
	if _, ok := v.Brand(rec.Account, a.Brand); !ok {
		refuse(domain.UnknownBrand, "")
		return
	}
	a.Service, a.Points, a.OneTime = d.Service, d.Value, d.OneTime
}
