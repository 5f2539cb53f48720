package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// However many streams move with each commit, and wherever what they have come to stands,
// each reads as it moved last: in the shard, after it was opened again, and in an audit.
func TestOriginsAreWhereverTheyStandWhatMovedLast(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, streams := range []int{1, lateMost - 1, lateMost, lateMost + 1, 3 * lateMost} {
		fs := vfs.NewMem()
		s, sh := openSmall(t, fs, smallOptions(fs))
		want := map[[20]byte]domain.Origin{}
		for i := range 60 {
			var moved []domain.Origin
			for range r.IntN(streams + 1) {
				o := domain.Origin{Topic: topic(1 + byte(r.IntN(2))), Partition: int32(r.IntN((streams + 1) / 2)), Epoch: int32(r.IntN(3) - 1), Offset: r.Int64N(1 << 40)}
				moved = append(moved, o)
				want[originKey(o)] = o
			}
			ok(t, sh.Commit(domain.ShardState{Next: int64(i)}, moved))
			if r.IntN(10) == 0 {
				closeBoth(t, s, sh)
				s, sh = openSmall(t, fs, smallOptions(fs))
			}
			got := map[[20]byte]domain.Origin{}
			ok(t, sh.Origins(func(o domain.Origin) {
				if _, twice := got[originKey(o)]; twice {
					t.Fatalf("%d streams, commit %d: %v is told twice", streams, i, o)
				}
				got[originKey(o)] = o
			}))
			same(t, "origins", got, want)
		}
		closeBoth(t, s, sh)
	}
}

// Streams under keys of their own and streams in the state compare with each other.
func TestAnOriginUnderItsKeyIsComparedToo(t *testing.T) {
	const streams = lateMost + 8
	var all []domain.Origin
	for i := range streams {
		all = append(all, domain.Origin{Topic: topic(3), Partition: int32(i), Offset: int64(i)})
	}
	stores := map[string]*Store{}
	for name, first := range map[string]int{"under keys": streams, "in the state": 5} {
		s, sh := openSmall(t, vfs.NewMem(), smallOptions(vfs.NewMem()))
		ok(t, sh.Commit(domain.ShardState{Next: 1}, all[:first]))
		ok(t, sh.Commit(domain.ShardState{Next: 2}, all[first:]))
		ok(t, sh.Close())
		t.Cleanup(func() { ok(t, s.Close()) })
		stores[name] = s
	}
	have, replay := stores["under keys"], stores["in the state"]
	f, err := Compare(audit(t, have), audit(t, replay))
	nothingFound(t, "the same origins", f, err)

	key, other := appendOriginKey(nil, 2, topic(3), 7), domain.Origin{Topic: topic(3), Partition: 7, Offset: 8}
	ok(t, have.db.Set(key, appendOrigin(nil, other), pebble.Sync))
	f, err = Compare(audit(t, have), audit(t, replay))
	ok(t, err)
	expectFinding(t, "another offset", f, "z shard=2 origin")
	ok(t, have.db.Delete(key, pebble.Sync))
	f, err = Compare(audit(t, have), audit(t, replay))
	ok(t, err)
	if len(f.First) != 1 || f.First[0].What != missing {
		t.Errorf("%+v", f.First)
	}
	f, err = Compare(audit(t, replay), audit(t, have))
	ok(t, err)
	if len(f.First) != 1 || f.First[0].What != unexpected {
		t.Errorf("%+v", f.First)
	}
}
