package accounts

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/view"
)

// ownRows are rows of a brand that has columns of its own, and much more of them than of what is known of a
// cold one.
const ownRows = 6 * 1024

// given are the accounts of a shard whose account 1 has a member, and so many rows of each brand by dense
// number from 1 on, published.
func given(t *testing.T, c *children.Children, n ...int) *model {
	t.Helper()
	m := &model{t: t, c: c, of: map[domain.AccountID]*storedOf{1: {members: []domain.MemberID{domain.MemberIDOf(1, 1)}}}}
	m.open()
	m.accounts.Add(1, m.of[1].members[0])
	for i, n := range n {
		m.add(uint32(i+1), n)
		m.publish()
	}
	return m
}

// add adds rows of a brand.
func (m *model) add(dense uint32, n int) {
	m.t.Helper()
	for range n {
		m.seq++
		r := domain.Row{
			Seq: m.seq, Account: 1, Brand: 100 + domain.BrandID(dense), Definition: 1, Service: domain.Spotify,
			Time: modelTime + uint32(m.seq),
		}
		m.apply(domain.Change{Kind: domain.RowAdded, Row: r})
		m.of[1].rows = append(m.of[1].rows, r)
	}
}

// cold are the brands whose rows are on disk only, as the view has it.
func (m *model) cold() (dense []uint32) {
	v := m.view.Acquire()
	defer v.Release()
	for brand := range uint32(modelBrands + 1) {
		if len(v.Account(1).Rows.Cold(brand)) > 0 {
			dense = append(dense, brand)
		}
	}
	return dense
}

// Columns leave memory in order: of brands never asked about those fed least lately first, then by when they
// were last asked about; no more leave than have to. The view is told.
func TestColumnCache_EvictsInOrder(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, ownRows, ownRows, ownRows, 2*ownRows)
		m.add(2, 10) // fed after brand 4, which is larger
		m.publish()
		now := time.Now()
		access := m.accounts.Of(1).access
		access.Note(1, now)
		access.Note(3, now.Add(-time.Hour))
		for want, held := []uint32{}, m.accounts.columns.bytes(); len(want) < 4; held = m.accounts.columns.bytes() {
			want = append(want, []uint32{4, 2, 3, 1}[len(want)])
			slices.Sort(want)
			m.resident.Store(int64(held - 1))
			m.accounts.Fit()
			if !m.accounts.Changed() {
				t.Fatal("what was evicted is not to be published")
			}
			if counted, is := m.stats.Columns.Load(), m.accounts.columns.bytes(); counted != int64(is) {
				t.Fatalf("columns take %d bytes, %d are counted", is, counted)
			}
			m.publish()
			if got := m.cold(); !slices.Equal(got, want) {
				t.Fatalf("cold are %v, want %v", got, want)
			}
			if n := m.stats.Evicted.Load(); n != int64(len(want)) {
				t.Fatalf("%d evictions are counted, want %d", n, len(want))
			}
		}
	})
}

// An eviction leaves room: a tenth of the budget, so that the next rows evict nothing.
func TestColumnCache_LeavesATenth(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, 1100, ownRows, ownRows, ownRows) // the first to leave is a small part
		limit := m.accounts.columns.bytes() - 1
		m.resident.Store(int64(limit))
		m.accounts.Fit()
		if n := m.accounts.columns.bytes(); n > limit*9/10 {
			t.Errorf("%d bytes are held of %d", n, limit)
		}
	})
}

// The budget is looked at every so many commits, and at once where that is asked for.
func TestColumnCache_LooksNowAndThen(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, ownRows, ownRows)
		m.accounts.columns.checks = LookEveryCommits
		m.resident.Store(1)
		for range LookEveryCommits - 1 {
			m.publish()
		}
		if got := m.cold(); got != nil {
			t.Fatalf("%v are cold before the look", got)
		}
		m.publish()
		if got := m.cold(); !slices.Equal(got, []uint32{1, 2}) {
			t.Fatalf("%v are cold after the look", got)
		}
		if m.accounts.columns.checks != LookEveryCommits {
			t.Errorf("the next look is in %d commits", m.accounts.columns.checks)
		}
	})
}

// Brands without columns of their own leave memory only where they have rows worth a reading, those with most
// first, and what was asked about last.
func TestColumnCache_EvictsSmallBrands(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, minSmall-1, 300, 200, 500, 400)
		m.accounts.Of(1).access.Note(4, time.Now())
		// Three quarters of the budget are the small brands', three quarters of which they keep: 640 of 1,463 rows
		// leave.
		m.resident.Store(int64(m.accounts.columns.bytes() - 1))
		m.accounts.Fit()
		m.publish()
		if got := m.cold(); !slices.Equal(got, []uint32{2, 5}) {
			t.Errorf("cold are %v: brands 5 and 2 have most rows of those not asked about", got)
		}
		m.resident.Store(1)
		m.accounts.Fit()
		m.publish()
		if got := m.cold(); !slices.Equal(got, []uint32{2, 3, 4, 5}) {
			t.Errorf("cold are %v of a budget of nothing", got)
		}
	})
}

// A cold brand that is asked about a second time comes back: where there is room, else in place of one not
// asked about since the time before, and of no other.
func TestAccounts_MakeRoom(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, ownRows, ownRows, ownRows)
		if m.accounts.MakeRoom(Cold{Account: 2, Dense: 1}) || m.accounts.MakeRoom(Cold{Account: 1, Dense: 1}) || m.accounts.MakeRoom(Cold{Account: 1, Dense: 9}) {
			t.Fatal("there is room for a brand that is not cold")
		}
		all := m.accounts.columns.bytes()
		m.resident.Store(int64(all - 1))
		m.accounts.Fit() // brand 1 is cold
		m.publish()
		access := m.accounts.Of(1).access
		ask := func(dense uint32, seconds int) { access.Note(dense, time.Unix(int64(1e9+seconds), 0)) }
		one := Cold{Account: 1, Dense: 1}
		held := int64(m.accounts.columns.bytes())
		m.resident.Store(held + bytesPerRow*ownRows/3)
		ask(2, 10)
		ask(3, 10)
		ask(1, 5)
		ask(1, 20)
		if m.accounts.MakeRoom(one) {
			t.Fatal("there is room though the others were asked about since")
		}
		if got := m.cold(); !slices.Equal(got, []uint32{1}) || m.accounts.Changed() {
			t.Fatalf("cold are %v, for a brand that does not fit", got)
		}
		ask(1, 30) // the time before is 20
		if !m.accounts.MakeRoom(one) {
			t.Fatal("there is no room in place of brands that were not asked about since")
		}
		m.publish()
		if got := m.cold(); len(got) != 2 {
			t.Fatalf("cold are %v: one brand has to leave", got)
		}
		m.reload(one, nil)
		if got := m.cold(); len(got) != 1 || got[0] == 1 {
			t.Fatalf("cold are %v", got)
		}
		m.resident.Store(0)
		if !m.accounts.MakeRoom(Cold{Account: 1, Dense: m.cold()[0]}) {
			t.Error("there is no room without a bound")
		}
	})
}

// reload brings a cold brand back, or fails to, and publishes.
func (m *model) reload(of Cold, err error) {
	m.t.Helper()
	r := m.accounts.Reload(of)
	if r == nil {
		m.t.Fatalf("brand %d cannot be read", of.Dense)
	}
	if err == nil {
		err = r.Read(snapshotOf{rows: m.of[of.Account].rows})
	}
	m.accounts.Restore(r, err)
	m.publish()
}

// A brand whose reading failed stays cold, and can be read again after the next commit.
func TestAccounts_ReloadAfterAFailure(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, ownRows)
		m.resident.Store(1)
		m.accounts.Fit()
		m.publish()
		one := Cold{Account: 1, Dense: 1}
		m.reload(one, errors.New("on purpose"))
		if got := m.cold(); !slices.Equal(got, []uint32{1}) {
			t.Fatalf("cold are %v", got)
		}
		m.reload(one, nil)
		if got := m.cold(); got != nil {
			t.Fatalf("cold are %v", got)
		}
	})
}

// Chunks are compacted after commits, so that a question reads few of them.
func TestAccounts_Compacts(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c)
		for range 40 {
			m.add(1, 2048)
			m.publish()
		}
		if n := m.accounts.Of(1).table.Stats().Compactions; n == 0 {
			t.Error("no compaction was installed")
		}
	})
}

// What changes of rows has the version of the coming commit: their brand, and every brand; of a row taken the
// record of its member too, whose content is shown no more.
func TestAccounts_RowsHaveTheVersionOfTheComingCommit(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		for what, change := range map[string]func(*model) domain.Change{
			"added": func(m *model) domain.Change {
				return domain.Change{Kind: domain.RowAdded, Row: domain.Row{Seq: 99, Account: 1, Brand: 101, Time: modelTime}}
			},
			"taken": func(m *model) domain.Change { return domain.Change{Kind: domain.RowTaken, Row: m.of[1].rows[0]} },
			"erased": func(m *model) domain.Change {
				return domain.Change{Kind: domain.RowsErased, Value: &domain.ErasedRows{Rows: m.of[1].rows[:1]}}
			},
			"counted": func(m *model) domain.Change {
				return domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{Account: 1, Rows: m.of[1].rows[:1], Covered: []uint64{98}}}
			},
		} {
			m := given(t, c, 3, 3)
			before := m.accounts.Version()
			m.publish()
			version := m.accounts.Version()
			if version != before+1 {
				t.Fatalf("the version after %d is %d", before, version)
			}
			if m.accounts.Changed() {
				t.Fatal("nothing has changed")
			}
			m.apply(change(m))
			if !m.accounts.Changed() {
				t.Errorf("%s: nothing is to be published", what)
			}
			v := m.accounts.Of(1).versions
			for dense, want := range map[uint32]bool{1: true, 2: false, rows.EveryBrand: true} {
				if got := v.RowsSince(dense, before); got != want {
					t.Errorf("%s: rows of brand %d changed: %t", what, dense, got)
				}
			}
			record := m.accounts.views.Versions.Record(m.of[1].members[0])
			if taken := what != "added" && record == version; taken == (what == "added") {
				t.Errorf("%s: the version of the record is %d", what, record)
			}
		}
	})
}

// Rows that count again have the version of the coming commit.
func TestAccounts_RowsThatReturnHaveTheVersionOfTheComingCommit(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, 3)
		counted := func(hidden bool) {
			as := domain.CountedAs{Account: 1, Rows: m.of[1].rows, Hidden: hidden}
			m.of[1].counted = map[domain.Ordinal]domain.CountedAs{0: as}
			m.apply(domain.Change{Kind: domain.RowsCounted, Value: &as})
		}
		counted(true)
		hidden := m.accounts.Version()
		m.publish()
		counted(false)
		if !m.accounts.Of(1).versions.RowsSince(1, hidden) {
			t.Error("the brand has not changed")
		}
	})
}

// A member is new to questions about rows until the commit that may have its first row.
func TestAccounts_NewMembersHaveNoRows(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, 1)
		paid := domain.Change{Kind: domain.BitPut, Value: &domain.Bit{Account: 1, Ord: 1, Attribute: domain.AttrPaid, On: true}}
		m.accounts.Add(1, domain.MemberIDOf(2, 1))
		m.apply(paid)
		if known, all := m.accounts.Of(1).versions.Attribute(domain.AttrPaid); known != 0 || all != m.accounts.Version() {
			t.Errorf("of one who is new the versions are %d and %d", known, all)
		}
		m.accounts.Flush()
		m.apply(paid)
		if known, _ := m.accounts.Of(1).versions.Attribute(domain.AttrPaid); known != m.accounts.Version() {
			t.Errorf("of one who is known the version is %d", known)
		}
	})
}

// A row of a brand that the catalog does not have is an error that names it, by every way.
func TestAccounts_UnknownBrand(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, 1)
		row := domain.Row{Seq: 99, Account: 1, Brand: 199, Time: modelTime}
		for _, change := range []domain.Change{
			{Kind: domain.RowAdded, Row: row},
			{Kind: domain.RowTaken, Row: row},
			{Kind: domain.RowsErased, Value: &domain.ErasedRows{Rows: []domain.Row{row}}},
			{Kind: domain.RowsCounted, Value: &domain.CountedAs{Account: 1, Rows: []domain.Row{row}}},
		} {
			var unknown *UnknownBrandError
			if err := m.accounts.Apply(&change); !errors.As(err, &unknown) || unknown.Brand != 199 {
				t.Errorf("%v: %v", change.Kind, err)
			}
		}
		m.of[1].rows = append(m.of[1].rows, row)
		var unknown *UnknownBrandError
		if err := m.accounts.LoadRows(unknownBrand{m, row}, func() error { return nil }); !errors.As(err, &unknown) {
			t.Errorf("a start: %v", err)
		}
	})
}

// unknownBrand is a store with a row of a brand that the catalog does not have.
type unknownBrand struct {
	*model
	row domain.Row
}

func (s unknownBrand) Rows(f func(domain.AccountID, domain.BrandID, []domain.Row) error) error {
	return f(s.row.Account, s.row.Brand, []domain.Row{s.row})
}

// A start that is stopped ends with that error.
func TestAccounts_LoadIsStopped(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, 1)
		stop := errors.New("stopped")
		if err := m.accounts.LoadRows(m, func() error { return stop }); !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
	})
}

// A view keeps its content on a newer snapshot.
func TestAccounts_Renew(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		m := given(t, c, 1)
		before := m.view.Peek()
		m.accounts.Renew(time.Hour, func() view.Snapshot { t.Error("a new view is old"); return snapshotOf{} })
		m.accounts.Renew(0, func() view.Snapshot { return snapshotOf{} })
		if after := m.view.Peek(); after == before || after.Next != before.Next || after.Account(1) != before.Account(1) {
			t.Error("the view is not the same on a newer snapshot")
		}
	})
}
