package storage

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// checkMemberRows reads rows member by member: they must be those of the brands.
func checkMemberRows(t *testing.T, m *model, snap *Snapshot) {
	t.Helper()
	want := map[place][]domain.Row{}
	for _, rows := range m.brandRows() {
		for _, r := range rows {
			want[place{r.Account, r.Ord}] = append(want[place{r.Account, r.Ord}], r)
		}
	}
	for p := range m.members {
		rows := want[p]
		sortRows(rows)
		all := domain.Range{To: 1<<32 - 1}
		same(t, "rows of a member", memberRows(t, snap, p, all), rows)
		if len(rows) == 0 {
			continue
		}
		part := domain.Range{From: rows[len(rows)/2].Time, To: rows[len(rows)/2].Time + 40*86400}
		inside := slices.DeleteFunc(slices.Clone(rows), func(x domain.Row) bool {
			return domain.MonthOf(x.Time) < domain.MonthOf(part.From) || domain.MonthOf(x.Time) > domain.MonthOf(part.To-1)
		})
		same(t, "rows of a member in a range", memberRows(t, snap, p, part), inside)
	}
	same(t, "rows of nobody", memberRows(t, snap, place{1, 1 << 20}, domain.Range{To: 1<<32 - 1}), []domain.Row(nil))
	same(t, "rows of no time", memberRows(t, snap, place{1, 0}, domain.Range{From: 9, To: 9}), []domain.Row(nil))
}

func memberRows(t *testing.T, snap *Snapshot, p place, r domain.Range) (all []domain.Row) {
	t.Helper()
	ok(t, snap.MemberRows(p.account, p.ord, r, func(rows []domain.Row) {
		if !slices.IsSortedFunc(rows, byTime) {
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
	c := newCrowd(members, 10_000)
	for i := range 100 {
		ok(b, sh.Stage(c.next(10_000, days*86400/100)))
		ok(b, sh.Commit(domain.ShardState{Next: int64(i + 2)}, nil))
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
