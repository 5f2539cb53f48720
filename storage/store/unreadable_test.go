package store

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// answer is what a question got, and the error with which it ended.
type answer struct {
	got any
	err error
}

// answers asks a shard for all that the model has, by the way in which it is asked.
func answers(m *storetest.Model, sh *Shard) map[string]answer {
	snap := sh.Snapshot()
	always := domain.Range{To: 1<<32 - 1}
	out := map[string]answer{}
	ask := func(name string, f func() (any, error)) {
		got, err := f()
		out[name] = answer{got, errors.Join(out[name].err, err)}
	}
	var rows []domain.Row
	for _, seq := range slices.Sorted(maps.Keys(m.Rows)) {
		rows = append(rows, m.Rows[seq].Row)
	}
	brands, words := map[[2]uint32][]domain.Row{}, map[[2]uint32]map[uint64]bool{}
	counts := map[[2]uint32]uint64{}
	for k := range m.BrandRows() {
		account, brand := domain.AccountID(k[0]), domain.BrandID(k[1])
		ask("rows", func() (any, error) {
			return brands, snap.Rows(account, brand, always, func(r []domain.Row) error {
				brands[k] = append(brands[k], r...)
				return nil
			})
		})
		ask("count", func() (_ any, err error) {
			counts[k], err = snap.Count(account, brand, always)
			return counts, err
		})
		ask("search", func() (any, error) {
			words[k] = map[uint64]bool{}
			sought := wordSought('3')
			sought.Found = func(seq uint64, _ []byte, _ domain.Range) { words[k][seq] = true }
			return words, snap.Search(account, brand, always, sought)
		})
	}
	members, places := map[format.Place][]domain.Row{}, slices.Collect(maps.Keys(m.Members))
	past, found := map[format.Place][]domain.Row{}, map[format.Place]*domain.Member{}
	for _, at := range places {
		ask("rows of members", func() (any, error) {
			return members, snap.MemberRows(at.Account, at.Ord, always, func(r []domain.Row) { members[at] = slices.Clone(r) })
		})
		ask("past", func() (_ any, err error) {
			past[at], err = sh.Past(at.Account, at.Ord)
			return past, err
		})
		ask("members", func() (_ any, err error) {
			found[at], err = snap.Member(at.Account, at.Ord)
			return found, err
		})
	}
	ask("contents", func() (any, error) { return snap.Contents(rows) })
	var living []domain.Row
	ask("living rows", func() (any, error) {
		err := sh.Rows(func(_ domain.AccountID, _ domain.BrandID, r []domain.Row) error {
			living = append(living, r...)
			return nil
		})
		return living, err
	})
	ask("state hash", func() (any, error) { return sh.Recompute() })
	out["closed"] = answer{nil, snap.Close()}
	return out
}

// audited is whether an audit of a store finds or meets anything, and the error that it met.
func audited(t *testing.T, have, replay *Store) (found bool, err error) {
	t.Helper()
	a, err := have.Audit(2, nil)
	if err != nil {
		return false, err
	}
	defer func() { check.OK(t, a.Close()) }()
	f, err := audit.Compare(a, auditOf(t, replay))
	g, alone := a.Consistent()
	return f.Total+g.Total > 0, errors.Join(err, alone)
}

// spoil gives values that cannot be read: of a version to come, and cut.
func spoil(v []byte) [][]byte {
	newer := bytes.Clone(v)
	newer[0] = 200
	return [][]byte{newer, v[:len(v)-1]}
}

// A value that cannot be read is an error for what reads it: a shard opens and answers as before, or
// says that it is damaged; no answer is a little less than it was. An audit reads all there is.
func TestShard_UnreadableValues(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	have, replay := twoStores(t, 6, 36)
	w := storetest.NewGenerator(6)
	for range 36 {
		w.Next(30) // as twoStores did
	}
	sh := check.Must[*Shard](t)(have.Shard(2))
	before := answers(w.Model, sh)
	check.OK(t, sh.Close())
	for _, family := range []byte("RTCctnsmkipbaofqvuxz") {
		var keys [][]byte
		check.OK(t, scan.Prefix(have.db, []byte{family}, func(k, v []byte) error {
			if len(v) > 1 {
				keys = append(keys, bytes.Clone(k))
			}
			return nil
		}))
		for range some(0, 1) {
			if len(keys) == 0 {
				break
			}
			key := keys[rnd.IntN(len(keys))]
			was, done, err := have.db.Get(key)
			check.OK(t, err)
			was = bytes.Clone(was)
			check.OK(t, done.Close())
			for _, bad := range spoil(was) {
				check.OK(t, have.db.Set(key, bad, pebble.NoSync))
				unreadable(t, format.KeyName(key), have, replay, w.Model, before)
			}
			check.OK(t, have.db.Set(key, was, pebble.NoSync))
		}
	}
	nothing, err := audited(t, have, replay)
	if nothing || err != nil {
		t.Errorf("as it was: %v", err)
	}
}

// unreadable opens and asks a shard that has a bad value under a key.
func unreadable(t *testing.T, key string, have, replay *Store, m *storetest.Model, before map[string]answer) {
	t.Helper()
	said := func(err error) bool {
		return Damaged(err) || err != nil && strings.Contains(err.Error(), "unknown version")
	}
	if found, err := audited(t, have, replay); !found && !said(err) {
		t.Errorf("%s: the audit found nothing: %v", key, err)
	}
	sh, err := have.Shard(2)
	if err != nil {
		if !said(err) {
			t.Errorf("%s: opened with %v", key, err)
		}
		return
	}
	defer func() { check.OK(t, sh.Close()) }()
	for name, got := range answers(m, sh) {
		switch {
		case got.err != nil && !said(got.err):
			t.Errorf("%s: %s: %v", key, name, got.err)
		case got.err == nil && !reflect.DeepEqual(got.got, before[name].got):
			t.Errorf("%s: %s are others, without an error", key, name)
		}
	}
}

// A shard whose state cannot be read is not opened and not audited, and leaves no snapshot open; the
// other shards of its store are.
func TestShard_UnreadableState(t *testing.T) {
	fs := vfs.NewMem()
	s, sh := openSmall(t, fs, smallOptions(fs))
	check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
	check.OK(t, sh.Close())
	check.OK(t, s.db.Set(format.AppendStateKey(nil, 2), []byte{1}, pebble.NoSync))
	for range 2 {
		if _, err := s.Shard(2); !Damaged(err) {
			t.Errorf("opened with %v", err)
		}
		if _, err := s.Audit(2, nil); !Damaged(err) {
			t.Errorf("audited with %v", err)
		}
	}
	check.Same(t, "open snapshots", s.snapshot.Load(), int64(0))
	other := check.Must[*Shard](t)(s.Shard(3))
	check.OK(t, other.Close())
	check.OK(t, s.Close())
}
