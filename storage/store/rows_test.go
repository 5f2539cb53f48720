package store

import (
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

func checkRows(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	want := m.BrandRows()
	got := map[[2]uint32][]domain.Row{}
	check.OK(t, s.Rows(func(a domain.AccountID, b domain.BrandID, rows []domain.Row) error {
		if !slices.IsSortedFunc(rows, storetest.ByTime) {
			t.Fatal("rows are not in order of (time, sequence)")
		}
		got[[2]uint32{uint32(a), uint32(b)}] = append(got[[2]uint32{uint32(a), uint32(b)}], rows...)
		return nil
	}))
	for _, rows := range got {
		storetest.SortRows(rows)
	}
	check.Same(t, "rows", got, want)

	snap := s.Snapshot()
	defer func() { check.OK(t, snap.Close()) }()
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
		checkSearch(t, m, snap, k, rows)
	}
	checkReader(t, m, snap, always)
	for _, rows := range want {
		checkReader(t, m, snap, domain.Range{From: rows[0].Time, To: rows[len(rows)/2].Time + 1})
		break
	}
	checkContents(t, m, snap)
	checkMemberRows(t, m, snap)
}

// checkRange compares a brand's rows of a range with those of the rows that are in it.
func checkRange(t *testing.T, snap *Snapshot, k [2]uint32, rows []domain.Row, r domain.Range) {
	t.Helper()
	var got, want []domain.Row
	check.OK(t, snap.Rows(domain.AccountID(k[0]), domain.BrandID(k[1]), r, func(rows []domain.Row) error {
		if !slices.IsSortedFunc(rows, storetest.ByTime) {
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
	storetest.SortRows(got)
	check.Same(t, "rows of a range", got, want)
	if n := check.Must[uint64](t)(snap.Count(domain.AccountID(k[0]), domain.BrandID(k[1]), r)); n != inMonths {
		t.Fatalf("brand %v: %d rows counted, want %d", k, n, inMonths)
	}
}
