package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// checkMemberRows reads rows member by member: they must be those of the brands.
func checkMemberRows(t *testing.T, m *storetest.Model, snap *Snapshot) {
	t.Helper()
	want := map[format.Place][]domain.Row{}
	for _, rows := range m.BrandRows() {
		for _, r := range rows {
			want[format.Place{Account: r.Account, Ord: r.Ord}] = append(want[format.Place{Account: r.Account, Ord: r.Ord}], r)
		}
	}
	for p := range m.Members {
		rows := want[p]
		storetest.SortRows(rows)
		all := domain.Range{To: 1<<32 - 1}
		check.Same(t, "rows of a member", memberRows(t, snap, p, all), rows)
		if len(rows) == 0 {
			continue
		}
		part := domain.Range{From: rows[len(rows)/2].Time, To: rows[len(rows)/2].Time + 40*86400}
		inside := slices.DeleteFunc(slices.Clone(rows), func(x domain.Row) bool {
			return domain.MonthOf(x.Time) < domain.MonthOf(part.From) || domain.MonthOf(x.Time) > domain.MonthOf(part.To-1)
		})
		check.Same(t, "rows of a member in a range", memberRows(t, snap, p, part), inside)
	}
	check.Same(t, "rows of nobody", memberRows(t, snap, format.Place{Account: 1, Ord: 1 << 20}, domain.Range{To: 1<<32 - 1}), []domain.Row(nil))
	check.Same(t, "rows of no time", memberRows(t, snap, format.Place{Account: 1, Ord: 0}, domain.Range{From: 9, To: 9}), []domain.Row(nil))
}

func memberRows(t *testing.T, snap *Snapshot, p format.Place, r domain.Range) (all []domain.Row) {
	t.Helper()
	check.OK(t, snap.MemberRows(p.Account, p.Ord, r, func(rows []domain.Row) {
		if !slices.IsSortedFunc(rows, storetest.ByTime) {
			t.Fatal("a member's rows are not in order of (time, sequence)")
		}
		all = append(all, rows...)
	}))
	return all
}

// BenchmarkMemberRows reads one member's rows of a shard with 1 M rows of 25,000 members
// over half a year, by a snapshot that has read its tail and by a new one.
func BenchmarkMemberRows(b *testing.B) {
	const members, days = 25_000, 180
	_, sh := benchShard(b, members, Options{})
	c := newAudience(members, 10_000)
	for i := range 100 {
		check.OK(b, sh.Stage(c.next(10_000, days*86400/100)))
		check.OK(b, sh.Commit(domain.ShardState{Next: int64(i + 2)}, nil))
	}
	for _, span := range []domain.Second{7, 90, days} {
		in := domain.Range{From: c.now - span*86400, To: c.now}
		read := func(b *testing.B, s *Snapshot) {
			rows := 0
			if err := s.MemberRows(1, 1000, in, func(r []domain.Row) { rows += len(r) }); err != nil || rows == 0 {
				b.Fatal(rows, err)
			}
		}
		for _, fresh := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dd/fresh=%v", span, fresh), func(b *testing.B) {
				b.ReportAllocs()
				s := sh.Snapshot()
				for b.Loop() {
					if fresh {
						_ = s.Close()
						s = sh.Snapshot()
					}
					read(b, s)
				}
				_ = s.Close()
			})
		}
	}
}
