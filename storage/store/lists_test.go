package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// Within one commit and over several, a change of a list takes what was put before it and leaves what is put after it; of
// other lists and shards it takes nothing.
func TestFollowedList_DropsInOrder(t *testing.T) {
	const last, most = 1<<32 - 1, 1<<64 - 1
	put := func(account domain.AccountID, segment domain.SegmentID, sequences ...uint64) (out []domain.Change) {
		for _, q := range sequences {
			out = append(out, domain.Change{Kind: domain.MembershipPut, Value: &domain.Membership{
				Seq: q, Account: account, Segment: segment, Member: 7, Entered: true, At: int64(q >> 1),
			}})
		}
		return out
	}
	list := func(kind domain.ChangeKind, gone uint64) []domain.Change {
		return []domain.Change{{Kind: kind, Value: &domain.FollowedList{Account: 1, Segment: last, Version: 3, Gone: gone}}}
	}
	for name, c := range map[string]struct {
		change []domain.Change
		left   []uint64
		listed int
	}{
		"nothing is gone":        {list(domain.FollowedPut, 0), []uint64{1, 2, 3, most}, 1},
		"up to one":              {list(domain.FollowedPut, 2), []uint64{3, most}, 1},
		"up to all but one":      {list(domain.FollowedPut, most-1), []uint64{most}, 1},
		"all":                    {list(domain.FollowedPut, most), nil, 1},
		"dropped":                {list(domain.FollowedDrop, 0), nil, 0},
		"dropped, not up to one": {list(domain.FollowedDrop, 2), nil, 0},
		"after it":               {append(list(domain.FollowedPut, most), put(1, last, 3, 5)...), []uint64{3, 5}, 1},
		"after a drop":           {append(list(domain.FollowedDrop, 0), put(1, last, 4)...), []uint64{4}, 0},
		"dropped after it":       {append(list(domain.FollowedPut, 2), list(domain.FollowedDrop, 0)...), nil, 0},
		"put after a drop":       {append(list(domain.FollowedDrop, 0), list(domain.FollowedPut, 0)...), nil, 1},
	} {
		for _, commits := range []int{1, 2} {
			fs := vfs.NewMem()
			s, sh := openSmall(t, fs, smallOptions(fs))
			beside := check.Must[*Shard](t)(s.Shard(3))
			check.OK(t, beside.Stage(put(1, last, 1, 2)))
			check.OK(t, beside.Commit(domain.ShardState{Next: 1}, nil))

			before := append(list(domain.FollowedPut, 0), put(1, last, 1, 2, 3, most)...)
			before = append(before, put(1, last-1, 1, most)...)
			before = append(before, put(2, 0, 1, 2)...)
			check.OK(t, sh.Stage(before))
			if commits == 2 {
				check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
			}
			check.OK(t, sh.Stage(c.change))
			check.OK(t, sh.Commit(domain.ShardState{Next: 2}, nil))

			check.Same(t, name, sequencesOf(t, sh, 1, last), c.left)
			check.Same(t, name+": the list before", sequencesOf(t, sh, 1, last-1), []uint64{1, most})
			check.Same(t, name+": the list behind", sequencesOf(t, sh, 2, 0), []uint64{1, 2})
			check.Same(t, name+": another shard's", sequencesOf(t, beside, 1, last), []uint64{1, 2})
			listed := 0
			check.OK(t, sh.FollowedLists(func(*domain.FollowedList) { listed++ }))
			check.Same(t, name+": lists", listed, c.listed)
			check.OK(t, beside.Close())
			closeBoth(t, s, sh)
		}
	}
}

// sequencesOf are those of a list's memberships, by a snapshot.
func sequencesOf(t *testing.T, s *Shard, account domain.AccountID, segment domain.SegmentID) (out []uint64) {
	t.Helper()
	snapshot := s.Snapshot()
	check.OK(t, snapshot.Memberships(account, segment, 0, func(m *domain.Membership) bool {
		out = append(out, m.Seq)
		return true
	}))
	check.OK(t, snapshot.Close())
	return out
}
