package store

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// checkMembers compares records read together, some of members that there are not, with the model.
func checkMembers(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	for account := range domain.AccountID(3) {
		got, want := map[domain.Ordinal]*domain.Member{}, map[domain.Ordinal]*domain.Member{}
		var ords []domain.Ordinal
		for at, x := range m.Members {
			if at.Account == account && at.Ord%3 > 0 {
				ords, want[at.Ord] = append(ords, at.Ord), x
			}
		}
		ords = append(ords, 70_000, 70_001)
		slices.Sort(ords)
		check.OK(t, s.Set.Members(account, ords, func(x *domain.Member) { got[x.Ord] = x }))
		check.Same(t, "members read together", got, want)
	}
}

// BenchmarkMembers reads the records of 125 of 2,000 members, together and one by one.
func BenchmarkMembers(b *testing.B) {
	fs := vfs.NewMem()
	s, sh := openSmall(b, fs, Options{FS: fs})
	var changes []domain.Change
	for i := range domain.Ordinal(2000) {
		changes = append(changes, domain.Change{Kind: domain.MemberPut, Value: &domain.Member{
			ID: domain.MemberIDOf(uint64(i)+1, 1), Account: 1, Ord: i, State: domain.MemberActive,
			Profile:  domain.Fields{{Field: domain.Country, Value: "SE"}},
			Personal: domain.PersonalPart{Sealed: domain.Sealed{Key: domain.KeyID{1}, Data: string(make([]byte, 200))}},
			Services: []domain.ServiceRecord{{ID: 5, Service: domain.Spotify}},
		}})
	}
	check.OK(b, sh.Stage(changes))
	check.OK(b, sh.Commit(domain.ShardState{Next: 1}, nil))
	check.OK(b, s.db.Flush())
	snap := sh.Snapshot()
	var ords []domain.Ordinal
	for i := range domain.Ordinal(125) {
		ords = append(ords, i*16)
	}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			check.OK(b, snap.Members(1, ords, func(*domain.Member) {}))
		}
	})
	b.Run("singly", func(b *testing.B) {
		for b.Loop() {
			for _, ord := range ords {
				_, err := snap.Member(1, ord)
				check.OK(b, err)
			}
		}
	})
	check.OK(b, snap.Close())
	closeBoth(b, s, sh)
}
