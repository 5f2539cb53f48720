package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
	"github.com/ovation-analytics/ovation/storage/storetest"
)

// TestStore_DiskErrorLosesNothingReported breaks the disk at every place of some
// commits, flushes and compactions: nothing reported is lost, nothing is reported
// after.
func TestStore_DiskErrorLosesNothingReported(t *testing.T) {
	for n := range int64(20 * 7) {
		if n%7 > 0 || underRace && n%28 > 0 {
			continue
		}
		t.Run(fmt.Sprint("write ", n), func(t *testing.T) {
			t.Parallel()
			fs := vfs.NewCrashableMem()
			disk := &pebblefstest.BrokenFrom{}
			disk.Left.Store(1 << 40)
			o := smallOptions(errorfs.Wrap(fs, disk))
			o.MemTableBytes = 32 << 10
			s, sh := openSmall(t, fs, o)
			disk.Left.Store(n)
			w := storetest.NewGenerator(uint64(n))
			var commits []storetest.Commit
			var failed error
			done := 0
			for i := 0; i < 200 && failed == nil; i++ {
				c := w.Next(20)
				commits = append(commits, c)
				if failed = sh.Stage(c.Changes); failed == nil {
					failed = sh.Commit(c.State, c.Origins)
				}
				if failed == nil {
					done++
				}
			}
			if failed == nil || s.Err() == nil {
				t.Fatalf("nothing failed: %v %v", failed, s.Err())
			}
			<-s.Failed()
			if err := sh.Commit(w.State, nil); err == nil {
				t.Fatal("a commit after the failure")
			}
			if _, err := s.Shard(7); err == nil {
				t.Fatal("a shard opened after the failure")
			}
			found, m := 0, storetest.NewModel()
			clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0})
			s2, sh2 := openSmall(t, clone, smallOptions(clone))
			for found < len(commits) && m.State.Next != sh2.State().Next {
				m.Apply(commits[found])
				found++
			}
			if found < done {
				t.Fatalf("%d commits were reported, %d are found", done, found)
			}
			checkShard(t, m, sh2)
			closeBoth(t, s2, sh2)
			check.OK(t, sh.Close())
			if err := s.Close(); !errors.Is(err, pebblefstest.ErrDisk) {
				t.Errorf("closed with %v", err)
			}
		})
	}
}

func TestShard_FailsAfterAnInvalidChange(t *testing.T) {
	member := domain.Change{Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(1, 3), Account: 1}}
	for name, c := range map[string]domain.Change{
		"a row of no member":           {Kind: domain.RowAdded, Row: domain.Row{Account: 1, Ord: 9, Seq: 1}},
		"a sequence too large":         {Kind: domain.RowAdded, Row: domain.Row{Account: 1, Seq: 1 << 60}},
		"a row taken that is not":      {Kind: domain.RowTaken, Row: domain.Row{Account: 1, Seq: 1, Flags: domain.Deleted}},
		"an unknown change":            {Kind: 99},
		"another member in the place":  {Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(2, 3), Account: 1}},
		"an ordinal too large":         {Kind: domain.MemberPut, Value: &domain.Member{ID: domain.MemberIDOf(2, 3), Account: 1, Ord: 1 << 30}},
		"a value too long":             {Kind: domain.BitPut, Value: &domain.Bit{Value: string(make([]byte, 256))}},
		"an outbox entry that is none": {Kind: domain.OutboxPut, Value: &domain.Outgoing{Sequence: 1}},
		"a forward without a command":  {Kind: domain.OutboxPut, Value: &domain.Outgoing{Sequence: 1, Forward: &domain.Record{Kind: domain.KindClaim}}},
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s, sh := openSmall(t, fs, smallOptions(fs))
			check.OK(t, sh.Stage([]domain.Change{member}))
			check.OK(t, sh.Commit(domain.ShardState{Next: 1}, nil))
			if err := sh.Stage([]domain.Change{c}); err == nil {
				t.Fatal("it was staged")
			}
			if err := sh.Commit(domain.ShardState{Next: 2}, nil); err == nil {
				t.Fatal("a commit after the error")
			}
			check.OK(t, sh.Close())
			sh = check.Must[*Shard](t)(s.Shard(2))
			if sh.State().Next != 1 {
				t.Fatalf("opened at %d", sh.State().Next)
			}
			check.OK(t, sh.Commit(domain.ShardState{Next: 2}, nil))
			closeBoth(t, s, sh)
		})
	}
}
