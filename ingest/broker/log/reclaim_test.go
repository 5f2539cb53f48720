package log

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tables are the bytes of all tables of the log in a directory. A compaction in the background takes a table's place by others: then
// they are read again.
func tables(t *testing.T, fs vfs.FS) []byte {
	t.Helper()
	for {
		all, err := readTables(fs)
		if !errors.Is(err, os.ErrNotExist) {
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
	}
}

// readTables are the bytes of the tables that are there; the error is os.ErrNotExist where one is not there any more.
func readTables(fs vfs.FS) (all []byte, err error) {
	names, err := fs.List("log")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		f, err := fs.Open(fs.PathJoin("log", name))
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

// cleaned returns when the files of tables that are of no use any more are gone, and no compaction is under way.
func cleaned(l *Log) {
	for {
		l.db.TestOnlyWaitForCleaning()
		m := l.db.Metrics()
		if m.Table.ZombieCount == 0 && m.Table.ObsoleteCount == 0 && m.Compact.NumInProgress == 0 {
			return
		}
		runtime.Gosched()
	}
}

// What is deleted from a partition is in no table after Reclaim, and what is left is; also where the log
// was opened in between.
func TestLog_ReclaimLeavesNothingOfWhatIsDeleted(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		fs := vfs.NewMem()
		l := opened(t, fs, Options{})
		id := created(t, l, "a", 1)
		mustAppend(t, l, id, built{producer: -1, times: []int64{1}, values: []string{"the first"}}.batch())
		mustAppend(t, l, id, built{producer: -1, times: []int64{2}, values: []string{"the second"}}.batch())
		if err := l.db.Flush(); err != nil {
			t.Fatal(err)
		}
		p, err := l.Topics.Partition(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.DeleteRecords(1); err != nil || !bytes.Contains(tables(t, fs), []byte("the first")) {
			t.Fatal("no table has what is to be deleted", err)
		}
		if reopened {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l = opened(t, fs, Options{})
		}
		for range 2 {
			if err := l.Reclaim(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		cleaned(l)
		if all := tables(t, fs); bytes.Contains(all, []byte("the first")) || !bytes.Contains(all, []byte("the second")) {
			t.Errorf("opened again: %v: %q", reopened, all)
		}
	}
}
