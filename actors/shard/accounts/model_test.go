package accounts

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/view"
)

// brandsOf is a catalog: the brands of account a are a*100+1 … a*100+n, by dense number.
type brandsOf int

func (n brandsOf) Dense(id domain.BrandID) (uint32, bool) {
	dense := uint32(id % 100)
	return dense, dense >= 1 && int(dense) <= int(n)
}

func (n brandsOf) BrandIDs(account domain.AccountID) (ids []domain.BrandID) {
	for dense := range domain.BrandID(n) {
		ids = append(ids, domain.BrandID(account)*100+dense+1)
	}
	return ids
}

// storedOf is what the store has of one account, and what the test knows of it.
type storedOf struct {
	members []domain.MemberID
	rows    []domain.Row // living ones
	counted map[domain.Ordinal]domain.CountedAs
	places  []domain.VisitPlace
	lent    []domain.Ordinal
	removed uint64
}

// model is a shard's accounts beside a store.
type model struct {
	t        *testing.T
	rnd      *rand.Rand
	c        *children.Children
	view     *view.Holder
	accounts *Accounts
	resident atomic.Int64
	stats    Stats
	of       map[domain.AccountID]*storedOf
	seq      uint64
	next     int64
}

const (
	modelBrands = 7
	modelTime   = 20_000 * 86400
)

func (m *model) open() {
	m.view = &view.Holder{}
	m.accounts = New(Config{
		Brands: brandsOf(modelBrands), Children: m.c, View: m.view, Version: 1, Resident: &m.resident,
		Shards: 1, Places: 30, Stats: &m.stats,
	})
}

func (m *model) apply(c domain.Change) {
	m.t.Helper()
	if err := m.accounts.Apply(&c); err != nil {
		m.t.Fatal(err)
	}
}

// some is one of the accounts and what is stored of it.
func (m *model) some() (domain.AccountID, *storedOf) {
	id := domain.AccountID(1 + m.rnd.IntN(2))
	if m.of[id] == nil {
		m.of[id] = &storedOf{counted: map[domain.Ordinal]domain.CountedAs{}}
	}
	return id, m.of[id]
}

func (m *model) addMember() {
	id, s := m.some()
	if len(s.members) == 20 {
		return
	}
	member := domain.MemberIDOf(uint64(len(s.members)+1), domain.Slot(id))
	if ord := m.accounts.Add(id, member); int(ord) != len(s.members) {
		m.t.Fatalf("the ordinal is %d, want %d", ord, len(s.members))
	}
	s.members = append(s.members, member)
}

// addRows records actions of one brand, or visits, most of them at the end of the timeline.
func (m *model) addRows() {
	id, s := m.some()
	if len(s.members) == 0 {
		return
	}
	dense := min(m.rnd.IntN(modelBrands+1), m.rnd.IntN(modelBrands+1)) // small numbers more often
	for range 1 + m.rnd.IntN(150) {
		m.seq++
		r := domain.Row{
			Seq: m.seq, Account: id, Ord: domain.Ordinal(m.rnd.IntN(len(s.members))), Definition: 1, Service: domain.Spotify,
			Time: modelTime + uint32(m.seq) - m.rnd.Uint32N(500),
		}
		if dense > 0 {
			r.Brand = domain.BrandID(id)*100 + domain.BrandID(dense)
		}
		m.apply(domain.Change{Kind: domain.RowAdded, Row: r})
		s.rows = append(s.rows, r)
	}
}

// removeRow deletes an action.
func (m *model) removeRow() {
	id, s := m.some()
	if len(s.rows) == 0 {
		return
	}
	i := m.rnd.IntN(len(s.rows))
	m.apply(domain.Change{Kind: domain.RowTaken, Row: s.rows[i]})
	s.rows = slices.Delete(s.rows, i, i+1)
	if m.rnd.IntN(2) == 0 { // the other was superseded
		m.seq++
		s.removed = m.seq
		m.apply(domain.Change{Kind: domain.NoticePut, Value: &domain.Notice{Seq: m.seq, Account: id}})
	}
}

// eraseRows deletes a part of a member's rows, as a step of an erasure does; one that is dead already is no
// matter.
func (m *model) eraseRows() {
	_, s := m.some()
	if len(s.members) == 0 || m.rnd.IntN(4) > 0 {
		return
	}
	ord := domain.Ordinal(m.rnd.IntN(len(s.members)))
	var erased []domain.Row
	s.rows = slices.DeleteFunc(s.rows, func(r domain.Row) bool {
		if r.Ord != ord || m.rnd.IntN(3) == 0 {
			return false
		}
		erased = append(erased, r)
		return true
	})
	if len(erased) > 0 {
		dead := erased[0]
		dead.Flags |= domain.DeadFlags
		erased = append(erased, dead)
	}
	m.apply(domain.Change{Kind: domain.RowsErased, Value: &domain.ErasedRows{Rows: erased}})
}

// countRows has a member's rows count as another's, nowhere, or some of them nowhere.
func (m *model) countRows() {
	id, s := m.some()
	if len(s.members) < 3 {
		return
	}
	c := domain.CountedAs{Account: id, Ord: domain.Ordinal(m.rnd.IntN(len(s.members)))}
	if c.As = c.Ord; c.Ord > 1 && m.rnd.IntN(2) == 0 {
		c.As = domain.Ordinal(m.rnd.IntN(2)) // one that is no shadow
	}
	c.Hidden = m.rnd.IntN(3) == 0
	for _, r := range s.rows {
		if r.Ord != c.Ord {
			continue
		}
		c.Rows = append(c.Rows, r)
		if m.rnd.IntN(4) == 0 {
			c.Covered = append(c.Covered, r.Seq)
		}
	}
	slices.Sort(c.Covered)
	s.counted[c.Ord] = c
	m.apply(domain.Change{Kind: domain.RowsCounted, Value: &c})
}

// keepPlace has a visit keep its place.
func (m *model) keepPlace() {
	id, s := m.some()
	at, segment := invented(m.rnd), m.rnd.IntN(5) == 0
	_, fresh, _ := m.accounts.Of(id).Places.Keep(at, segment)
	for i := range fresh {
		fresh[i].Account = id
		m.apply(domain.Change{Kind: domain.VisitPlacePut, Value: &fresh[i]})
		s.places = append(s.places, fresh[i].VisitPlace)
	}
}

// lend marks a member as one who lends, which is for a start alone.
func (m *model) lend() {
	id, s := m.some()
	if len(s.members) == 0 {
		return
	}
	ord := domain.Ordinal(m.rnd.IntN(len(s.members)))
	if !slices.Contains(s.lent, ord) {
		s.lent = append(s.lent, ord)
		slices.Sort(s.lent)
	}
	m.apply(domain.Change{Kind: domain.BitPut, Value: &domain.Bit{Account: id, Ord: ord, Attribute: domain.AttrLent, On: true}})
}

// ask notes a question about a brand, and warms the brand where it is cold and there is room, with other
// operations between the reading and the return.
func (m *model) ask() {
	id, s := m.some()
	if m.accounts.byID[id] == nil {
		return
	}
	of := Cold{Account: id, Dense: uint32(1 + m.rnd.IntN(modelBrands))}
	m.accounts.Of(id).access.Note(of.Dense, time.Now())
	if !m.accounts.MakeRoom(of) {
		return
	}
	m.publish()
	r := m.accounts.Reload(of)
	if r == nil {
		m.t.Fatalf("brand %d is cold and cannot be read", of.Dense)
	}
	if again := m.accounts.Reload(of); again != nil {
		m.t.Fatal("a brand is read twice at once")
	}
	snapshot := snapshotOf{rows: slices.Clone(s.rows)}
	if m.rnd.IntN(2) == 0 {
		m.addRows()
		m.removeRow()
		m.countRows()
	}
	err := r.Read(snapshot)
	if m.rnd.IntN(5) == 0 {
		err = errors.New("on purpose")
	}
	m.accounts.Restore(r, err)
}

// snapshotOf is the store at a commit.
type snapshotOf struct {
	view.Snapshot
	rows []domain.Row
}

func (s snapshotOf) Close() error { return nil }

func (s snapshotOf) Rows(_ domain.AccountID, b domain.BrandID, _ domain.Range, f func([]domain.Row) error) error {
	var of []domain.Row
	for _, r := range s.rows {
		if r.Brand == b {
			of = append(of, r)
		}
	}
	return f(of)
}

// evict has columns fit into a budget, or lifts it.
func (m *model) evict() {
	m.resident.Store(int64(m.rnd.IntN(40_000)))
	m.accounts.Fit()
	if limit := m.resident.Load(); limit > 0 {
		m.evicted(limit)
	}
}

// evicted checks that no columns of a brand of its own take memory beyond the budget.
func (m *model) evicted(limit int64) {
	own := 0
	for _, a := range m.accounts.byID {
		a.table.Own(func(c *rows.Columns) {
			if !c.Cold() {
				own += c.Bytes()
			}
		})
	}
	if own > int(limit) {
		m.t.Fatalf("columns take %d bytes, %d are allowed", own, limit)
	}
}

// publish commits, and compares the view with the store.
func (m *model) publish() {
	m.next++
	m.accounts.Flush()
	m.accounts.Committed()
	m.accounts.Publish(m.next, nil, nil, snapshotOf{})
	if m.accounts.Changed() {
		m.t.Fatal("an account is still to be published")
	}
	full := int64(0)
	for _, a := range m.accounts.byID {
		if a.Places.Full() {
			full++
		}
	}
	if got := m.stats.PlacesFull.Load(); got != full {
		m.t.Fatalf("%d accounts have no room for places, want %d", got, full)
	}
	v := m.view.Acquire()
	defer v.Release()
	for id, s := range m.of {
		if v.Account(id) == nil {
			if len(s.members) > 0 || len(s.places) > 0 {
				m.t.Fatalf("account %d is not in the view", id)
			}
			continue
		}
		m.check(v.Account(id), id, s)
	}
}

// by is how many rows of a member count for a brand.
type by struct {
	dense uint32
	ord   domain.Ordinal
}

func (m *model) check(a *view.Account, id domain.AccountID, s *storedOf) {
	want, got := map[by]int{}, map[by]int{}
	for _, r := range s.rows {
		as := r.Ord
		if c, set := s.counted[r.Ord]; set {
			if _, covered := slices.BinarySearch(c.Covered, r.Seq); covered || c.Hidden {
				continue
			}
			as = c.As
		}
		want[by{uint32(r.Brand % 100), as}]++
	}
	for dense := range uint32(modelBrands + 1) {
		m.count(got, a.Rows, dense, id, s)
	}
	if !maps.Equal(got, want) {
		for k := range want {
			if got[k] != want[k] {
				m.t.Fatalf("account %d: %d rows of brand %d count for member %d, want %d (cold: %v)", id, got[k], k.dense, k.ord, want[k], a.Rows.Cold(k.dense))
			}
		}
		m.t.Fatalf("account %d: rows count that should not", id)
	}
	if a.Members.Members() != len(s.members) || !slices.Equal(a.Places, s.places) || a.Noticed != s.removed {
		m.t.Fatalf("account %d: %d members, %d places, the last notice %d, want %d, %d and %d",
			id, a.Members.Members(), len(a.Places), a.Noticed, len(s.members), len(s.places), s.removed)
	}
}

// count counts the rows of a brand one by one, those of a cold one as the view takes them from the store.
func (m *model) count(got map[by]int, v *rows.View, dense uint32, id domain.AccountID, s *storedOf) {
	add := func(ord uint32, living bool) {
		if living {
			got[by{dense, domain.Ordinal(ord)}]++
		}
	}
	v.Each(dense, func(set *rows.Set, small bool) {
		for _, r := range set.Runs {
			for i, o := range r.Chunk.Ord {
				add(o, !r.Deleted.Has(i) && (!small || r.Chunk.Brands[r.Chunk.BrandOf[i]] == dense))
			}
		}
		tail := set.TailAt(v.Seq)
		for i := range tail.Rows {
			add(tail.Rows[i].Ord, !tail.Deleted.Has(i) && (!small || tail.Brands[i] == dense))
		}
	})
	if len(v.Cold(dense)) == 0 {
		return
	}
	brand := domain.BrandID(0)
	if dense != rows.Visits {
		brand = domain.BrandID(id)*100 + domain.BrandID(dense)
	}
	for _, r := range s.rows {
		if r.Brand == brand && v.Holds(&r) {
			add(uint32(r.Ord), true)
		}
	}
}

// Bits, Columns, LastNotices, VisitPlaces and Rows are the store's at a start.
func (m *model) Bits(f func(domain.AccountID, domain.Attribute, string, []domain.Ordinal)) error {
	for id, s := range m.of {
		if len(s.lent) > 0 {
			f(id, domain.AttrLent, "", s.lent)
		}
	}
	return nil
}

func (m *model) Columns(func(domain.AccountID, domain.Attribute, domain.Ordinal, []uint16)) error {
	return nil
}

func (m *model) LastNotices(f func(domain.AccountID, uint64)) error {
	for id, s := range m.of {
		if s.removed > 0 {
			f(id, s.removed)
		}
	}
	return nil
}

func (m *model) VisitPlaces(f func(domain.NumberedPlace)) error {
	for id, s := range m.of {
		for i, at := range s.places {
			f(domain.NumberedPlace{Account: id, Number: uint32(i), VisitPlace: at})
		}
	}
	return nil
}

func (m *model) Rows(f func(domain.AccountID, domain.BrandID, []domain.Row) error) error {
	for id, s := range m.of {
		for _, brand := range append(brandsOf(modelBrands).BrandIDs(id), 0) {
			var of []domain.Row
			for _, r := range s.rows {
				if r.Brand == brand {
					of = append(of, r)
				}
			}
			slices.SortFunc(of, func(a, b domain.Row) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq)) })
			if err := f(id, brand, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// restart opens the accounts again from what is stored.
func (m *model) restart() {
	m.open()
	for id, s := range m.of {
		for _, member := range s.members {
			m.accounts.Add(id, member)
		}
		for _, c := range s.counted {
			m.accounts.Of(id).Counting().Set(c.Ord, rows.Counted{As: c.As, Hidden: c.Hidden, Covered: c.Covered})
		}
	}
	lent := map[domain.AccountID][]domain.Ordinal{}
	err := m.accounts.LoadAttributes(m, func(id domain.AccountID, ord domain.Ordinal) { lent[id] = append(lent[id], ord) })
	if err == nil {
		err = m.accounts.LoadRows(m, func() error { return nil })
	}
	if err != nil {
		m.t.Fatal(err)
	}
	for id, s := range m.of {
		if !slices.Equal(lent[id], s.lent) {
			m.t.Fatalf("account %d: %v lend, want %v", id, lent[id], s.lent)
		}
	}
}

// What a view has is what is stored, as it counts, whatever is applied: rows of many brands and of visits,
// deletions, erasures, merges; evictions under any budget, reloads of cold brands with changes in between,
// and starts.
func TestAccounts_ViewIsWhatIsStored(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	childrentest.Run(t, func(c *children.Children) {
		m := &model{t: t, c: c, rnd: rand.New(rand.NewPCG(seed, 1)), of: map[domain.AccountID]*storedOf{}}
		m.open()
		operations := []func(){
			m.addMember, m.addRows, m.addRows, m.addRows, m.removeRow, m.eraseRows, m.countRows, m.keepPlace, m.lend,
			m.ask, m.ask, m.evict, m.publish, m.publish,
		}
		for step := range 2500 {
			if step%400 == 399 {
				m.restart()
			}
			operations[m.rnd.IntN(len(operations))]()
		}
		m.publish()
		if m.stats.Evicted.Load() == 0 || m.stats.PlacesFull.Load() == 0 {
			t.Errorf("%d brands were evicted, %d accounts have no room for places: the test tries neither", m.stats.Evicted.Load(), m.stats.PlacesFull.Load())
		}
	})
}
