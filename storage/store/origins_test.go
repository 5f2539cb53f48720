package store

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// Each origin reads as its last commit left it, in the shard, after a reopen and in an audit,
// however many origins a commit advances and wherever their progress is stored.
func TestOrigins_ReadAsTheyMovedLast(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, streams := range []int{1, format.MaxRecentOrigins - 1, format.MaxRecentOrigins, format.MaxRecentOrigins + 1, 3 * format.MaxRecentOrigins} {
		fs := vfs.NewMem()
		s, sh := openSmall(t, fs, smallOptions(fs))
		want := map[[20]byte]domain.Origin{}
		for i := range 60 {
			var moved []domain.Origin
			for range r.IntN(streams + 1) {
				o := domain.Origin{Topic: domain.TopicID{1 + byte(r.IntN(2))}, Partition: int32(r.IntN((streams + 1) / 2)), Epoch: int32(r.IntN(3) - 1), Offset: r.Int64N(1 << 40)}
				moved = append(moved, o)
				want[storetest.OriginKey(o)] = o
			}
			check.OK(t, sh.Commit(domain.ShardState{Next: int64(i)}, moved))
			if r.IntN(10) == 0 {
				closeBoth(t, s, sh)
				s, sh = openSmall(t, fs, smallOptions(fs))
			}
			got := map[[20]byte]domain.Origin{}
			check.OK(t, sh.Origins(func(o domain.Origin) {
				if _, twice := got[storetest.OriginKey(o)]; twice {
					t.Fatalf("%d streams, commit %d: %v is told twice", streams, i, o)
				}
				got[storetest.OriginKey(o)] = o
			}))
			check.Same(t, "origins", got, want)
		}
		closeBoth(t, s, sh)
	}
}

// Streams under keys of their own and streams in the state compare with each other.
func TestCompare_OriginsUnderKeys(t *testing.T) {
	const streams = format.MaxRecentOrigins + 8
	var all []domain.Origin
	for i := range streams {
		all = append(all, domain.Origin{Topic: domain.TopicID{3}, Partition: int32(i), Offset: int64(i)})
	}
	stores := map[string]*Store{}
	for name, first := range map[string]int{"under keys": streams, "in the state": 5} {
		s, sh := openSmall(t, vfs.NewMem(), smallOptions(vfs.NewMem()))
		check.OK(t, sh.Commit(domain.ShardState{Next: 1}, all[:first]))
		check.OK(t, sh.Commit(domain.ShardState{Next: 2}, all[first:]))
		check.OK(t, sh.Close())
		t.Cleanup(func() { check.OK(t, s.Close()) })
		stores[name] = s
	}
	have, replay := stores["under keys"], stores["in the state"]
	f, err := audit.Compare(auditOf(t, have), auditOf(t, replay))
	nothingFound(t, "the same origins", f, err)

	key, other := format.AppendOriginKey(nil, 2, domain.TopicID{3}, 7), domain.Origin{Topic: domain.TopicID{3}, Partition: 7, Offset: 8}
	check.OK(t, have.db.Set(key, format.AppendOrigin(nil, other), pebble.Sync))
	f, err = audit.Compare(auditOf(t, have), auditOf(t, replay))
	check.OK(t, err)
	expectFinding(t, "another offset", f, "z shard=2 origin")
	check.OK(t, have.db.Delete(key, pebble.Sync))
	f, err = audit.Compare(auditOf(t, have), auditOf(t, replay))
	check.OK(t, err)
	if len(f.First) != 1 || f.First[0].What != "missing" {
		t.Errorf("%+v", f.First)
	}
	f, err = audit.Compare(auditOf(t, replay), auditOf(t, have))
	check.OK(t, err)
	if len(f.First) != 1 || f.First[0].What != "not in the replay" {
		t.Errorf("%+v", f.First)
	}
}
