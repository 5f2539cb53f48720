package storage

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

func TestStoreOfAnotherFormatIsRefused(t *testing.T) {
	fs := vfs.NewMem()
	o := smallOptions(fs)
	s := must[*Store](t)(Open("store", o))
	ok(t, s.db.Set(formatKey, []byte("ovation shards 0"), pebble.Sync))
	ok(t, s.Close())
	var bad *FormatError
	if _, err := Open("store", o); !errors.As(err, &bad) || bad.Have != "ovation shards 0" || !strings.Contains(err.Error(), "ovation shards 5") {
		t.Fatalf("opened with %v", err)
	}

	other := must[*pebblefs.DB](t)(pebblefs.Open("other", pebblefs.Options{FS: fs, Logger: slog.New(slog.DiscardHandler)}, &pebble.Options{Merger: merger}))
	ok(t, other.Set([]byte("k"), nil, pebble.Sync))
	ok(t, other.Close())
	if _, err := Open("other", o); !errors.As(err, &bad) || bad.Have != "" {
		t.Fatalf("opened with %v", err)
	}

	c := must[*Catalog](t)(OpenCatalog("catalog", Options{FS: fs}))
	ok(t, c.Close())
	if _, err := Open("catalog", o); !errors.As(err, &bad) {
		t.Fatalf("a catalog opened as a node's store: %v", err)
	}
}

func TestStoreIsOpenedOnceAndAShardToo(t *testing.T) {
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
	other := must[*Shard](t)(s.Shard(3))
	ok(t, sh.Close())
	ok(t, sh.Close())
	sh = must[*Shard](t)(s.Shard(2))
	ok(t, other.Close())
	closeBoth(t, s, sh)
	ok(t, s.Close())
	if _, err := sh.Member(1, 1); err == nil {
		t.Error("a closed store answers")
	}
}

// TestShardsDoNotSeeEachOther runs three shards beside each other in one store.
func TestShardsDoNotSeeEachOther(t *testing.T) {
	fs := vfs.NewMem()
	s := must[*Store](t)(Open("store", smallOptions(fs)))
	var worlds []*world
	var shards []*Shard
	for i := range 3 {
		worlds = append(worlds, newWorld(uint64(50+i)))
		shards = append(shards, must[*Shard](t)(s.Shard(i)))
	}
	for range 25 {
		for i, w := range worlds {
			perform(t, shards[i], w.r, w.next(40))
		}
	}
	for i, w := range worlds {
		checkShard(t, w.m, shards[i])
	}
	st := must[Stats](t)(s.Stats())
	if st.Commits != 75 || st.Rows == 0 || st.Filters == 0 || st.Tail == 0 {
		t.Errorf("stats %+v", st)
	}
	ok(t, s.db.Flush())
	if st = must[Stats](t)(s.Stats()); st.Families[familyRows] == 0 || st.Families[familyLine] == 0 {
		t.Errorf("stats of families %+v", st.Families)
	}
	for _, sh := range shards {
		ok(t, sh.Close())
	}
	ok(t, s.Close())
}

func TestDumpShowsEveryKeyAsOneLine(t *testing.T) {
	fs := vfs.NewMem()
	w := newWorld(60)
	s, sh := openSmall(t, fs, smallOptions(fs))
	for range 30 {
		perform(t, sh, w.r, w.next(40))
	}
	var b strings.Builder
	ok(t, s.Dump(&b, nil))
	keys := 0
	seen := map[byte]bool{}
	ok(t, scan(s.db, nil, nil, func(k, _ []byte) (bool, error) { keys++; seen[k[0]] = true; return true, nil }))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != keys || strings.Contains(b.String(), "!storage") {
		t.Fatalf("%d lines of %d keys:\n%s", len(lines), keys, b.String())
	}
	for i := range len(families) {
		if !seen[families[i]] {
			t.Errorf("no key of family %c was tried", families[i])
		}
	}
	if !strings.Contains(b.String(), "format\t\"ovation shards 5\"") || !strings.Contains(b.String(), "R month=2024-0") ||
		!strings.Contains(b.String(), "flags=deleted") || !strings.Contains(b.String(), "flags=defaulted|one-time ") {
		t.Errorf("dump begins\n%.300s", b.String())
	}
	ok(t, s.db.Set([]byte("f123"), []byte{7}, pebble.Sync))
	b.Reset()
	ok(t, s.Dump(&b, []byte("f123")))
	if !strings.Contains(b.String(), "313233\t07 !") {
		t.Errorf("what cannot be read is %q", b.String())
	}
	closeBoth(t, s, sh)
}

func TestFactsDoNotDependOnOrder(t *testing.T) {
	w := newWorld(70)
	var all []domain.Change
	for range 10 {
		all = append(all, w.next(50).changes...)
	}
	// members first, then everything else shuffled; a row taken stays behind the row
	var members, rows, taken []domain.Change
	for _, c := range all {
		switch {
		case c.Kind == domain.RowAdded:
			rows = append(rows, c)
		case c.Kind == domain.RowTaken:
			taken = append(taken, c)
		case c.Kind == domain.MemberPut:
			members = append(members, c)
		}
	}
	var want [16]byte
	for i := range 4 {
		fs := vfs.NewMem()
		s, sh := openSmall(t, fs, smallOptions(fs))
		ok(t, sh.Stage(members))
		for n, part := range [][]domain.Change{rows, taken} {
			w.r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			for len(part) > 0 {
				k := 1 + w.r.IntN(len(part))
				ok(t, sh.Stage(part[:k]))
				if i > 0 {
					ok(t, sh.Commit(domain.ShardState{Next: int64(n)}, nil))
				}
				part = part[k:]
			}
		}
		ok(t, sh.Commit(domain.ShardState{Next: 99}, nil))
		got := sh.State().Facts
		same(t, "facts computed anew", must[[16]byte](t)(sh.Recompute()), got)
		if i == 0 {
			want = got
		}
		same(t, "facts", got, want)
		closeBoth(t, s, sh)
	}
}
