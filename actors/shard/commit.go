package shard

import (
	"cmp"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// commits stores what was applied and publishes it: the view, the outbox, how far the shard is,
// and the answers to the waiters. It is owned by the shard.
type commits struct {
	handle  *Handle
	log     *slog.Logger
	waiting waiters.Waiters
	ends    journalEnds
	records int       // applied since the last commit
	since   time.Time // of the last commit
	meter   meter
	hidden  bool // nothing is shown before the shard serves: it has a part of what other nodes have shown for long
}

// commitInterval is the longest time between commits while records keep coming;
// maxCommitRecords the most records in one.
const (
	commitInterval     = 10 * time.Millisecond
	commitIntervalBusy = 50 * time.Millisecond
	busyRate           = 4000 // records in 200 ms: 20,000 a second
	maxCommitRecords   = 20_000
)

// due reports that so many records, or so much time, came since the last commit.
func (c *commits) due() bool {
	interval := commitInterval
	if c.handle.rate.Load() > busyRate {
		interval = commitIntervalBusy
	}
	return c.records >= maxCommitRecords || time.Since(c.since) >= interval
}

// reset forgets what was applied: the shard starts again from the last commit.
func (c *commits) reset() {
	c.ends = journalEnds{}
	c.records = 0
	c.since = time.Time{}
}

// loaded notes where a machine that was loaded is.
func (c *commits) loaded(m *core.Machine) {
	c.handle.Received.applied(m.State.Shard.Journal, m.Moved)
	c.handle.applied(m.State.Shard.Next)
	c.handle.clock.applied(c.log, c.handle.ID, m.State.Shard.Clock, time.Now())
}

// commit stores what was applied in one batch, publishes the view, and answers the waiters.
// An empty commit only moves the moment of freshness.
func (c *commits) commit(ctx actor.Context, m *core.Machine, d *duties, floor int64, tell func(any)) error {
	h, next := c.handle, m.State.Shard.Next
	if next == h.Applied.Load() && c.records == 0 && !m.State.Accounts.Changed() {
		c.ends.fresh(h, next)
		return nil
	}
	began := time.Now()
	if err := m.Commit(); err != nil {
		return err
	}
	h.Received.applied(m.State.Shard.Journal, m.Moved)
	c.show(m, floor, tell)
	now := time.Now()
	h.Committing.Observe(now.Sub(began))
	if err := cmp.Or(d.hear(now, m.Outbox.Heard()), m.Outbox.Committed()); err != nil {
		return err
	}
	h.clock.applied(c.log, h.ID, m.State.Shard.Clock, now)
	c.meter.note(now, c.records, &h.rate)
	c.records = 0
	c.since = now
	h.applied(next)
	c.waiting.Release(ctx, next, m.LastSent(0, 0))
	c.waiting.ReleaseStreams(ctx, streams(m))
	m.Evict()
	return nil
}

// show publishes the view of the last commit. Below floor the shard was further already, before
// it was reopened: it shows nothing until it is there again. One that reads the journal for the first time, while
// another node is listed, shows nothing before it serves.
func (c *commits) show(m *core.Machine, floor int64, tell func(any)) {
	if m.State.Shard.Next >= floor && !c.hidden {
		m.Publish(unreadableTo(tell))
	}
	c.ends.fresh(c.handle, m.State.Shard.Next)
}

// awaitOutcome notes the waiter of an outcome, and answers at once where it is known.
func (c *commits) awaitOutcome(ctx actor.Context, m *core.Machine, q *waiters.AwaitOutcome) {
	if q.Known {
		if known := m.Completed(q.ID); known != nil {
			out := known.Outcome
			out.Position.Shards = []domain.ShardOffset{{Shard: c.handle.ID, Next: c.handle.Applied.Load()}}
			ctx.Respond(&waiters.Completed{Outcome: out, First: known.Nonce})
			return
		}
	}
	c.waiting.Expect(q.Request, ctx.Sender())
}

// streams tells of streams of other shards whether a machine has committed them so far.
func streams(m *core.Machine) waiters.Streams {
	return func(w waiters.AwaitStream) (map[int]uint64, bool) {
		from := tx.Stream{Topic: m.State.Shard.Journal, Partition: int32(w.From)}
		return m.LastSent(w.Account, w.Depth), m.State.Sources.Reached(from, w.Sequence)
	}
}

// unreadable reports that a question met what the store cannot read: the shard stops as if it
// had met it itself.
type unreadable struct{ err error }

func unreadableTo(tell func(any)) func(error) { return func(err error) { tell(&unreadable{err}) } }

// Renew comes now and then: a snapshot that is kept for long keeps what the other shards'
// compactions would drop.
type Renew struct{}

// RenewEvery is how often a shard looks at its view's age; ViewLasts is the age at which the
// view of a shard in which nothing happens gets a new snapshot.
const (
	RenewEvery = 2 * time.Second
	ViewLasts  = 10 * time.Second
)

// meter measures how many records were applied in the last 200 ms.
type meter struct {
	from time.Time
	n    int
}

const meterSpan = 200 * time.Millisecond

func (m *meter) note(now time.Time, records int, rate *atomic.Int64) {
	m.n += records
	if d := now.Sub(m.from); d >= meterSpan {
		rate.Store(int64(float64(m.n) * float64(meterSpan) / float64(d)))
		m.from, m.n = now, 0
	}
}

// journalEnds is the journal's end as pages showed it, until the shard has applied so far. It
// is owned by the shard.
type journalEnds struct{ marks []endMark }

// endMark is a log end and when it was seen.
type endMark struct {
	end int64
	at  time.Time
}

// seen notes the log's end as a page showed it.
func (p *journalEnds) seen(end int64, at time.Time) {
	if n := len(p.marks); n > 0 && p.marks[n-1].end == end {
		p.marks[n-1].at = at
		return
	}
	p.marks = append(p.marks, endMark{end, at})
}

// fresh moves the moment up to which everything is applied.
func (p *journalEnds) fresh(s *Handle, next int64) {
	n := 0
	for n < len(p.marks) && p.marks[n].end <= next {
		s.Fresh.Applied(p.marks[n].end, next, p.marks[n].at)
		n++
	}
	p.marks = append(p.marks[:0], p.marks[n:]...)
}
