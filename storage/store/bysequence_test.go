package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// checkAction finds a row by its sequence, which is its member's alone.
func checkAction(t *testing.T, s *Shard, r domain.Row) {
	t.Helper()
	if got, found, err := s.Action(r.Account, r.Ord, r.Seq); err != nil || !found || got != r {
		t.Fatalf("row %+v asked for by its sequence is %+v %v %v", r, got, found, err)
	}
	for _, other := range []domain.Row{
		{Account: r.Account, Ord: r.Ord + 1, Seq: r.Seq}, {Account: 3 - r.Account, Ord: r.Ord, Seq: r.Seq}, {Account: r.Account, Ord: r.Ord, Seq: r.Seq + 1<<40},
	} {
		if got, found, err := s.Action(other.Account, other.Ord, other.Seq); err != nil || found {
			t.Fatalf("sequence %d of member %d of account %d is %+v %v", other.Seq, other.Ord, other.Account, got, err)
		}
	}
}

// BenchmarkAction looks for actions by their ids alone where the account has rows of
// five years: one of the newest month, one of the oldest, and one that is not there.
func BenchmarkAction(b *testing.B) {
	const members, months, rows = 5_000, 60, 600_000
	s, err := Open("store", Options{FS: vfs.NewMem(), CacheBytes: 64 << 20})
	check.OK(b, err)
	sh := check.Must[*Shard](b)(s.Shard(2))
	for m := range members {
		check.OK(b, sh.Stage([]domain.Change{{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(uint64(m+1), 3), Account: 1, Ord: domain.Ordinal(m)}}}))
	}
	row := func(seq uint64) domain.Row {
		month := domain.Month(600) + domain.Month(seq*months/(rows+1))
		return domain.Row{Hash: seq * 77, Seq: seq, Account: 1, Ord: domain.Ordinal(seq % members), Time: month.Start() + domain.Second(seq%2_000_000), Brand: 1, Definition: 100, Slot: 3}
	}
	for seq := uint64(1); seq <= rows; seq++ {
		check.OK(b, sh.Stage([]domain.Change{{Kind: domain.RowAdded, Row: row(seq)}}))
		if seq%1000 == 0 {
			check.OK(b, sh.Commit(domain.ShardState{Next: int64(seq), Sequence: seq}, nil))
		}
	}
	for name, seq := range map[string]uint64{"newest": rows - 70_000, "oldest": 17, "none": rows + 1} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, found, err := sh.Action(1, domain.Ordinal(seq%members), seq); err != nil || found != (seq <= rows) {
					b.Fatal(found, err)
				}
			}
		})
	}
	closeBoth(b, s, sh)
}
