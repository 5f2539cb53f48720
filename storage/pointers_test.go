package storage

import (
	"cmp"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// checkPointers looks up the earliest of each hash, and claims of a snapshot.
func (m *model) checkPointers(t *testing.T, s *Shard) {
	t.Helper()
	snap := s.Snapshot()
	defer func() { ok(t, snap.Close()) }()
	for h := range byte(40) {
		hash := domain.IdentityHash{h}
		var first *domain.Pointer
		for p := range m.pointers {
			if p.Hash == hash && (first == nil || cmp.Or(cmp.Compare(p.Created, first.Created), cmp.Compare(p.Member, first.Member)) < 0) {
				first = &p
			}
		}
		var want domain.MemberID
		if first != nil {
			want = first.Member
		}
		if got := must[domain.MemberID](t)(snap.Earliest(1, hash)); got != want {
			t.Fatalf("pointer %v leads to %d, want %d", hash, got, want)
		}
		held, found, err := snap.Identity(1, hash)
		if wanted, there := m.identities[hash]; err != nil || found != there || held != wanted {
			t.Fatalf("identity %v of a snapshot is %+v %v %v, want %+v", hash, held, found, err, wanted)
		}
	}
}
