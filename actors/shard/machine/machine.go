package machine

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/merging"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Config is what a machine is made with.
type Config struct {
	ID, Shards int
	Limits
	Ctx         context.Context // loading ends with it
	Journal     journal.Log
	Catalog     *catalog.Handle
	Children    *children.Children
	DeadLetters DeadLetters
	DataKeys    DataKeys
	View        *view.Holder     // where views are published
	Waiting     *waiters.Waiters // of outcomes
	Stats       *Stats
	Yield       *yield.Questions     // of the node
	Counted     func(*domain.Record) // of hits that a node counted, once applied or more often; nil: not asked for
	Log         *slog.Logger
}

// Limits bound a shard's memory and outbox.
type Limits struct {
	MemberBytes int           // memory for members that are loaded
	CachedBytes int           // memory for records and contents that readers keep
	Identities  int           // remembered in each of two generations
	MarkEvery   int64         // records between two state marks; 0: as usual
	OutboxDepth int           // entries that wait at most; 0: as usual
	Places      int           // of the visits of an account, at most; 0: as usual
	Resident    *atomic.Int64 // bytes that columns may take, over all shards; 0: no bound
}

// Machine applies records to members, stages what changes, and keeps in memory what the next
// records and questions need. It is owned by its shard.
type Machine struct {
	State    domain.ShardState // what was applied so far
	Position Position
	Sources  Sources
	Accounts *accounts.Accounts
	Outbox   *outbox.Outbox // nil: the machine has never had a store

	c          *Config
	store      Store // nil: none
	marks      stateMarks
	roster     *member.Roster
	loaded     *members.Loaded
	parked     parked
	identities *identity.Ledger
	commands   commands
	effects    effects
}

// New is a machine without a store: it has applied nothing.
func New(c *Config) *Machine {
	m := &Machine{c: c}
	m.Position = Position{c, &m.State}
	return m
}

// Open is a machine with the state of a store, not yet with what is kept in memory: see Load. The
// versions of its views count on from those of the machine before it.
func (m *Machine) Open(store Store) *Machine {
	version := uint64(1)
	if m.Accounts != nil {
		version = m.Accounts.Version() + 1
	}
	c := m.c
	n := New(c)
	n.store, n.State = store, store.State()
	if n.State.Journal.IsZero() {
		n.State.Journal, n.State.Cluster = c.Journal.Topic(), c.Journal.Cluster()
		n.State.Epoch, n.State.Rules = -1, domain.RulesVersion
	}
	n.Sources = newSources()
	n.parked = newParked()
	n.roster = member.NewRoster(slotsOf(c.ID, c.Shards))
	n.loaded = members.New(c.MemberBytes, c.Children, store, &c.Stats.Members.Loads)
	n.identities = identity.NewLedger(store, c.Identities)
	n.Accounts = accounts.New(accounts.Config{
		Brands: c.Catalog, Children: c.Children, View: c.View, Version: version, Resident: c.Resident, Cached: c.CachedBytes, Shards: c.Shards,
		Places: c.Places, Stats: &c.Stats.Stats,
	})
	n.Outbox = outbox.New(c.ID, c.OutboxDepth, [outbox.Kinds]outbox.Send{
		outbox.Forwards:     outbox.Forward(c.Journal.Appender()),
		outbox.DeadLetters:  outbox.Letters(c.DeadLetters.Publish),
		outbox.KeyDeletions: outbox.DeleteKeys(c.DataKeys.Delete),
	}, c.Log)
	n.effects = effects{
		shard: c.ID, shards: c.Shards, state: &n.State, requests: newRequests(store), waiting: c.Waiting,
		outbox: n.Outbox, sent: map[int]uint64{}, stats: &c.Stats.Records,
	}
	merger := merging.New(merging.Config{
		Effects: &n.effects, Shard: n, State: &n.State, Store: store, Loaded: n.loaded, Roster: n.roster,
		Accounts: n.Accounts, Shards: c.Shards, Stats: &c.Stats.Merges,
	})
	registrar := identity.New(identity.Config{
		Effects: &n.effects, Shard: n, Ledger: n.identities, Roster: n.roster, Loaded: n.loaded, Accounts: n.Accounts,
		Shards: c.Shards, Registered: &c.Stats.Members.Registered, Merges: merger,
	})
	merger.Members = registrar
	n.commands = commands{&n.State, store, &n.effects, registrar, merger, c.Counted}
	return n
}

// slotsOf is the range of slots [first, end) that the shard owns.
func slotsOf(id, shards int) (first, end int) {
	first = (id*domain.Slots + shards - 1) / shards
	end = ((id+1)*domain.Slots + shards - 1) / shards
	return first, end
}

// Load reads what is kept in memory, until the node stops. An error may be a gap: the state is
// of a journal that is not there.
func (m *Machine) Load() (err error) {
	if err := m.c.Ctx.Err(); err != nil {
		return err
	}
	if err := m.Position.sameLog(); err != nil {
		return err
	}
	if m.marks, err = loadMarks(m.store, m.c.MarkEvery, m.State.Next); err != nil {
		return err
	}
	if err := m.store.Origins(m.Sources.load); err != nil {
		return err
	}
	if err := m.store.Members(func(id domain.AccountID, ord domain.Ordinal, who domain.MemberID) {
		m.Accounts.Of(id).Audience.Add(who)
		if at := (member.Place{Account: id, Ord: ord}); who.IsShadow() {
			m.commands.merger.Shadow(at, who)
		} else {
			m.roster.Add(who, at)
		}
	}); err != nil {
		return err
	}
	if err := m.store.Parked(func(p *domain.Parked) error {
		m.parked.note(p)
		return nil
	}); err != nil {
		return err
	}
	var lenders []member.Place
	if err := m.Accounts.LoadAttributes(m.store, func(id domain.AccountID, ord domain.Ordinal) {
		lenders = append(lenders, member.Place{Account: id, Ord: ord})
	}); err != nil {
		return err
	}
	if err := m.commands.merger.Load(lenders); err != nil {
		return err
	}
	if err := m.Accounts.LoadRows(m.store, m.c.Ctx.Err); err != nil {
		return err
	}
	if err := m.store.Outbox(func(o *domain.Outgoing) {
		if o.Forward != nil {
			m.effects.sent[o.To] = max(m.effects.sent[o.To], o.Sequence)
		}
		m.Outbox.Offer(o)
	}); err != nil {
		return err
	}
	m.c.Stats.committed(m.State)
	m.c.Stats.Members.Parked.Store(int64(m.parked.all.activities))
	return nil
}

// Passed moves the state after a page that was applied. Its offsets hold also where the log has
// none of our records at its end.
func (m *Machine) Passed(p *domain.Page) {
	m.State.Next, m.State.Epoch = max(m.State.Next, p.Next), p.Epoch
}

// Commit stores what was applied in one batch (I3). What was staged is then what is stored.
func (m *Machine) Commit() error {
	if err := m.store.Commit(m.State, m.Sources.origins()); err != nil {
		return err
	}
	m.Sources.committed()
	m.identities.Committed()
	m.effects.requests.committed()
	m.parked.committed()
	m.Accounts.Committed()
	m.c.Stats.Commits.Add(1)
	m.c.Stats.committed(m.store.State())
	m.c.Stats.Members.Parked.Store(int64(m.parked.all.activities))
	return nil
}

// Headroom is nil, or why nothing more is to be applied for now: the disk is nearly full.
func (m *Machine) Headroom() error { return m.store.Headroom() }

// Publish swaps in the view of the last commit; failed gets errors of its readers.
func (m *Machine) Publish(failed func(error)) {
	snapshot := view.Guarded{Snapshot: m.store.Snapshot(), Failed: failed}
	m.Accounts.Publish(m.State.Next, handovers(&m.State), m.roster, snapshot)
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
	m.Accounts.Renew(age, func() view.Snapshot {
		return view.Guarded{Snapshot: m.store.Snapshot(), Failed: failed}
	})
}

// Sent is the last sequence of the outbox sent to each shard, of this life. depth is how many streams a
// wait has followed to this shard: what changes of a merged member is sent on merge by merge. It is nil
// where no merged member of the account (0: of any) has as many merges below it in the shard.
func (m *Machine) Sent(account domain.AccountID, depth int) map[int]uint64 {
	deepest := m.commands.merger.Depth
	if account != 0 {
		deepest = func() int { return m.commands.merger.DepthOf(account) }
	}
	if depth > 0 && deepest() < depth {
		return nil
	}
	return m.effects.sent
}

// Outcome is that of a request, as committed; nil: none.
func (m *Machine) Outcome(id domain.RequestID) *domain.Outcome {
	if m.store == nil || m.effects.requests.isStaged(id) {
		return nil
	}
	q, err := m.effects.requests.find(m.effects.today(), id)
	if err != nil || q == nil || q.Pending {
		return nil
	}
	return &q.Outcome
}

// Evict unloads the members that the memory has no room for.
func (m *Machine) Evict() {
	stats := &m.c.Stats.Members
	stats.Evicted.Add(int64(m.loaded.Evict()))
	stats.Bytes.Store(int64(m.loaded.Bytes()))
}

// Quiesce stops what runs beside the machine. What is staged is thrown away, since the log has it.
func (m *Machine) Quiesce() {
	if m.Outbox != nil {
		m.Outbox.Stop()
		m.loaded.Clear()
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
