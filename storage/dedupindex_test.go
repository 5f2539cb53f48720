package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

func TestFilterNeverForgets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	f := newFilter(0)
	var in []uint64
	for range 20000 { // grows many times
		x := mix(domain.AccountID(r.IntN(3)), domain.Ordinal(r.IntN(1000)), r.Uint64())
		f.add(x)
		in = append(in, x)
	}
	for _, x := range in {
		if !f.maybe(x) {
			t.Fatal("a row is forgotten")
		}
	}
	wrong := 0
	for range 100000 {
		if f.maybe(mix(1, 1, r.Uint64())) {
			wrong++
		}
	}
	if wrong > len(f.parts)*70/10 {
		t.Errorf("%d of 100000 are maybe there", wrong)
	}
	if len(f.parts) < 2 || f.bytes() > 20000*filterBits/8*3 {
		t.Errorf("%d parts, %d bytes", len(f.parts), f.bytes())
	}
}

func TestAFilterThatGrewLargeIsLittleLargerThanItsRows(t *testing.T) {
	f, rows := newFilter(50_000), 0
	for ; rows < 3*filterMuch; rows++ {
		f.add(uint64(rows) * 0x9e3779b97f4a7c15)
	}
	if most := rows*filterBits/8*3/2 + 1<<20; f.bytes() > most || len(f.parts) > 9 {
		t.Errorf("%d rows: %d parts, %d bytes", rows, len(f.parts), f.bytes())
	}
}

// TestLateRowsAreSeenWithAndWithoutFilters spreads rows over many months and asks for
// them until old months get filters, which the budget drops again.
func TestLateRowsAreSeenWithAndWithoutFilters(t *testing.T) {
	fs := vfs.NewMem()
	o := smallOptions(fs)
	o.SealRows = 500
	s, sh := openSmall(t, fs, o)
	check.OK(t, sh.Stage([]domain.Change{
		{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(1, 3), Account: 1}},
		{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(2, 3), Account: 1, Ord: 1}},
	}))
	r := rand.New(rand.NewPCG(2, 9))
	newest := domain.Month(650)
	var rows []domain.Row
	most := 0
	for round := range 12 {
		for range 300 {
			m := newest - domain.Month(r.IntN(12))
			row := domain.Row{Hash: r.Uint64(), Seq: uint64(len(rows) + 1), Account: 1, Ord: domain.Ordinal(r.IntN(2)), Time: m.Start() + domain.Second(r.IntN(28*86400)), Brand: 4, Slot: 3}
			at := func(r *domain.Row) domain.RepeatMonths {
				return domain.RepeatMonthsOf(r.Time, int64(newest.Start())*1000)
			}
			if _, seen, err := sh.Seen(1, row.Ord, at(&row), row.Hash); seen || err != nil {
				t.Fatalf("a new row is seen: %v", err)
			}
			check.OK(t, sh.Stage([]domain.Change{{Kind: domain.RowAdded, Row: row}}))
			rows = append(rows, row)
			old := rows[r.IntN(len(rows))]
			if got, seen, err := sh.Seen(1, old.Ord, at(&old), old.Hash); !seen || err != nil || got != old {
				t.Fatalf("round %d: row %+v is %+v %v %v", round, old, got, seen, err)
			}
			if _, seen, _ := sh.Seen(1, old.Ord^1, at(&old), old.Hash); seen {
				t.Fatal("the other member's row is seen")
			}
			most = max(most, len(sh.line.filters))
		}
		check.OK(t, sh.Commit(domain.ShardState{Next: int64(round)}, nil))
	}
	check.Same(t, "facts", check.Must[[16]byte](t)(sh.Recompute()), sh.State().Facts)
	old := 0
	for i := range sh.line.filters {
		if f := &sh.line.filters[i]; !sh.line.recent(f.month) {
			old += f.bytes()
		}
	}
	if most < 4 || old > o.FilterBytes+4096 {
		t.Errorf("at most %d filters, %d bytes of old ones", most, old)
	}
	closeBoth(t, s, sh)
}

// TestBusyMemberIsSealedInOrder: one member with more rows than a tail holds, in
// order of time backwards.
func TestBusyMemberIsSealedInOrder(t *testing.T) {
	fs := vfs.NewMem()
	o := smallOptions(fs)
	o.SealRows = 20000
	s, sh := openSmall(t, fs, o)
	check.OK(t, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(1, 3), Account: 1}}}))
	start := domain.Month(650).Start()
	changes := make([]domain.Change, 25000)
	for i := range changes {
		changes[i] = domain.Change{Kind: domain.RowAdded, Row: domain.Row{Hash: uint64(i), Seq: uint64(len(changes) - i), Account: 1, Time: start + domain.Second((len(changes)-i)/3)}}
	}
	check.OK(t, sh.Stage(changes))
	check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
	var marks []format.Action
	check.OK(t, scanMonths(s.db, format.FamilyTimeline, 2, 650, 650, func(k, v []byte) (err error) {
		marks, err = format.AppendActions(marks, v, format.AccountMonth{Account: 1, Month: 650})
		return err
	}))
	if len(marks) != len(changes) {
		t.Fatalf("%d marks", len(marks))
	}
	for i := 1; i < len(marks); i++ {
		if !marks[i-1].Before(&marks[i]) {
			t.Fatalf("mark %d is out of order", i)
		}
	}
	closeBoth(t, s, sh)
}
