package txtest

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Brands is how many brands account 1 has.
const Brands = 8

// Shard is the state of a shard.
type Shard struct {
	State  *tx.State
	Store  *Store
	Follow tx.Follower // what follows from staged changes; nothing does at first

	Answered map[domain.RequestID]waiters.Completed // the last answer to the waiters of a request

	t         testing.TB
	sent      []*domain.Outgoing
	view      view.Holder
	loads     atomic.Int64
	committed committed
}

// New is the state of one of so many shards, without members.
func New(t testing.TB, kids *children.Children, id, shards int) *Shard {
	t.Helper()
	s := &Shard{t: t, Store: NewStore(), Answered: map[domain.RequestID]waiters.Completed{}}
	s.Follow = func(*tx.Tx, []domain.Change) error { return nil }
	s.committed.state = domain.ShardState{Journal: Journal, Clock: Clock}
	s.open(kids, id, shards)
	return s
}

// open makes the state of a shard without members.
func (s *Shard) open(kids *children.Children, id, shards int) {
	s.State = tx.New(tx.Config{
		ID: id, Shards: shards, Store: s.Store, Outbox: outbox{s}, Waiting: waiting{s}, Shard: s.committed.state,
		Loaded: members.New(1<<30, kids, s.Store, &s.loads),
		Accounts: accounts.New(accounts.Config{
			Brands: brands{}, Children: kids, View: &s.view, Version: 1, Resident: new(atomic.Int64), Shards: shards,
			Stats: &accounts.Stats{},
		}),
	})
}

// Journal is the topic of every journal.
var Journal = domain.TopicID{1}

// Clock is the time at which every shard begins, in ms since 1970.
const Clock = 1_700_000_000_000

// Do applies a record by f, in a micro-batch of its own. A record without an offset has the next.
func (s *Shard) Do(r *domain.Record, f func(*tx.Tx) error) error {
	state := &s.State.Shard
	if r.Offset < state.Next {
		r.Offset = state.Next
	}
	state.Clock = max(state.Clock, r.Time)
	var t tx.Tx
	t.Begin(s.State, s.Follow)
	t.At = tx.Moment{Offset: r.Offset, Clock: state.Clock}
	if err := f(&t); err != nil {
		return err
	}
	state.Next = r.Offset + 1
	return t.Flush()
}

// Commit has the store give what was staged.
func (s *Shard) Commit() {
	s.committed.note(s.State)
	s.Store.commit()
	s.State.Committed()
}

// Count is how many actions of a brand count for the members of account 1, as the columns have it that
// questions read.
func (s *Shard) Count(brand domain.BrandID) uint64 {
	s.State.Accounts.Publish(s.State.Shard.Next, nil, s.State.Roster, snapshot{})
	v := s.view.Acquire()
	defer v.Release()
	a := v.Account(1)
	if a == nil {
		return 0
	}
	return a.Rows.RowsIn(uint32(brand), domain.Range{To: math.MaxUint32})
}

// snapshot is of a store that no question reads.
type snapshot struct{ view.Snapshot }

func (snapshot) Close() error { return nil }

// Take takes what was sent, in order.
func (s *Shard) Take() []*domain.Outgoing {
	sent := s.sent
	s.sent = nil
	return sent
}

// Request is what is known of a request, staged or stored; nil: nothing is.
func (s *Shard) Request(id domain.RequestID) *domain.Request {
	q, err := s.State.Requests.Find(uint32(s.State.Shard.Clock/(24*3600*1000)), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

// outbox is the slice of a shard.
type outbox struct{ *Shard }

func (o outbox) Stage(e *domain.Outgoing) { o.sent = append(o.sent, e) }

// Published is for who publishes.
func (outbox) Published(*domain.Published) {}

// waiting notes what waiters are told.
type waiting struct{ *Shard }

func (w waiting) Outcome(q waiters.Request, c *waiters.Completed) { w.Answered[q.ID] = *c }

// brands are those of the catalog.
type brands struct{}

func (brands) Dense(id domain.BrandID) (dense uint32, known bool) { return uint32(id), id <= Brands }

func (brands) BrandIDs(domain.AccountID) (ids []domain.BrandID) {
	for id := range domain.BrandID(Brands) {
		ids = append(ids, id+1)
	}
	return ids
}
