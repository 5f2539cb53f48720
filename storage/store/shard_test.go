package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// smallOptions seal, widen and evict often.
func smallOptions(fs vfs.FS) Options {
	return Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: 256 << 10, SealRows: 300, FilterBytes: 8 << 10, narrow: narrow{widths: format.Widths{Day: 15, Hour: 60}, bucketRows: 40, blockBytes: 100}}
}

// some is a sample, or with the race detector a quarter of it.
func some[T any](all ...T) []T {
	if underRace {
		return all[:(len(all)+3)/4]
	}
	return all
}

// sampleAll has every row of the model looked up, but with the race detector.
func sampleAll(m *storetest.Model) {
	if !underRace {
		m.Sample = 1
	}
}

func openSmall(t testing.TB, fs vfs.FS, o Options) (*Store, *Shard) {
	t.Helper()
	s := check.Must[*Store](t)(Open("store", o))
	return s, check.Must[*Shard](t)(s.Shard(2))
}

func closeBoth(t testing.TB, s *Store, sh *Shard) {
	t.Helper()
	check.OK(t, sh.Close())
	check.OK(t, s.Close())
}

// perform stages a commit in several parts and commits it.
func perform(t testing.TB, sh *Shard, r *rand.Rand, c storetest.Commit) {
	t.Helper()
	asked := r.IntN(2) == 0
	for rest := c.Changes; len(rest) > 0; {
		n := 1 + r.IntN(len(rest))
		askSeen(t, sh, asked, rest[:n], false)
		check.OK(t, sh.Stage(rest[:n]))
		askSeen(t, sh, asked, rest[:n], true)
		rest = rest[n:]
	}
	check.OK(t, sh.Commit(c.State, c.Origins))
}

// askSeen asks for the rows that are added, before or after they are staged.
func askSeen(t testing.TB, sh *Shard, asked bool, changes []domain.Change, want bool) {
	t.Helper()
	for i := range changes {
		r := &changes[i].Row
		if !asked || changes[i].Kind != domain.RowAdded {
			continue
		}
		got, seen, err := sh.Seen(r.Account, r.Ord, domain.RepeatMonthsOf(r.Time, int64(r.Time)*1000), r.Hash)
		if seen != want || err != nil || seen && got.Seq != r.Seq {
			t.Fatalf("row %+v, staged %v, is seen: %v %+v %v", *r, want, seen, got, err)
		}
	}
}

func TestShard_RandomOperationsMatchTheModel(t *testing.T) {
	for _, seed := range some[uint64](1, 2, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := storetest.NewGenerator(seed)
			o := smallOptions(vfs.NewMem())
			s, sh := openSmall(t, o.FS, o)
			for i := range 80 {
				perform(t, sh, w.Rand, w.Next(w.Rand.IntN(60)))
				switch w.Rand.IntN(12) {
				case 0:
					checkShard(t, w.Model, sh)
				case 1:
					closeBoth(t, s, sh)
					s, sh = openSmall(t, o.FS, o)
				case 2:
					check.OK(t, s.db.Flush())
				case 3:
					if i%3 == 0 {
						check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
					}
				}
			}
			checkShard(t, w.Model, sh)
			check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
			closeBoth(t, s, sh)
			s, sh = openSmall(t, o.FS, o)
			sampleAll(w.Model)
			checkShard(t, w.Model, sh)
			closeBoth(t, s, sh)
		})
	}
}

// TestI3_CrashLeavesACommitBoundary cuts the power beside random commits: what is found
// is the state after one of them, at or after the last that was reported.
func TestI3_CrashLeavesACommitBoundary(t *testing.T) {
	for _, seed := range some[uint64](11, 12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := storetest.NewGenerator(seed)
			fs := vfs.NewCrashableMem()
			s, sh := openSmall(t, fs, smallOptions(fs))
			var commits []storetest.Commit
			for i := range 60 {
				c := w.Next(w.Rand.IntN(60))
				if i%10 == 5 { // while changes are staged
					check.OK(t, sh.Stage(c.Changes))
					checkCrash(t, fs, w.Rand, commits)
					check.OK(t, sh.Commit(c.State, c.Origins))
				} else {
					perform(t, sh, w.Rand, c)
				}
				commits = append(commits, c)
				if i%20 == 9 {
					checkCrash(t, fs, w.Rand, commits)
				}
			}
			checkShard(t, w.Model, sh)
			closeBoth(t, s, sh)
		})
	}
}

// checkCrash opens what a machine would find that lost power now.
func checkCrash(t *testing.T, fs *vfs.MemFS, r *rand.Rand, commits []storetest.Commit) {
	t.Helper()
	o := smallOptions(fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: r}))
	s, sh := openSmall(t, o.FS, o)
	m := storetest.NewModel()
	for _, c := range commits {
		m.Apply(c)
	}
	checkShard(t, m, sh)
	closeBoth(t, s, sh)
}

func TestCrash_DuringACommitKeepsReported(t *testing.T) {
	w := storetest.NewGenerator(21)
	fs := vfs.NewCrashableMem()
	s, sh := openSmall(t, fs, smallOptions(fs))
	commits := make(chan storetest.Commit)
	reported := make(chan int)
	go func() {
		defer close(reported)
		n := 0
		for c := range commits {
			if sh.Stage(c.Changes) != nil || sh.Commit(c.State, c.Origins) != nil {
				return
			}
			n++
			reported <- n
		}
	}()
	var all []storetest.Commit
	done := 0
	for range len(some(make([]int, 30)...)) {
		c := w.Next(w.Rand.IntN(40))
		all = append(all, c)
		commits <- c
		clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: w.Rand}) // at any moment of the commit
		o := smallOptions(clone)
		s2, sh2 := openSmall(t, clone, o)
		found, m := 0, storetest.NewModel()
		for found < len(all) && m.State.Next != sh2.State().Next {
			m.Apply(all[found])
			found++
		}
		if found < done {
			t.Fatalf("%d commits were reported, %d are found", done, found)
		}
		checkShard(t, m, sh2)
		closeBoth(t, s2, sh2)
		done = <-reported
	}
	close(commits)
	<-reported
	closeBoth(t, s, sh)
}

// Readers hold snapshots while the shard commits, seals the tail that it shares with them
// and begins another in memory that no reader holds any more.
func TestSnapshot_ReadWhileTheShardCommits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := storetest.NewGenerator(seed)
	o := smallOptions(vfs.NewMem())
	s, sh := openSmall(t, o.FS, o)
	var readers sync.WaitGroup
	for range 80 {
		perform(t, sh, w.Rand, w.Next(50))
		snap, want, wait := sh.Snapshot(), w.Model.BrandRows(), w.Rand.IntN(20)
		readers.Go(func() {
			defer func() {
				if err := snap.Close(); err != nil {
					t.Error(err)
				}
			}()
			for range wait { // so that it is read later
				runtime.Gosched()
			}
			for k, rows := range want {
				if got := rowsOf(t, snap, k); !slices.Equal(got, rows) {
					t.Errorf("brand %v: %v, want %v", k, got, rows)
					return
				}
				if got, rows := memberRowsOf(t, snap, &rows[0]), wantMemberRows(want, &rows[0]); !slices.Equal(got, rows) {
					t.Errorf("member %d: %v, want %v", rows[0].Ord, got, rows)
					return
				}
			}
		})
	}
	readers.Wait()
	closeBoth(t, s, sh)
}

// rowsOf is a brand's rows as a snapshot has them.
func rowsOf(t *testing.T, snap *Snapshot, k [2]uint32) (got []domain.Row) {
	err := snap.Rows(domain.AccountID(k[0]), domain.BrandID(k[1]), always, func(rows []domain.Row) error {
		got = append(got, rows...)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	storetest.SortRows(got)
	return got
}

// memberRowsOf is what a row's member did as a snapshot has it.
func memberRowsOf(t *testing.T, snap *Snapshot, r *domain.Row) (got []domain.Row) {
	err := snap.MemberRows(r.Account, r.Ord, always, func(rows []domain.Row) { got = append(got, rows...) })
	if err != nil {
		t.Error(err)
	}
	return got
}

// wantMemberRows is the same of all rows there are.
func wantMemberRows(all map[[2]uint32][]domain.Row, r *domain.Row) (want []domain.Row) {
	for _, rows := range all {
		for i := range rows {
			if rows[i].Account == r.Account && rows[i].Ord == r.Ord {
				want = append(want, rows[i])
			}
		}
	}
	storetest.SortRows(want)
	return want
}

func TestSnapshot_StaysAtItsCommit(t *testing.T) {
	w := storetest.NewGenerator(31)
	o := smallOptions(vfs.NewMem())
	s, sh := openSmall(t, o.FS, o)
	for range 20 {
		perform(t, sh, w.Rand, w.Next(50))
	}
	snap := sh.Snapshot()
	want := w.Model.BrandRows()
	for range 20 {
		perform(t, sh, w.Rand, w.Next(50))
	}
	check.OK(t, s.db.Compact(t.Context(), []byte{0}, []byte{255}, false))
	for k, rows := range want {
		check.Same(t, "rows", rowsOf(t, snap, k), rows)
	}
	check.OK(t, snap.Close())
	check.OK(t, snap.Close())
	checkShard(t, w.Model, sh)
	closeBoth(t, s, sh)
}
