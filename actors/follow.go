package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// account is what a shard keeps in memory of one account: its members as they are
// filtered by, and its rows by brand.
type account struct {
	audience *member.Audience
	table    *brand.Table
	brands   map[*brand.Columns]*actor.PID
	buckets  map[domain.BrandID]*bucket   // kept from slice to slice
	filled   []*bucket                    // those with rows
	fed      map[*brand.Columns]time.Time // when rows last came
	heat     *heat
	stamps   *accountStamps
	met      domain.Ordinal // every ordinal from it on is of a member who has no row yet
	dirty    bool           // to be published
}

// bucket is a brand's new rows of a slice.
type bucket struct {
	dense uint32
	rows  []domain.Row
}

func newAccount() *account {
	return &account{
		audience: member.NewAudience(), table: brand.NewTable(brand.Options{}),
		brands: map[*brand.Columns]*actor.PID{}, buckets: map[domain.BrandID]*bucket{},
		fed: map[*brand.Columns]time.Time{}, heat: &heat{}, stamps: &accountStamps{},
	}
}

func (s *shard) account(id domain.AccountID) *account {
	a := s.accounts[id]
	if a == nil {
		a = newAccount()
		s.accounts[id] = a
	}
	return a
}

// stage puts the changes made so far into the store's open batch, and follows them
// in memory: what is published at the commit.
func (s *shard) stage(ctx actor.Context) error {
	s.sequence()
	changes := s.slice.changes
	if len(changes) == 0 {
		return nil
	}
	if err := s.store.Stage(changes); err != nil {
		return err
	}
	for i := range changes {
		if err := s.follow(ctx, &changes[i]); err != nil {
			return err
		}
	}
	for id := range s.views.touched {
		a := s.accounts[id]
		s.pour(ctx, a)
		a.met = a.audience.Members()
	}
	clear(changes)
	s.slice.changes = changes[:0]
	return nil
}

func (s *shard) follow(ctx actor.Context, c *domain.Change) error {
	switch c.Kind {
	case domain.RowAdded:
		return s.added(&c.Row)
	case domain.RowTaken:
		return s.taken(ctx, &c.Row)
	case domain.BitPut:
		b := c.Value.(*domain.Bit)
		a := s.account(b.Account)
		a.audience.Put(b)
		a.stamps.fact(b.Attribute, b.Ord >= a.met, s.views.version)
		s.views.touch(b.Account, a)
	case domain.ColumnPut:
		b := c.Value.(*domain.Column)
		a := s.account(b.Account)
		a.audience.PutColumn(b)
		a.stamps.fact(b.Attribute, b.Ord >= a.met, s.views.version)
		s.views.touch(b.Account, a)
	case domain.MemberPut:
		stamp(s.views.stamps.record(c.Value.(*domain.Member).ID), s.views.version)
	case domain.IdentityPut, domain.IdentityDrop:
		stamp(s.views.stamps.name(c.Value.(*domain.Identity).Hash), s.views.version)
	case domain.PointerPut, domain.PointerDrop:
		stamp(s.views.stamps.name(c.Value.(*domain.Pointer).Hash), s.views.version)
	}
	return nil
}

// added puts a row into its brand's bucket.
func (s *shard) added(r *domain.Row) error {
	a := s.account(r.Account)
	b := a.buckets[r.Brand]
	if b == nil {
		dense, err := s.dense(r.Brand)
		if err != nil {
			return err
		}
		b = &bucket{dense: dense}
		a.buckets[r.Brand] = b
	}
	if len(b.rows) == 0 {
		a.filled = append(a.filled, b)
		a.stamps.rows(b.dense, s.views.version)
	}
	b.rows = append(b.rows, *r)
	s.views.touch(r.Account, a)
	s.state.Rows++
	return nil
}

// dense is the brand's number in its account.
func (s *shard) dense(id domain.BrandID) (uint32, error) {
	if id == 0 {
		return brand.Visits, nil
	}
	b := s.env.catalog.view.Load().brands.get(uint32(id))
	if b == nil {
		return 0, fmt.Errorf("the catalog at hand does not know brand %d yet", id)
	}
	return b.Dense, nil
}

// taken takes a row out of its brand.
func (s *shard) taken(ctx actor.Context, r *domain.Row) error {
	a := s.account(r.Account)
	s.pour(ctx, a)
	dense, err := s.dense(r.Brand)
	if err != nil {
		return err
	}
	m := &removeRow{dense: dense, row: *r}
	if ctx.Send(s.brandOf(ctx, a, dense), m); !m.done {
		panic("a brand actor failed")
	}
	a.stamps.rows(dense, s.views.version)
	s.views.touch(r.Account, a)
	s.state.Rows--
	return nil
}

// pour sends each filled bucket to its brand's actor, as one message.
func (s *shard) pour(ctx actor.Context, a *account) {
	for _, b := range a.filled {
		m := appendRows{dense: b.dense, rows: b.rows}
		a.fed[a.table.Target(b.dense)] = s.since
		if ctx.Send(s.brandOf(ctx, a, b.dense), &m); !m.done {
			panic("a brand actor failed")
		}
		b.rows = b.rows[:0]
	}
	a.filled = a.filled[:0]
	if len(a.buckets) > maxBuckets {
		clear(a.buckets)
	}
}

// maxBuckets bounds the buckets that are kept for the next slice.
const maxBuckets = 4096

// brandOf is the actor of the columns that the brand's rows are in.
func (s *shard) brandOf(ctx actor.Context, a *account, dense uint32) *actor.PID {
	c := a.table.Target(dense)
	pid := a.brands[c]
	if pid == nil {
		pid = ctx.Spawn(childProps(func() actor.Actor { return &brandActor{c} }))
		a.brands[c] = pid
	}
	return pid
}

// brandActor is one brand with columns of its own, or the rest of an account's
// brands: a child of its shard, on the shard's goroutine. The thinking is in
// package brand.
type brandActor struct{ columns *brand.Columns }

// Receive is the mailbox.
func (b *brandActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *appendRows:
		b.columns.Append(m.dense, m.rows)
		m.done = true
	case *removeRow:
		b.columns.Remove(m.dense, &m.row)
		m.done = true
	}
}
