package shard

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/view"
)

// commit stores what was applied in one batch, publishes the view, and tells who waits.
// An empty commit only moves the moment of freshness.
func (s *shard) commit(ctx actor.Context) error {
	shared := s.env.Handle
	if s.state.Next == shared.Applied.Load() && s.open.records == 0 && !s.accounts.Changed() {
		s.ends.fresh(shared, s.state.Next)
		s.serveWhenNear()
		return nil
	}
	if err := s.store.Commit(s.state, s.sources.origins()); err != nil {
		return err
	}
	s.sources.committed()
	s.identities.Committed()
	s.effects.requests.committed()
	s.parked.committed()
	shared.Stats.parked.Store(int64(s.parked.all.activities))
	s.accounts.Committed()
	s.show()
	s.effects.outbox.Committed()
	now := time.Now()
	shared.clock.applied(s.env.Log, s.env.ID, s.state.Clock, now)
	s.open.meter.note(now, s.open.records, &shared.rate)
	shared.Stats.committed(s.open.records, s.store.State())
	s.open.records, s.open.since = 0, now
	shared.Applied.Store(s.state.Next)
	select {
	case shared.Progress <- struct{}{}:
	default:
	}
	s.waiting.Release(ctx, s.state.Next, s.effects.sent)
	s.waiting.ReleaseStreams(ctx, s.reached)
	shared.Stats.Slept.Add(int64(s.awake.Rest(ctx)))
	shared.Stats.awake.Store(int64(s.awake.Bytes()))
	s.serveWhenNear()
	return nil
}

// snapshot is the store as of the last commit, for a view.
func (s *shard) snapshot() view.Snapshot {
	return view.Guarded{Snapshot: s.store.Snapshot(), Failed: func(err error) { s.tell(&unreadable{err}) }}
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
	s.accounts.Renew(ViewLasts, s.snapshot)
}

// serveWhenNear ends catching up, near the journal's end and not before all is applied that
// was in it when this process first read it, which is what fresh tells: a power cut may
// have taken the last commits, and somebody has seen them. It does not go back: a shard that
// falls behind says so by its lag.
func (s *shard) serveWhenNear() {
	s.rejoin()
	shared := s.env.Handle
	if Behaviour(shared.Behaviour.Load()) == CatchingUp && !s.behindItself() && shared.End.Load()-s.state.Next <= NearEnd && shared.Fresh.Reached() {
		s.become(Serving, s.applying)
	}
}

// load reads the store: the state, and what is kept in memory.
func (s *shard) load() error {
	store, err := s.env.Open()
	if err != nil {
		return err
	}
	s.store, s.state = store, store.State()
	s.acks = publisherAcks{}
	s.sources = newSources()
	first, end := slotsOf(s.env.ID, s.env.Shards)
	s.roster = member.NewRoster(first, end)
	s.awake = members.New(s.env.AwakeBytes, store, &s.env.Handle.Stats.woken)
	s.parked = newParked()
	s.ends = journalEnds{}
	s.accounts = s.newAccounts()
	if !s.waiting.Ready() {
		s.waiting = waiters.New()
	}
	s.effects = effects{
		shard: s.env.ID, shards: s.env.Shards, state: &s.state, requests: newRequests(store), waiting: &s.waiting,
		outbox: s.newOutbox(), sent: map[int]uint64{}, stats: &s.env.Handle.Stats,
	}
	s.identities = identity.NewLedger(store, s.env.Identities)
	s.registrar = identity.New(identity.Config{
		Effects: &s.effects, Shard: s, Ledger: s.identities, Roster: s.roster, Awake: s.awake, Accounts: s.accounts,
		Shards: s.env.Shards, Registered: &s.env.Handle.Stats.registered,
	})
	s.open.records, s.open.since = 0, time.Time{}
	if s.state.Journal.IsZero() {
		s.state.Journal, s.state.Cluster = s.env.Journal.Topic(), s.env.Journal.Cluster()
		s.state.Epoch, s.state.Rules = -1, domain.RulesVersion
	}
	if err := s.env.Ctx.Err(); err != nil {
		return err
	}
	if err := s.sameLog(); err != nil {
		return err
	}
	if s.marks, err = loadMarks(store, s.env.MarkEvery, s.state.Next); err != nil {
		return err
	}
	if err := s.fill(); err != nil {
		return err
	}
	s.env.Handle.Applied.Store(s.state.Next)
	s.env.Handle.clock.applied(s.env.Log, s.env.ID, s.state.Clock, time.Now())
	s.env.Handle.Stats.committed(0, s.state)
	s.env.Handle.Stats.parked.Store(int64(s.parked.all.activities))
	s.show()
	return nil
}

func (s *shard) newOutbox() *outbox.Outbox {
	return outbox.New(s.env.ID, s.env.OutboxDepth, [outbox.Kinds]outbox.Send{
		outbox.Forwards:    outbox.Forward(s.env.Journal.Appender()),
		outbox.DeadLetters: outbox.Letters(s.env.DeadLetters.Publish),
	}, s.env.Log)
}

// newAccounts is none; the versions of views count on over the shard's restarts.
func (s *shard) newAccounts() *accounts.Accounts {
	version := uint64(1)
	if s.accounts != nil {
		version = s.accounts.Version() + 1
	}
	return accounts.New(accounts.Config{
		Catalog: s.env.Catalog, View: &s.env.Handle.View, Version: version,
		Resident: s.env.Resident, Shards: s.env.Shards, Stats: &s.env.Handle.Stats.Stats,
	})
}

// show publishes the view of the last commit.
func (s *shard) show() {
	if s.behindItself() {
		s.ends.fresh(s.env.Handle, s.state.Next)
		return
	}
	s.accounts.Publish(s.state.Next, s.roster, s.snapshot())
	s.ends.fresh(s.env.Handle, s.state.Next)
}

// fill reads what is kept in memory, until the node stops.
func (s *shard) fill() error {
	if err := s.store.Origins(s.sources.load); err != nil {
		return err
	}
	if err := s.store.Members(func(id domain.AccountID, ord domain.Ordinal, m domain.MemberID) {
		s.roster.Add(m, member.Place{Account: id, Ord: ord})
		s.accounts.Of(id).Audience.Add(m)
	}); err != nil {
		return err
	}
	if err := s.store.Parked(func(p *domain.Parked) error {
		s.parked.note(p)
		return nil
	}); err != nil {
		return err
	}
	if err := s.accounts.Load(s.store, s.env.Ctx.Err); err != nil {
		return err
	}
	return s.store.Outbox(func(o *domain.Outgoing) {
		if o.Forward != nil {
			s.effects.sent[o.To] = max(s.effects.sent[o.To], o.Sequence)
		}
		s.effects.outbox.Offer(o)
	})
}

// slotsOf is the range of slots [first, end) that the shard owns.
func slotsOf(id, shards int) (first, end int) {
	first = (id*domain.Slots + shards - 1) / shards
	end = ((id+1)*domain.Slots + shards - 1) / shards
	return first, end
}
