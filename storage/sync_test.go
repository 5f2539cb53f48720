package storage

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// commitsFound is how many of the commits a machine finds that lost power now, and all of
// what they made it is.
func commitsFound(t *testing.T, fs *vfs.MemFS, w *world, all []commit, kept int) int {
	t.Helper()
	clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: w.r})
	s, sh := openSmall(t, clone, smallOptions(clone))
	defer closeBoth(t, s, sh)
	found, m := 0, newModel()
	for found < len(all) && m.state.Next != sh.State().Next {
		m.apply(all[found])
		found++
	}
	checkShard(t, m, sh)
	return found
}

// I3, where a commit is durable later than it is made.
func TestCommitsThatWaitForTheirFsyncAreLostFromTheLastOnAndWhole(t *testing.T) {
	w, fs := newWorld(41), vfs.NewCrashableMem()
	o := smallOptions(fs)
	o.SyncWithin = time.Hour
	s, sh := openSmall(t, fs, o)
	var all []commit
	lost := false
	for i := range 60 {
		all = append(all, w.next(w.r.IntN(40)))
		perform(t, sh, w.r, all[i])
		found := commitsFound(t, fs, w, all, 50)
		lost = lost || found <= i
	}
	if !lost {
		t.Error("every commit was durable at once: nothing was tried")
	}
	ok(t, sh.Close())
	if found := commitsFound(t, fs, w, all, 0); found != len(all) {
		t.Errorf("the shard was closed with %d of %d commits durable", found, len(all))
	}
	sh = must[*Shard](t)(s.Shard(2))
	perform(t, sh, w.r, w.next(5))
	closeBoth(t, s, sh)
}

func TestACommitIsDurableALittleLater(t *testing.T) {
	w, fs := newWorld(42), vfs.NewCrashableMem()
	o := smallOptions(fs)
	o.SyncWithin = time.Microsecond
	s, sh := openSmall(t, fs, o)
	var all []commit
	for i := range 10 {
		all = append(all, w.next(5))
		perform(t, sh, w.r, all[i])
		for deadline := time.Now().Add(time.Minute); commitsFound(t, fs, w, all, 0) <= i; {
			if time.Now().After(deadline) {
				t.Fatalf("commit %d is not durable", i)
			}
		}
	}
	closeBoth(t, s, sh)
}
