package tx

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Store is the part of the shard's store that operations read and write, on the shard's goroutine.
type Store interface {
	Lookups
	Staging
}

// Lookups are what operations read.
type Lookups interface {
	members.Store
	// Request is what became of a request of that day, as of the last commit; nil: it is not known.
	Request(day uint32, id domain.RequestID) (*domain.Request, error)
}

// Staging takes changes. After an error the store must be opened again.
type Staging interface {
	// Stage puts changes into the open batch.
	Stage(changes []domain.Change) error
}

// Outbox takes the entries that are sent. What was staged is published after the commit.
type Outbox interface {
	Stage(*domain.Outgoing)
	// Published notes that entries are in their logs, whichever node brought them there.
	Published(*domain.Published)
}

// Waiting are those who wait for the outcomes of requests. They are answered after the commit.
type Waiting interface {
	// Outcome notes what became of a request.
	Outcome(q waiters.Request, c *waiters.Completed)
}

// Config is what a State is made of.
type Config struct {
	ID, Shards int
	Shard      domain.ShardState // as stored
	Store      Store
	Loaded     *members.Loaded
	Accounts   *accounts.Accounts
	Outbox     Outbox
	Waiting    Waiting
}

// State is what a shard knows between two records.
type State struct {
	ID, Shards int
	Shard      domain.ShardState // that the next commit stores
	Store      Store
	Roster     *member.Roster
	Loaded     *members.Loaded
	Accounts   *accounts.Accounts
	Requests   Requests
	Parked     Parked
	Sources    Sources
	Progress   map[domain.WebhookID]domain.Progress // of webhooks
	LastSent   map[int]uint64                       // last sequence of the outbox sent to each shard, of this life of the journal

	outbox  Outbox
	waiting Waiting
}

// New is the state of a shard without members.
func New(c Config) *State {
	return &State{
		ID: c.ID, Shards: c.Shards, Shard: c.Shard, Store: c.Store, Loaded: c.Loaded, Accounts: c.Accounts,
		Roster: member.NewRoster(slotsOf(c.ID, c.Shards)), Requests: newRequests(c.Store), Parked: newParked(),
		Sources: newSources(), Progress: map[domain.WebhookID]domain.Progress{}, LastSent: map[int]uint64{}, outbox: c.Outbox, waiting: c.Waiting,
	}
}

// slotsOf is the range of slots [first, end) that the shard owns.
func slotsOf(id, shards int) (first, end int) {
	first = (id*domain.Slots + shards - 1) / shards
	end = ((id+1)*domain.Slots + shards - 1) / shards
	return first, end
}

// Resent notes an entry of the outbox that was stored.
func (s *State) Resent(o *domain.Outgoing) {
	if o.Forward != nil {
		s.LastSent[o.To] = max(s.LastSent[o.To], o.Sequence)
	}
}

// Origins are those that the next commit stores.
func (s *State) Origins() []domain.Origin { return s.Sources.origins() }

// Committed makes what was staged what is stored.
func (s *State) Committed() {
	s.Sources.committed()
	s.Requests.committed()
	s.Parked.committed()
	s.Accounts.Committed()
}

// Completed is a request that has its outcome, as committed; nil: there is none.
func (s *State) Completed(id domain.RequestID) *domain.Request {
	if s.Requests.isStaged(id) {
		return nil
	}
	q, err := s.Requests.Find(dayOf(s.Shard.Clock), id)
	if err != nil || q == nil || q.Pending {
		return nil
	}
	return q
}

// dayMs is a day in the unit of the shard's clock.
const dayMs = 24 * 3600 * 1000

func dayOf(clock int64) uint32 { return uint32(clock / dayMs) }
