package store

import (
	"cmp"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// checkPointers looks up the earliest and all of each hash, and claims of a snapshot.
func checkPointers(t *testing.T, m *storetest.Model, s *Shard) {
	t.Helper()
	snap := s.Snapshot()
	defer func() { check.OK(t, snap.Close()) }()
	for h := range byte(40) {
		hash := domain.IdentityHash{h}
		var all []domain.Pointer
		for p := range m.Pointers {
			if p.Hash == hash {
				all = append(all, p)
			}
		}
		slices.SortFunc(all, func(a, b domain.Pointer) int {
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Member, b.Member))
		})
		var want domain.MemberID
		if len(all) > 0 {
			want = all[0].Member
		}
		if got := check.Must[domain.MemberID](t)(snap.Earliest(1, hash)); got != want {
			t.Fatalf("pointer %v leads to %d, want %d", hash, got, want)
		}
		n := 0
		check.OK(t, snap.Pointed(1, hash, func(id domain.MemberID) {
			if n >= len(all) || all[n].Member != id {
				t.Fatalf("pointer %v leads to %d at place %d, want %+v", hash, id, n, all)
			}
			n++
		}))
		if n != len(all) {
			t.Fatalf("pointer %v leads to %d members, want %+v", hash, n, all)
		}
		held, found, err := snap.Identity(1, hash)
		if wanted, there := m.Identities[hash]; err != nil || found != there || held != wanted {
			t.Fatalf("identity %v of a snapshot is %+v %v %v, want %+v", hash, held, found, err, wanted)
		}
	}
}
