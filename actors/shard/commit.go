package shard

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/view"
)

// commit stores what was applied in one batch, publishes the view, and tells who waits.
// An empty commit only moves the moment of freshness.
func (s *shard) commit(ctx actor.Context) error {
	shared := s.env.Handle
	if s.machine.state.Next == shared.Applied.Load() && s.open.records == 0 && !s.machine.accounts.Changed() {
		s.ends.fresh(shared, s.machine.state.Next)
		s.serveWhenNear()
		return nil
	}
	if err := s.machine.store.Commit(s.machine.state, s.machine.sources.origins()); err != nil {
		return err
	}
	s.machine.committed()
	shared.Stats.parked.Store(int64(s.machine.parked.all.activities))
	s.machine.accounts.Committed()
	s.show()
	s.machine.effects.outbox.Committed()
	now := time.Now()
	shared.clock.applied(s.env.Log, s.env.ID, s.machine.state.Clock, now)
	s.open.meter.note(now, s.open.records, &shared.rate)
	shared.Stats.committed(s.open.records, s.machine.store.State())
	s.open.records, s.open.since = 0, now
	shared.Applied.Store(s.machine.state.Next)
	select {
	case shared.Progress <- struct{}{}:
	default:
	}
	s.waiting.Release(ctx, s.machine.state.Next, s.machine.effects.sent)
	s.waiting.ReleaseStreams(ctx, s.reached)
	shared.Stats.Slept.Add(int64(s.machine.awake.Rest(ctx)))
	shared.Stats.awake.Store(int64(s.machine.awake.Bytes()))
	s.serveWhenNear()
	return nil
}

// snapshot is the store as of the last commit, for a view.
func (s *shard) snapshot() view.Snapshot {
	return view.Guarded{Snapshot: s.machine.store.Snapshot(), Failed: func(err error) { s.tell(&unreadable{err}) }}
}

// unreadable tells that a question met what the store cannot read: the shard stops as if it
// had met it itself.
type unreadable struct{ err error }

// Renew comes now and then: a snapshot that is kept for long keeps what the other shards'
// compactions would drop.
type Renew struct{}

// RenewEvery is how often a shard looks at its view's age; ViewLasts is the age at which the
// view of a shard in which nothing happens gets a new snapshot.
const (
	RenewEvery = 2 * time.Second
	ViewLasts  = 10 * time.Second
)

// renew puts the view of a shard in which nothing happens on a new snapshot.
func (s *shard) renew() {
	s.machine.accounts.Renew(ViewLasts, s.snapshot)
}

// serveWhenNear ends catching up, near the journal's end and not before all is applied that
// was in it when this process first read it, which is what fresh tells: a power cut may
// have taken the last commits, and somebody has seen them. It does not go back: a shard that
// falls behind says so by its lag.
func (s *shard) serveWhenNear() {
	s.rejoin()
	shared := s.env.Handle
	if Behaviour(shared.Behaviour.Load()) == CatchingUp && !s.behindItself() && shared.End.Load()-s.machine.state.Next <= NearEnd && shared.Fresh.Reached() {
		s.become(Serving, s.applying)
	}
}

// load reads the store: the state, and what is kept in memory.
func (s *shard) load() error {
	store, err := s.env.Open()
	if err != nil {
		return err
	}
	if !s.waiting.Ready() {
		s.waiting = waiters.New()
	}
	s.machine = newMachine(s.env, store, &s.waiting, s.machine.nextVersion())
	s.acks, s.ends = publisherAcks{}, journalEnds{}
	s.open.records, s.open.since = 0, time.Time{}
	if err := s.env.Ctx.Err(); err != nil {
		return err
	}
	if err := s.machine.journal.sameLog(); err != nil {
		return err
	}
	if s.machine.marks, err = loadMarks(store, s.env.MarkEvery, s.machine.state.Next); err != nil {
		return err
	}
	if err := s.machine.fill(); err != nil {
		return err
	}
	s.env.Handle.Applied.Store(s.machine.state.Next)
	s.env.Handle.clock.applied(s.env.Log, s.env.ID, s.machine.state.Clock, time.Now())
	s.env.Handle.Stats.committed(0, s.machine.state)
	s.env.Handle.Stats.parked.Store(int64(s.machine.parked.all.activities))
	s.show()
	return nil
}

// show publishes the view of the last commit.
func (s *shard) show() {
	if s.behindItself() {
		s.ends.fresh(s.env.Handle, s.machine.state.Next)
		return
	}
	s.machine.accounts.Publish(s.machine.state.Next, s.machine.roster, s.snapshot())
	s.ends.fresh(s.env.Handle, s.machine.state.Next)
}

// openCommit is what was applied since the last commit.
type openCommit struct {
	records int
	since   time.Time // of the last commit
	meter   meter
}

// commitInterval is the longest time between commits while records keep coming;
// commitMost the most records in one.
const (
	commitInterval     = 10 * time.Millisecond
	commitIntervalBusy = 50 * time.Millisecond
	busyRate           = 4000 // records in 200 ms: 20,000 a second
	commitMost         = 20_000
)

// due reports that so many records, or so much time, came since the last commit.
func (c *openCommit) due(rate int64) bool {
	interval := commitInterval
	if rate > busyRate {
		interval = commitIntervalBusy
	}
	return c.records >= commitMost || time.Since(c.since) >= interval
}
