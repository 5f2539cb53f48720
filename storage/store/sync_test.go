package store

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// commitsFound is how many of the commits a machine finds that lost power now, and all of
// what they made it is.
func commitsFound(t *testing.T, fs *vfs.MemFS, w *storetest.Generator, all []storetest.Commit, kept int) int {
	t.Helper()
	clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: w.Rand})
	s, sh := openSmall(t, clone, smallOptions(clone))
	defer closeBoth(t, s, sh)
	found, m := 0, storetest.NewModel()
	for found < len(all) && m.State.Next != sh.State().Next {
		m.Apply(all[found])
		found++
	}
	checkShard(t, m, sh)
	return found
}

// I3, where a commit is durable later than it is made.
func TestSync_LostCommitsAreWholeAndTheLast(t *testing.T) {
	w, fs := storetest.NewGenerator(41), vfs.NewCrashableMem()
	o := smallOptions(fs)
	o.SyncWithin = time.Hour
	s, sh := openSmall(t, fs, o)
	var all []storetest.Commit
	lost := false
	for i := range 60 {
		all = append(all, w.Next(w.Rand.IntN(40)))
		perform(t, sh, w.Rand, all[i])
		found := commitsFound(t, fs, w, all, 50)
		lost = lost || found <= i
	}
	if !lost {
		t.Error("every commit was durable at once: nothing was tried")
	}
	check.OK(t, sh.Close())
	if found := commitsFound(t, fs, w, all, 0); found != len(all) {
		t.Errorf("the shard was closed with %d of %d commits durable", found, len(all))
	}
	sh = check.Must[*Shard](t)(s.Shard(2))
	perform(t, sh, w.Rand, w.Next(5))
	closeBoth(t, s, sh)
}

func TestSync_DurableWithinTheDelay(t *testing.T) {
	w, fs := storetest.NewGenerator(42), vfs.NewCrashableMem()
	o := smallOptions(fs)
	o.SyncWithin = time.Microsecond
	s, sh := openSmall(t, fs, o)
	var all []storetest.Commit
	for i := range 10 {
		all = append(all, w.Next(5))
		perform(t, sh, w.Rand, all[i])
		for deadline := time.Now().Add(time.Minute); commitsFound(t, fs, w, all, 0) <= i; {
			if time.Now().After(deadline) {
				t.Fatalf("commit %d is not durable", i)
			}
		}
	}
	closeBoth(t, s, sh)
}
