package accounts

import (
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/lists"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Account is one account's part of a shard.
type Account struct {
	Audience *member.Audience
	Places   Places // of visits

	table    *rows.Table
	apart    *rows.Table // of the rows apart; nil: there were none
	brands   map[*rows.Columns]*brandChild
	buckets  map[domain.BrandID]*bucket // kept from micro-batch to micro-batch
	filled   []*bucket                  // those with rows
	access   *view.Access
	versions *view.AccountVersions
	rowless  domain.Ordinal // every ordinal from it on is of a member who has no row yet
	noticed  uint64         // sequence of the last notice; 0: there was none
	lists    *lists.Lists   // nil: no list of the account was ever followed
	dirty    bool           // to be published
	full     bool           // published: there is no room for other places
}

func newAccount(places int) *Account {
	return &Account{
		Audience: member.NewAudience(), Places: Places{max: places}, table: rows.NewTable(rows.Options{}),
		brands: map[*rows.Columns]*brandChild{}, buckets: map[domain.BrandID]*bucket{},
		access: &view.Access{}, versions: &view.AccountVersions{},
	}
}

// Accounts are those of a shard, by their ids.
type Accounts struct {
	brands    Brands
	children  *children.Children
	stats     *Stats
	places    int                           // of the visits of an account, at most; 0: as usual
	full      int64                         // accounts that have as many, as published
	listed    map[domain.AccountID]*Account // with followed lists
	byID      map[domain.AccountID]*Account
	id        domain.AccountID              // asked for last
	last      *Account                      // that account; nil: none was asked for
	changed   map[domain.AccountID]*Account // since the last commit
	columns   columnCache
	views     view.Writer
	published time.Time // when the last view was
}

// Brands are the brands of the catalog.
type Brands interface {
	// Dense is a brand's number in its account; false: the catalog does not have the brand.
	Dense(id domain.BrandID) (dense uint32, known bool)
	// BrandIDs are the ids of the account's brands by dense number from 1 on, deleted ones too.
	BrandIDs(account domain.AccountID) []domain.BrandID
}

// Config is what the accounts of a shard are given.
type Config struct {
	Brands   Brands
	Children *children.Children
	View     *view.Holder
	Version  uint64        // of the first commit
	Resident *atomic.Int64 // bytes that columns may take, over all shards; 0: no bound
	Cached   int           // bytes of records and contents that readers keep
	Shards   int
	Places   int // of the visits of an account, at most; 0: domain.MaxVisitPlaces
	Stats    *Stats
}

// Stats counts what the column cache did, and what accounts keep of visits.
type Stats struct {
	Evicted    atomic.Int64 // columns that became cold
	Columns    atomic.Int64 // bytes that columns take, as of the last look
	PlacesFull atomic.Int64 // accounts without room for other places of visits, as of the last view
}

// New is no accounts.
func New(c Config) *Accounts {
	s := &Accounts{
		brands: c.Brands, children: c.Children, stats: c.Stats, places: c.Places, byID: map[domain.AccountID]*Account{}, changed: map[domain.AccountID]*Account{},
		listed: map[domain.AccountID]*Account{},
		views:  view.NewWriter(c.View, c.Version, c.Cached),
	}
	s.columns = columnCache{budget: c.Resident, shards: int64(c.Shards), accounts: s, stats: c.Stats}
	return s
}

// Of is the account with that id.
func (s *Accounts) Of(id domain.AccountID) *Account {
	if s.last != nil && s.id == id {
		return s.last
	}
	a := s.byID[id]
	if a == nil {
		a = newAccount(s.places)
		s.byID[id] = a
	}
	s.id, s.last = id, a
	return a
}

// Add gives a new member its ordinal.
func (s *Accounts) Add(account domain.AccountID, id domain.MemberID) domain.Ordinal {
	a := s.Of(account)
	ord := a.Audience.Members()
	a.Audience.Add(id)
	s.touch(account, a)
	return ord
}

// touch has the next commit publish the account.
func (s *Accounts) touch(id domain.AccountID, a *Account) {
	if !a.dirty {
		a.dirty = true
		s.changed[id] = a
	}
}

// Changed reports that the next view differs from the published one.
func (s *Accounts) Changed() bool { return len(s.changed) > 0 }

// Version is that of the coming commit.
func (s *Accounts) Version() uint64 { return s.views.Version }

// Flush has the brands of the accounts that changed take their new rows.
func (s *Accounts) Flush() {
	for id := range s.changed {
		a := s.byID[id]
		s.flushRows(a)
		a.rowless = a.Audience.Members()
	}
}

// Committed runs the compactions that are due, of accounts that changed, and evicts columns
// that no longer fit.
func (s *Accounts) Committed() {
	for _, a := range s.changed {
		a.tables(func(t *rows.Table) {
			if m := t.Pending(); m != nil {
				m.Run()
				t.Install(m)
			}
		})
	}
	s.columns.committed()
}

// Publish swaps in the view of a commit.
func (s *Accounts) Publish(
	next int64, handovers []domain.Handover, roster *member.Roster, snapshot view.Snapshot,
) {
	for id, a := range s.changed {
		a.dirty = false
		if a.Places.Full() && !a.full {
			a.full = true
			s.full++
		}
		s.views.Set(id, &view.Account{
			Members: a.Audience.Commit(), Rows: a.table.Commit(nil), Apart: a.commitApart(), Places: a.Places.published(),
			Noticed: a.noticed, Lists: a.publishedLists(),
			Full: a.full, Access: a.access, Versions: a.versions,
		})
	}
	clear(s.changed)
	s.stats.PlacesFull.Store(s.full)
	s.views.Publish(next, handovers, roster, snapshot)
	s.published = time.Now()
}

// Renew swaps in the published view on a new snapshot, where the one that it has is as old as
// that.
func (s *Accounts) Renew(age time.Duration, snapshot func() view.Snapshot) {
	s.views.Renew(age, snapshot)
}
