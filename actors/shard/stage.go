package shard

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/view"
)

// account is what a shard keeps in memory of one account: its members as they are
// filtered by, and its rows by brand.
type account struct {
	audience *member.Audience
	table    *rows.Table
	brands   map[*rows.Columns]*brandChild
	buckets  map[domain.BrandID]*bucket // kept from micro-batch to micro-batch
	filled   []*bucket                  // those with rows
	access   *view.Access
	versions *view.AccountVersions
	met      domain.Ordinal // every ordinal from it on is of a member who has no row yet
	dirty    bool           // to be published
}

func newAccount() *account {
	return &account{
		audience: member.NewAudience(), table: rows.NewTable(rows.Options{}),
		brands: map[*rows.Columns]*brandChild{}, buckets: map[domain.BrandID]*bucket{},
		access: &view.Access{}, versions: &view.AccountVersions{},
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
	changes := s.batch.changes
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
	s.batch.changes = changes[:0]
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
		a.versions.SetAttribute(b.Attribute, b.Ord >= a.met, s.views.Version)
		s.views.touch(b.Account, a)
	case domain.ColumnPut:
		b := c.Value.(*domain.Column)
		a := s.account(b.Account)
		a.audience.PutColumn(b)
		a.versions.SetAttribute(b.Attribute, b.Ord >= a.met, s.views.Version)
		s.views.touch(b.Account, a)
	case domain.MemberPut:
		s.views.Versions.SetRecord(c.Value.(*domain.Member).ID, s.views.Version)
	case domain.IdentityPut, domain.IdentityDrop:
		s.views.Versions.SetName(c.Value.(*domain.Identity).Hash, s.views.Version)
	case domain.PointerPut, domain.PointerDrop:
		s.views.Versions.SetName(c.Value.(*domain.Pointer).Hash, s.views.Version)
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
		a.versions.SetRows(b.dense, s.views.Version)
	}
	b.rows = append(b.rows, *r)
	s.views.touch(r.Account, a)
	s.state.Rows++
	return nil
}

// dense is the brand's number in its account.
func (s *shard) dense(id domain.BrandID) (uint32, error) {
	if id == 0 {
		return rows.Visits, nil
	}
	b := s.env.Catalog.View().BrandByID(id)
	if b == nil {
		return 0, &behindError{id}
	}
	return b.Dense, nil
}

// behindError says that a record was stamped by a newer catalog than the one at hand:
// when that is there too, the shard goes on.
type behindError struct{ brand domain.BrandID }

func (e *behindError) Error() string {
	return fmt.Sprintf("the catalog at hand does not know brand %d yet: waiting until it does", e.brand)
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
	if s.brandOf(ctx, a, dense).box.PostUserMessage(m); !m.done {
		panic("a brand actor failed")
	}
	a.versions.SetRows(dense, s.views.Version)
	s.views.touch(r.Account, a)
	s.state.Rows--
	return nil
}
