package core

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/merge"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Config is what a machine is made with: a value for each of its parts.
type Config struct {
	Partition  Partition
	Memory     MemoryLimits
	Publishing Publishing
	Readers    Readers
	Children   *children.Children
	MarkEvery  int64                      // records between two state marks; 0: as usual
	Counted    func(*domain.Record)       // of hits that a node counted, once applied or more often; nil: not asked for
	Delivered  func(*domain.Record, bool) // of how far a webhook came, and whether that counts, likewise; nil: not asked for
	Stats      *Stats
}

// MemoryLimits bound what a shard keeps in memory.
type MemoryLimits struct {
	MemberBytes int           // of members that are loaded
	CachedBytes int           // of records and contents that readers keep
	Identities  int           // remembered in each of two generations
	Places      int           // of the visits of an account, at most; 0: as usual
	Resident    *atomic.Int64 // bytes that columns may take, over all shards; 0: no bound
}

// Publishing is where the outbox publishes what is not for the journal, and how many entries wait for it.
type Publishing struct {
	DeadLetters DeadLetters
	DataKeys    DataKeys
	Depth       int                         // entries that wait at most; 0: as usual
	Received    func(*domain.Outgoing) bool // of a stored forward: its receiver has it; nil: it is not known
	Status      *outbox.Status
}

// Readers are those who wait for what a machine applies, or that it waits for.
type Readers struct {
	View    *view.Holder     // where views are published
	Waiting *waiters.Waiters // of outcomes
	Yield   *yield.Questions // of the node
}

// Machine applies records to members, stages what changes, and keeps in memory what the next
// records and questions need. It is owned by its shard.
type Machine struct {
	State    *tx.State // of what was applied so far
	Position Position
	Outbox   *outbox.Outbox  // nil: the machine has never had a store
	Moved    []domain.Origin // those that the last commit stored

	c          *Config
	store      Store // nil: none
	marks      stateMarks
	staged     bool // records were applied since the last commit
	identities *identity.Ledger
	merger     *merge.Merger
	activities *activity.Activities
	commands   commands
}

// New is a machine without a store: it has applied nothing.
func New(c *Config) *Machine {
	m := &Machine{State: &tx.State{}, c: c}
	m.Position = Position{&c.Partition, &m.State.Shard}
	return m
}

// Open is a machine with the state of a store, not yet with what is kept in memory: see Load. The
// versions of its views count on from those of the machine before it.
func (m *Machine) Open(store Store) *Machine {
	c, version := m.c, uint64(1)
	id, shards := c.Partition.ID, c.Partition.Shards
	if before := m.State.Accounts; before != nil {
		version = before.Version() + 1
	}
	n := &Machine{c: c, store: store}
	state := stateOf(c.Partition.Journal, store)
	n.Outbox = outbox.New(outbox.Config{
		Shard: id, Depth: c.Publishing.Depth, Published: state.Cursors(), Store: store,
		Send: [outbox.Kinds]outbox.Send{
			outbox.Forwards:     outbox.Forward(c.Partition.Journal.Appender()),
			outbox.DeadLetters:  outbox.Letters(c.Publishing.DeadLetters.Publish),
			outbox.KeyDeletions: outbox.DeleteKeys(c.Publishing.DataKeys.Delete),
		},
		Received: c.Publishing.Received, Status: c.Publishing.Status, Log: c.Partition.Log,
	})
	n.State = tx.New(tx.Config{
		ID: id, Shards: shards, Shard: state, Store: store, Outbox: n.Outbox,
		Waiting: c.Readers.Waiting,
		Loaded:  members.New(c.Memory.MemberBytes, c.Children, store, &c.Stats.Members.Loads),
		Accounts: accounts.New(accounts.Config{
			Brands: c.Partition.Catalog, Children: c.Children, View: c.Readers.View, Version: version, Shards: shards,
			Resident: c.Memory.Resident, Cached: c.Memory.CachedBytes, Places: c.Memory.Places, Stats: &c.Stats.Stats,
		}),
	})
	n.Position = Position{&c.Partition, &n.State.Shard}
	n.identities = identity.NewLedger(store, c.Memory.Identities)
	n.merger = merge.New(&c.Stats.Merges)
	n.activities = activity.New(activity.Config{
		Identities: n.identities, Store: store, Stats: &c.Stats.Records, Yield: c.Readers.Yield,
	})
	n.commands = commands{
		followList: n.followList,
		actions:    store, registrar: identity.New(n.identities, &c.Stats.Members.Registered), merger: n.merger,
		activities: n.activities, knows: c.Partition.knows, deleted: &c.Stats.Deleted, counted: c.Counted, delivered: c.Delivered,
	}
	return n
}

// stateOf is the state in a store, be it a new one.
func stateOf(log Journal, store Store) domain.ShardState {
	s := store.State()
	if s.Journal.IsZero() {
		s.Journal, s.Cluster = log.Topic(), log.Cluster()
		s.Epoch, s.Rules = -1, domain.FirstRules
	}
	return s
}

// Load reads what is kept in memory, until ctx ends. An error may be a gap: the state is
// of a journal that is not there.
func (m *Machine) Load(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.Position.sameLog(); err != nil {
		return err
	}
	s := m.State
	if err := m.c.Partition.knows(s.Shard.Rules); err != nil {
		return err
	}
	if m.marks, err = loadMarks(m.store, m.c.MarkEvery, s.Shard.Next); err != nil {
		return err
	}
	m.Moved = nil
	if err := m.store.Origins(func(o domain.Origin) {
		s.Sources.Load(o)
		m.Moved = append(m.Moved, o)
	}); err != nil {
		return err
	}
	if err := m.store.Members(m.loadMember); err != nil {
		return err
	}
	if err := m.store.Parked(func(p *domain.Parked) error {
		s.Parked.Load(p)
		return nil
	}); err != nil {
		return err
	}
	if err := m.store.Progresses(func(p *domain.Progress) { s.Progress[p.Webhook] = *p }); err != nil {
		return err
	}
	var lenders []member.Place
	if err := s.Accounts.LoadAttributes(m.store, func(id domain.AccountID, ord domain.Ordinal) {
		lenders = append(lenders, member.Place{Account: id, Ord: ord})
	}); err != nil {
		return err
	}
	if err := m.merger.Load(s, lenders); err != nil {
		return err
	}
	if err := s.Accounts.LoadRows(m.store, ctx.Err); err != nil {
		return err
	}
	if err := m.loadLists(); err != nil {
		return err
	}
	if err := m.Outbox.Load(s.Resent); err != nil {
		return err
	}
	m.c.Stats.committed(s.Shard)
	m.c.Stats.Members.Parked.Store(int64(s.Parked.Activities()))
	return nil
}

// loadMember notes where a member is kept.
func (m *Machine) loadMember(account domain.AccountID, ord domain.Ordinal, id domain.MemberID) {
	m.State.Accounts.Of(account).Audience.Add(id)
	if at := (member.Place{Account: account, Ord: ord}); id.IsShadow() {
		m.merger.Shadow(m.State, at, id)
	} else {
		m.State.Roster.Add(id, at)
	}
}

// Passed moves the state after a page that was applied. Its offsets hold also where the log has
// none of our records at its end.
func (m *Machine) Passed(p *domain.Page) {
	s := &m.State.Shard
	s.Next, s.Epoch = max(s.Next, p.Next), p.Epoch
}

// Commit stores what was applied in one batch (I3). What was staged is then what is stored.
func (m *Machine) Commit() error {
	m.Moved = m.State.Origins()
	if err := m.store.Commit(m.State.Shard, m.Moved); err != nil {
		return err
	}
	m.staged = false
	m.identities.Committed()
	m.State.Committed()
	m.c.Stats.Commits.Add(1)
	m.c.Stats.committed(m.store.State())
	m.c.Stats.Members.Parked.Store(int64(m.State.Parked.Activities()))
	return nil
}

// Headroom is nil, or why nothing more is to be applied for now: the disk is nearly full.
func (m *Machine) Headroom() error { return m.store.Headroom() }

// Publish swaps in the view of the last commit; failed gets errors of its readers.
func (m *Machine) Publish(failed func(error)) {
	snapshot := view.Guarded{Snapshot: m.store.Snapshot(), Failed: failed}
	s := m.State
	s.Accounts.Publish(s.Shard.Next, handovers(&s.Shard), s.Roster, snapshot)
}

// handovers are what the shard has counted with others, for readers.
func handovers(s *domain.ShardState) []domain.Handover {
	if s.Life > 0 {
		return []domain.Handover{{Shard: domain.JournalLost}}
	}
	return s.Handovers
}

// Renew puts the view on a new snapshot where the one that it has is as old as that.
func (m *Machine) Renew(age time.Duration, failed func(error)) {
	m.State.Accounts.Renew(age, func() view.Snapshot {
		return view.Guarded{Snapshot: m.store.Snapshot(), Failed: failed}
	})
}

// LastSent is the last sequence of the outbox sent to each shard, of this life. depth is how many streams a
// wait has followed to this shard: what changes of a merged member is sent on merge by merge. It is nil
// where no merged member of the account (0: of any) has as many merges below it in the shard.
func (m *Machine) LastSent(account domain.AccountID, depth int) map[int]uint64 {
	deepest := m.merger.Depth
	if account != 0 {
		deepest = func() int { return m.merger.DepthOf(account) }
	}
	if depth > 0 && deepest() < depth {
		return nil
	}
	return m.State.LastSent
}

// Completed is a request that has its outcome, as committed; nil: there is none.
func (m *Machine) Completed(id domain.RequestID) *domain.Request {
	if m.store == nil {
		return nil
	}
	return m.State.Completed(id)
}

// Evict unloads the members that the memory has no room for.
func (m *Machine) Evict() {
	stats := &m.c.Stats.Members
	stats.Evicted.Add(int64(m.State.Loaded.Evict()))
	stats.Bytes.Store(int64(m.State.Loaded.Bytes()))
}

// Quiesce stops what runs beside the machine. What is staged is thrown away, since the log has it.
func (m *Machine) Quiesce() {
	if m.Outbox != nil {
		m.Outbox.Stop()
		m.State.Loaded.Clear()
	}
}

// Close gives the store back.
func (m *Machine) Close() error {
	if m.store == nil {
		return nil
	}
	store := m.store
	m.store = nil
	return store.Close()
}
