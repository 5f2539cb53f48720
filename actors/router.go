package actors

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// router brings one partition of the public topic into the journal: it stamps each
// record with what the catalog says, or a refusal, and appends it at the place
// that its bytes name. It decides nothing else: who a member is and whether a time
// is acceptable is decided where it is applied.
//
// It is an actor; its fields are owned by the mailbox. Pages come from a fetcher of
// its own, two at most, so the fetch waits for the journal (I8).
type router struct {
	env       *routerEnv
	node      context.Context // ends when the node stops: an append that waits for the broker keeps the mailbox
	partition int
	shared    *routerShared
	ctx       context.Context // ends with the actor
	cancel    context.CancelFunc
	fetching  chan struct{} // closed when the fetcher has ended; a page of another fetcher is not routed
	broken    bool          // it panicked: it does not start again in this process

	batches   [][]domain.Record // by journal partition
	committed time.Time
	next      int64
	epoch     int32
	noted     int64 // next as committed to the group
	unnoted   int   // failures since

	reading  domain.TopicID // the topic that the pages are of
	marked   int64          // next as the journal's mark has it; below zero: there is none
	markedAt time.Time
	doubt    bool // an append was given up: the journal may have it or not
}

// routerEnv is what all routers share.
type routerEnv struct {
	source  Source
	journal journal.Log
	shards  []*shardShared
	catalog *catalog.Handle
	batcher *journal.Batcher
	// catchUp reads the catalog to its end, before a brand or a definition is
	// refused as unknown.
	catchUp func(ctx context.Context, t *retry.State, where ...any) error
	// ask sends a shard a message and waits a short while for its answer.
	ask     func(ctx context.Context, shard int, message any) (any, error)
	fatal   func(error) // makes the node not ready for good
	options *Options
	log     *slog.Logger
}

// backlogs are those of the shards, by partition.
func (e *routerEnv) backlogs() []journal.Backlog {
	all := make([]journal.Backlog, len(e.shards))
	for i, s := range e.shards {
		all[i] = s
	}
	return all
}

// routerShared is what status reads of a router.
type routerShared struct {
	partition int
	fresh     journal.Freshness
	next, end atomic.Int64
	routed    atomic.Int64
	reads     atomic.Int64 // pages read
	refused   [domain.Reasons]atomic.Int64
	stopped   atomic.Pointer[string]
	gap       atomic.Pointer[domain.AcceptGap] // the word that would let it go on

	reading, asking, noting retry.State
}

func newRouterShared(partition int) *routerShared {
	return &routerShared{
		partition: partition,
		reading:   retry.State{What: "the public topic cannot be read"},
		asking:    retry.State{What: notToItsEnd},
		noting:    retry.State{What: "the router's offset cannot be committed"},
	}
}

// sourcePage is a page on its way from the fetcher to the router.
type sourcePage struct {
	domain.SourcePage
	readAt time.Time
	credit chan []domain.Arrival // gives the page's memory back
}

// groupEvery is how often the group offset is committed while records come, and then when
// none do: it only bounds what is read again, and its fsync would stand before the next
// page.
const groupEvery = time.Second

// route appends a page to the journal. An error is final: the router stops.
func (r *router) route(ctx context.Context, p *sourcePage) error {
	shared := r.shared
	if r.marked < 0 {
		if err := r.begin(ctx, p); err != nil {
			return err
		}
	}
	if err := r.stamp(ctx, p); err != nil {
		return err
	}
	for i := range p.Arrivals {
		a := &p.Arrivals[i]
		to := a.Slot.Shard(len(r.env.shards))
		r.batches[to] = append(r.batches[to], a.Record)
	}
	if err := r.append(ctx); err != nil {
		return err
	}
	p.Memory.Release(false)
	r.next, r.epoch = p.Next, p.Epoch
	shared.routed.Add(int64(len(p.Arrivals)))
	shared.next.Store(p.Next)
	shared.end.Store(p.End)
	shared.fresh.Applied(p.End, p.Next, p.readAt)
	now := time.Now()
	if now.Sub(r.committed) >= groupEvery || len(p.Arrivals) == 0 {
		r.committed = now
		r.note(ctx)
	}
	if r.next != r.marked && now.Sub(r.markedAt) >= routedEvery {
		return r.mark(ctx, r.next, r.epoch)
	}
	return nil
}

// append appends the batches, and empties them.
func (r *router) append(ctx context.Context) error {
	err := r.env.batcher.Append(ctx, r.batches)
	journal.Empty(r.batches)
	r.doubt = r.doubt || err != nil
	return err
}

// note commits the group offset. A failure is no fault: repeats are dropped by
// their origin.
func (r *router) note(ctx context.Context) {
	if r.next == r.noted {
		return
	}
	if err := r.env.source.Commit(ctx, r.partition, r.next, r.epoch); err != nil {
		r.unnoted++
		r.shared.noting.Failed(r.env.log, r.unnoted, err, "partition", r.partition)
		return
	}
	r.shared.noting.Recovered(r.env.log, "partition", r.partition)
	r.noted, r.unnoted = r.next, 0
}

// stamp gives every record what the catalog says. Before the first refusal for
// want of a brand or a definition the catalog is read to its end.
func (r *router) stamp(ctx context.Context, p *sourcePage) error {
	view, caughtUp := r.env.catalog.View(), false
	for i := range p.Arrivals {
		rec := &p.Arrivals[i].Record
		if rec.Activity.Refusal == domain.Accepted {
			a := rec.Activity
			stampActivity(rec, view)
			if rec.Activity.Refusal != domain.Accepted && !caughtUp {
				if err := r.env.catchUp(ctx, &r.shared.asking, "partition", r.partition); err != nil {
					return err
				}
				view, caughtUp = r.env.catalog.View(), true
				rec.Activity = a
				stampActivity(rec, view)
			}
		}
		if reason := rec.Activity.Refusal; reason != domain.Accepted {
			r.shared.refused[reason].Add(1)
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

// Bounds of a serving shard's backlog.
const (
	backlogLeast = 1_000
	backlogMost  = 20_000
)

// Grew notes that the journal partition reaches to end.
func (s *shardShared) Grew(end int64) {
	for old := s.end.Load(); old < end && !s.end.CompareAndSwap(old, end); old = s.end.Load() {
	}
}

// Wait returns when the shard's backlog is less than it applied in the last 200 ms,
// so that bulk waits in the public topic and commands never wait behind it. A
// shard that does not serve is not waited for, nor one that cannot publish its outbox:
// it stops nobody else.
func (s *shardShared) Wait(ctx context.Context) error {
	for !s.HasRoom() {
		t := time.NewTimer(5 * time.Millisecond) // progress is told to one only, of all who wait
		select {
		case <-s.progress:
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
		t.Stop()
	}
	return nil
}

// HasRoom reports that Wait returns at once.
func (s *shardShared) HasRoom() bool {
	limit := min(max(s.rate.Load(), backlogLeast), backlogMost)
	return behaviour(s.behaviour.Load()) != serving || s.apart.Load() || s.end.Load()-s.applied.Load() < limit
}
