package shard

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// machine is the state machine of a journal partition: its state is a function of the records
// applied and the catalog (I6). It applies records to its members, stages what changes, and keeps
// in memory what the next records and questions need. It is owned by its shard.
type machine struct {
	env   *Config
	store Store
	state domain.ShardState
	marks stateMarks

	journal    journalPlace
	sources    sources
	roster     *member.Roster
	awake      *members.Awake
	parked     parked
	accounts   *accounts.Accounts
	identities *identity.Ledger
	registrar  *identity.Registrar
	effects    effects
}

// newMachine is one with the state of the store, not yet what is kept in memory. Its views
// begin with the version.
func newMachine(env *Config, store Store, waiting *waiters.Waiters, version uint64) *machine {
	first, end := slotsOf(env.ID, env.Shards)
	s := &machine{
		env: env, store: store, state: store.State(),
		sources: newSources(), roster: member.NewRoster(first, end), parked: newParked(),
		awake:      members.New(env.AwakeBytes, store, &env.Handle.Stats.woken),
		identities: identity.NewLedger(store, env.Identities),
		accounts: accounts.New(accounts.Config{
			Catalog: env.Catalog, View: &env.Handle.View, Version: version,
			Resident: env.Resident, Shards: env.Shards, Stats: &env.Handle.Stats.Stats,
		}),
	}
	s.journal = journalPlace{env, &s.state}
	s.effects = effects{
		shard: env.ID, shards: env.Shards, state: &s.state, requests: newRequests(store), waiting: waiting,
		sent: map[int]uint64{}, stats: &env.Handle.Stats,
		outbox: outbox.New(env.ID, env.OutboxDepth, [outbox.Kinds]outbox.Send{
			outbox.Forwards:    outbox.Forward(env.Journal.Appender()),
			outbox.DeadLetters: outbox.Letters(env.DeadLetters.Publish),
		}, env.Log),
	}
	s.registrar = identity.New(identity.Config{
		Effects: &s.effects, Shard: s, Ledger: s.identities, Roster: s.roster, Awake: s.awake, Accounts: s.accounts,
		Shards: env.Shards, Registered: &env.Handle.Stats.registered,
	})
	if s.state.Journal.IsZero() {
		s.state.Journal, s.state.Cluster = env.Journal.Topic(), env.Journal.Cluster()
		s.state.Epoch, s.state.Rules = -1, domain.RulesVersion
	}
	return s
}

// slotsOf is the range of slots [first, end) that the shard owns.
func slotsOf(id, shards int) (first, end int) {
	first = (id*domain.Slots + shards - 1) / shards
	end = ((id+1)*domain.Slots + shards - 1) / shards
	return first, end
}

// nextVersion is the version that the views of the next machine begin with: versions count on
// over the shard's restarts.
func (s *machine) nextVersion() uint64 {
	if s.accounts == nil {
		return 1
	}
	return s.accounts.Version() + 1
}

// fill reads what is kept in memory, until the node stops.
func (s *machine) fill() error {
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

// committed makes what was staged what is stored.
func (s *machine) committed() {
	s.sources.committed()
	s.identities.Committed()
	s.effects.requests.committed()
	s.parked.committed()
}
