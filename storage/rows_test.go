package storage

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// brandRows are the model's living rows of each brand, as the store gives them.
func (m *model) brandRows() map[[2]uint32][]domain.Row {
	out := map[[2]uint32][]domain.Row{}
	for _, r := range m.rows {
		if !r.row.Flags.Dead() {
			k := [2]uint32{uint32(r.row.Account), uint32(r.row.Brand)}
			row := r.row
			row.Hash, row.Slot, row.Flags = 0, 0, 0
			out[k] = append(out[k], row)
		}
	}
	for _, rows := range out {
		sortRows(rows)
	}
	return out
}

func byTime(a, b domain.Row) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq))
}

func sortRows(rows []domain.Row) { slices.SortFunc(rows, byTime) }

func (m *model) checkRows(t *testing.T, s *Shard) {
	t.Helper()
	want := m.brandRows()
	got := map[[2]uint32][]domain.Row{}
	ok(t, s.Rows(func(a domain.AccountID, b domain.BrandID, rows []domain.Row) error {
		if !slices.IsSortedFunc(rows, byTime) {
			t.Fatal("rows are not in order of (time, sequence)")
		}
		got[[2]uint32{uint32(a), uint32(b)}] = append(got[[2]uint32{uint32(a), uint32(b)}], rows...)
		return nil
	}))
	for _, rows := range got {
		sortRows(rows)
	}
	same(t, "rows", got, want)

	snap := s.Snapshot()
	defer func() { ok(t, snap.Close()) }()
	for k, rows := range want {
		middle := rows[len(rows)/2].Time
		for _, r := range []domain.Range{
			{From: middle, To: middle + 1},
			{From: middle - 3600, To: middle},
			{From: middle - 5*86400, To: middle + 7200},
			{From: middle, To: middle + 40*86400},
			{From: rows[0].Time, To: rows[len(rows)-1].Time},
			always,
		} {
			checkRange(t, snap, k, rows, r)
		}
		m.checkSearch(t, snap, k, rows)
	}
	m.checkReader(t, snap, always)
	for _, rows := range want {
		m.checkReader(t, snap, domain.Range{From: rows[0].Time, To: rows[len(rows)/2].Time + 1})
		break
	}
	m.checkContents(t, snap)
	m.checkMemberRows(t, snap)
}

// checkRange compares a brand's rows of a range with those of the rows that are in it.
func checkRange(t *testing.T, snap *Snapshot, k [2]uint32, rows []domain.Row, r domain.Range) {
	t.Helper()
	var got, want []domain.Row
	ok(t, snap.Rows(domain.AccountID(k[0]), domain.BrandID(k[1]), r, func(rows []domain.Row) error {
		if !slices.IsSortedFunc(rows, byTime) {
			t.Fatal("a snapshot's rows are not in order of (time, sequence)")
		}
		got = append(got, rows...)
		return nil
	}))
	inMonths := uint64(0)
	for _, x := range rows {
		if x.Time >= r.From && x.Time < r.To {
			want = append(want, x)
		}
		if month := domain.MonthOf(x.Time); r.From < r.To && month >= domain.MonthOf(r.From) && month <= domain.MonthOf(r.To-1) {
			inMonths++
		}
	}
	sortRows(got)
	same(t, "rows of a range", got, want)
	if n := must[uint64](t)(snap.Count(domain.AccountID(k[0]), domain.BrandID(k[1]), r)); n != inMonths {
		t.Fatalf("brand %v: %d rows counted, want %d", k, n, inMonths)
	}
}

// checkLiving compares what is read of a value for some ranges with its rows that are in
// them.
func checkLiving(t *testing.T, r *rand.Rand, v []byte, rows []action) {
	t.Helper()
	k := brandMonth{1, 3, 600}
	var c rowCodec
	for range 4 {
		in := always
		if len(rows) > 0 {
			in = domain.Range{From: rows[r.IntN(len(rows))].time, To: rows[r.IntN(len(rows))].time + domain.Second(r.IntN(2))}
		}
		want, got := map[domain.Row]int{}, map[domain.Row]int{}
		for i := range rows {
			if rows[i].time >= in.From && rows[i].time < in.To {
				want[rows[i].row(k)]++
			}
		}
		ok(t, c.living(v, k, in, func(some []domain.Row) error {
			if len(some) == 0 || len(some) > stripe || !slices.IsSortedFunc(some, byTime) {
				t.Fatalf("%d rows at a time, in order %v", len(some), slices.IsSortedFunc(some, byTime))
			}
			for _, x := range some {
				got[x]++
			}
			return nil
		}))
		same(t, fmt.Sprintf("rows of %v", in), got, want)
	}
}
