package store

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

func TestOpen_RefusesAnotherFormat(t *testing.T) {
	fs := vfs.NewMem()
	o := smallOptions(fs)
	s := check.Must[*Store](t)(Open("store", o))
	check.OK(t, s.db.Set(format.FormatKey, []byte("ovation shards 0"), pebble.Sync))
	check.OK(t, s.Close())
	var bad *FormatError
	if _, err := Open("store", o); !errors.As(err, &bad) || bad.Have != "ovation shards 0" || !strings.Contains(err.Error(), shardsFormat) {
		t.Fatalf("opened with %v", err)
	}

	other := check.Must[*pebblefs.DB](t)(pebblefs.Open("other", pebblefs.Options{FS: fs, Logger: slog.New(slog.DiscardHandler)}, &pebble.Options{Merger: format.Merger}))
	check.OK(t, other.Set([]byte("k"), nil, pebble.Sync))
	check.OK(t, other.Close())
	if _, err := Open("other", o); !errors.As(err, &bad) || bad.Have != "" {
		t.Fatalf("opened with %v", err)
	}

	c := check.Must[*Catalog](t)(OpenCatalog("catalog", Options{FS: fs}))
	check.OK(t, c.Close())
	if _, err := Open("catalog", o); !errors.As(err, &bad) {
		t.Fatalf("a catalog opened as a node's store: %v", err)
	}
}

func TestOpen_StoreAndShardOnce(t *testing.T) {
	fs := vfs.NewMem()
	cache := NewCache(1<<20, 100)
	defer cache.Close()
	o := smallOptions(fs)
	o.Cache = cache
	s, sh := openSmall(t, fs, o)
	if _, err := Open("store", o); err == nil {
		t.Error("the store was opened twice")
	}
	if _, err := s.Shard(2); err == nil {
		t.Error("the shard was opened twice")
	}
	for _, i := range []int{-1, 1 << 16} {
		if _, err := s.Shard(i); err == nil {
			t.Errorf("there is a shard %d", i)
		}
	}
	other := check.Must[*Shard](t)(s.Shard(3))
	check.OK(t, sh.Close())
	check.OK(t, sh.Close())
	sh = check.Must[*Shard](t)(s.Shard(2))
	check.OK(t, other.Close())
	closeBoth(t, s, sh)
	check.OK(t, s.Close())
	if _, err := sh.Member(1, 1); err == nil {
		t.Error("a closed store answers")
	}
}

// TestShard_ShardsAreIsolated runs three shards beside each other in one store.
func TestShard_ShardsAreIsolated(t *testing.T) {
	fs := vfs.NewMem()
	s := check.Must[*Store](t)(Open("store", smallOptions(fs)))
	var worlds []*storetest.Generator
	var shards []*Shard
	for i := range 3 {
		worlds = append(worlds, storetest.NewGenerator(uint64(50+i)))
		shards = append(shards, check.Must[*Shard](t)(s.Shard(i)))
	}
	for range 25 {
		for i, w := range worlds {
			perform(t, shards[i], w.Rand, w.Next(40))
		}
	}
	for i, w := range worlds {
		checkShard(t, w.Model, shards[i])
	}
	st := check.Must[Stats](t)(s.Stats())
	if st.Commits != 75 || st.Rows == 0 || st.Filters == 0 || st.Tail == 0 {
		t.Errorf("stats %+v", st)
	}
	check.OK(t, s.db.Flush())
	if st = check.Must[Stats](t)(s.Stats()); st.Families[format.FamilyRows] == 0 || st.Families[format.FamilyTimeline] == 0 {
		t.Errorf("stats of families %+v", st.Families)
	}
	for _, sh := range shards {
		check.OK(t, sh.Close())
	}
	check.OK(t, s.Close())
}

func TestDump_EveryKeyIsOneLine(t *testing.T) {
	fs := vfs.NewMem()
	w := storetest.NewGenerator(60)
	s, sh := openSmall(t, fs, smallOptions(fs))
	for range 30 {
		perform(t, sh, w.Rand, w.Next(40))
	}
	var b strings.Builder
	check.OK(t, s.Dump(&b, nil))
	keys := 0
	seen := map[byte]bool{}
	check.OK(t, scan.Range(s.db, nil, nil, func(k, _ []byte) (bool, error) { keys++; seen[k[0]] = true; return true, nil }))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != keys || strings.Contains(b.String(), "!storage") {
		t.Fatalf("%d lines of %d keys:\n%s", len(lines), keys, b.String())
	}
	for i := range len(format.Families) {
		if !seen[format.Families[i]] {
			t.Errorf("no key of family %c was tried", format.Families[i])
		}
	}
	if !strings.Contains(b.String(), "format\t\""+shardsFormat+"\"") || !strings.Contains(b.String(), "R month=2024-0") ||
		!strings.Contains(b.String(), "flags=deleted") || !strings.Contains(b.String(), "flags=defaulted|one-time ") {
		t.Errorf("dump begins\n%.300s", b.String())
	}
	check.OK(t, s.db.Set([]byte("f123"), []byte{7}, pebble.Sync))
	b.Reset()
	check.OK(t, s.Dump(&b, []byte("f123")))
	if !strings.Contains(b.String(), "313233\t07 !") {
		t.Errorf("what cannot be read is %q", b.String())
	}
	closeBoth(t, s, sh)
}

func TestStateHash_DoesNotDependOnOrder(t *testing.T) {
	w := storetest.NewGenerator(70)
	var all []domain.Change
	for range 10 {
		all = append(all, w.Next(50).Changes...)
	}
	// members and places first, then everything else shuffled; a row taken stays after the row
	var members, rows, taken []domain.Change
	for _, c := range all {
		switch {
		case c.Kind == domain.RowAdded:
			rows = append(rows, c)
		case c.Kind == domain.RowTaken:
			taken = append(taken, c)
		case c.Kind == domain.MemberPut || c.Kind == domain.VisitPlacePut:
			members = append(members, c)
		}
	}
	var want [16]byte
	for i := range 4 {
		fs := vfs.NewMem()
		s, sh := openSmall(t, fs, smallOptions(fs))
		check.OK(t, sh.Stage(members))
		for n, part := range [][]domain.Change{rows, taken} {
			w.Rand.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			for len(part) > 0 {
				k := 1 + w.Rand.IntN(len(part))
				check.OK(t, sh.Stage(part[:k]))
				if i > 0 {
					check.OK(t, sh.Commit(domain.ShardState{Next: int64(n)}, nil))
				}
				part = part[k:]
			}
		}
		check.OK(t, sh.Commit(domain.ShardState{Next: 99}, nil))
		got := sh.State().Facts
		check.Same(t, "state hash computed anew", check.Must[[16]byte](t)(sh.Recompute()), got)
		if i == 0 {
			want = got
		}
		check.Same(t, "state hash", got, want)
		closeBoth(t, s, sh)
	}
}
