package log

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func TestLog_EmptiedLogContinuesItsOffsets(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := opened(t, fs, Options{})
	id := created(t, l, "t", 1)
	mustAppend(t, l, id, plain(7, 1))
	if start, err := part(t, l, id, 0).DeleteRecords(-1); err != nil || start != 7 {
		t.Fatal(start, err)
	}
	for range 2 {
		fs = fs.CrashClone(vfs.CrashCloneCfg{})
		l = opened(t, fs, Options{})
		if start, end, err := part(t, l, id, 0).Bounds(); err != nil || start != 7 || end != 7 {
			t.Fatalf("[%d,%d) %v", start, end, err)
		}
		if o, _, err := part(t, l, id, 0).Find(0); err != nil || o != -1 {
			t.Fatal(o, err)
		}
	}
	if base := mustAppend(t, l, id, plain(1, 1)); base != 7 {
		t.Fatalf("base %d", base)
	}
}

func TestLog_EachOpeningHasAHigherEpoch(t *testing.T) {
	fs, clk := vfs.NewMem(), &fakeClock{ms: epochZero.UnixMilli() - 1}
	var got []int32
	for _, minutes := range []int64{-3, -3, 50, 50, 10, 100} {
		clk.ms = epochZero.UnixMilli() + minutes*60_000
		l := opened(t, fs, Options{Now: clk.now})
		got = append(got, l.Epoch())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]int32{0, 1, 50, 51, 52, 100}, got); d != "" {
		t.Fatal(d)
	}
}

func TestLog_RestoredFromACopyDivergesInEpoch(t *testing.T) {
	clk := &fakeClock{ms: epochZero.UnixMilli() + 10*60_000}
	fs := vfs.NewCrashableMem()
	l := opened(t, fs, Options{Now: clk.now})
	id := created(t, l, "t", 1)
	mustAppend(t, l, id, plain(5, 1))
	backup := fs.CrashClone(vfs.CrashCloneCfg{})
	mustAppend(t, l, id, plain(5, 1)) // read up to 10 in epoch 10
	read := l.Epoch()
	clk.ms += 60_000
	l = opened(t, backup, Options{Now: clk.now})
	mustAppend(t, l, id, plain(9, 1)) // longer again than what was read
	found, end, err := part(t, l, id, 0).EpochEnd(read)
	if err != nil || found != read || end != 5 {
		t.Fatalf("epoch %d ended at %d: %v", found, end, err)
	}
}

func TestTopics_AreKeptAndDeletedWithTheirGroupOffsets(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := opened(t, fs, Options{})
	a := created(t, l, "a", 2, "retention.ms", "5", configTimestampType, "LogAppendTime")
	b := created(t, l, "b", 1)
	if err := l.Topics.AddPartitions(b, 3); err != nil {
		t.Fatal(err)
	}
	offsets := []GroupOffset{{a, 1, 42, 7, "meta"}, {b, 2, 1, -1, ""}}
	if err := l.Groups.Commit("g", offsets); err != nil {
		t.Fatal(err)
	}
	if err := l.Groups.Commit("g2", offsets[:1]); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, a, built{producer: 9, times: times(3, 1)}.batch())
	if _, err := part(t, l, a, 0).DeleteRecords(1); err != nil {
		t.Fatal(err)
	}
	cluster := l.Cluster()
	if len(cluster) != 22 {
		t.Fatalf("cluster id %q", cluster)
	}

	fs = fs.CrashClone(vfs.CrashCloneCfg{})
	l = opened(t, fs, Options{})
	want := []Topic{
		{a, "a", 2, map[string]string{"retention.ms": "5", configTimestampType: "LogAppendTime"}},
		{b, "b", 3, map[string]string{}},
	}
	if d := cmp.Diff(want, l.Topics.All()); d != "" || l.Cluster() != cluster {
		t.Fatal(d, l.Cluster())
	}
	got, err := l.Groups.Offsets("g")
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Topic != a {
		got[0], got[1] = got[1], got[0]
	}
	if d := cmp.Diff(offsets, got); d != "" {
		t.Fatal(d)
	}
	if o, found, err := l.Groups.Offset("g", b, 2); err != nil || !found || o != offsets[1] {
		t.Fatal(o, found, err)
	}
	wantCode(t, l.Groups.Commit("g", []GroupOffset{{b, 3, 1, 0, ""}}), UnknownTopic)

	deletedWithAll(t, fs, l, a)
}

// deletedWithAll deletes topic a, of which group g2 has an offset, and looks for what
// is left of it, now and after a crash.
func deletedWithAll(t *testing.T, fs *vfs.MemFS, l *Log, a domain.TopicID) {
	t.Helper()
	held := part(t, l, a, 0)
	if err := l.Topics.Delete(a); err != nil {
		t.Fatal(err)
	}
	wantOnly(t, held, UnknownTopic)
	for range 2 {
		if _, found := l.Topics.ByName("a"); found {
			t.Fatal("the topic is there")
		}
		if all, err := l.Groups.Offsets("g2"); err != nil || len(all) != 0 {
			t.Fatal(all, err)
		}
		_, err := l.Topics.Partition(a, 0)
		wantCode(t, err, UnknownTopic)
		wantCode(t, l.Topics.Delete(a), UnknownTopic)
		fs = fs.CrashClone(vfs.CrashCloneCfg{})
		l = opened(t, fs, Options{})
	}
	if again := created(t, l, "a", 1); again == a {
		t.Fatal("the id was used again")
	}
	left := 0
	if err := l.each(nil, func(k, _ []byte) error {
		if strings.Contains(string(k), string(a[:])) {
			left++
		}
		return nil
	}); err != nil || left > 0 {
		t.Fatalf("%d keys of the deleted topic: %v", left, err)
	}
}

func TestTopics_RefusesInvalidOnes(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := created(t, l, "t", 2)
	for _, c := range []struct {
		name, topic string
		partitions  int
		config      map[string]string
		want        Code
	}{
		{"no name", "", 1, nil, InvalidTopic},
		{"dots", "..", 1, nil, InvalidTopic},
		{"a slash", "a/b", 1, nil, InvalidTopic},
		{"a long name", strings.Repeat("x", 250), 1, nil, InvalidTopic},
		{"a taken name", "t", 1, nil, TopicExists},
		{"no partitions", "u", 0, nil, InvalidPartitions},
		{"too many", "u", maxPartitions + 1, nil, InvalidPartitions},
		{"a wrong clock", "u", 1, map[string]string{configTimestampType: "Moon"}, InvalidConfig},
		{"a wrong size", "u", 1, map[string]string{configMaxBatch: "x"}, InvalidConfig},
		{"a huge size", "u", 1, map[string]string{configMaxBatch: "99999999999"}, InvalidConfig},
		{"a long setting", "u", 1, map[string]string{"k": strings.Repeat("v", 1<<16)}, InvalidConfig},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantCode(t, l.Topics.Check(c.topic, c.partitions, c.config), c.want)
			_, err := l.Topics.Create(c.topic, c.partitions, c.config)
			wantCode(t, err, c.want)
		})
	}
	wantCode(t, l.Topics.AddPartitions(id, 2), InvalidPartitions)
	wantCode(t, l.Topics.AddPartitions(domain.TopicID{1}, 2), UnknownTopic)
}

func TestOpen_RefusesAnotherFormatAndAForeignStore(t *testing.T) {
	fs := vfs.NewMem()
	put := func(key, value string) {
		db, err := pebblefs.Open("log", pebblefs.Options{FS: fs, Logger: quiet}, pebblefs.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Set([]byte(key), []byte(value), pebble.Sync), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	put("x", "y")
	if _, err := Open("log", Options{FS: fs, Logger: quiet}); err == nil || !strings.Contains(err.Error(), "not a log") {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"\x02": "the log has format version 2, this binary reads version 3",
		"\x04": "the log has format version 4, this binary reads version 3",
		"":     "another program",
	} {
		put("a", value)
		if _, err := Open("log", Options{FS: fs, Logger: quiet}); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("%q: %v", value, err)
		}
	}
}

func TestOpen_LocksTheDirectory(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir, Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{Logger: quiet}); err == nil {
		t.Fatal("opened twice")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(dir, Options{Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = l.Topics.Partition(domain.TopicID{}, 0)
	wantCode(t, err, StorageError)
}

// failing opens a log with one topic on a disk whose operations fail, once armed, if
// they are of the kind and of such a file.
func failing(t *testing.T, kind errorfs.OpKind, file string) (l *Log, id domain.TopicID, armed *atomic.Bool) {
	t.Helper()
	armed = new(atomic.Bool)
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if armed.Load() && op.Kind == kind && strings.Contains(op.Path, file) {
			return errors.New("disk on fire")
		}
		return nil
	}))
	l, err := Open("log", Options{FS: fs, Logger: quiet, FreeSpace: func() (uint64, error) { return math.MaxUint64, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return l, created(t, l, "t", 1), armed
}

// wantOnly checks that a partition answers nothing but an error.
func wantOnly(t *testing.T, p *Partition, want Code) {
	t.Helper()
	_, _, _, appended := p.Append(plain(1, 1))
	_, _, read := p.Read(0, 100, true, nil)
	_, _, bounds := p.Bounds()
	_, trimmed := p.DeleteRecords(-1)
	for _, err := range []error{appended, read, bounds, trimmed} {
		wantCode(t, err, want)
	}
}

// wantStopped checks that a log answers nothing but a storage error, says why, and closes.
func wantStopped(t *testing.T, l *Log, p *Partition) {
	t.Helper()
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Fatal(err)
	}
	wantOnly(t, p, StorageError)
	_, err := l.Topics.Create("u", 1, nil)
	wantCode(t, err, StorageError)
	_, err = l.Topics.Partition(domain.TopicID{}, 0)
	wantCode(t, err, StorageError)
	_, err = l.NewProducerID()
	wantCode(t, err, StorageError)
	wantCode(t, l.Groups.Commit("g", nil), StorageError)
	wantCode(t, l.Close(), StorageError)
}

// Any error of writing stops the log: appends under way return, and nothing is answered after.
func TestDisk_AnErrorStopsTheLog(t *testing.T) { pebblefstest.Apart(t, errorStops) }

func errorStops(t *testing.T) {
	for _, c := range []struct {
		name string
		kind errorfs.OpKind
		file string
	}{
		{"WAL sync", errorfs.OpFileSyncData, ".log"},
		{"WAL write", errorfs.OpFileWrite, ".log"},
		{"WAL create", errorfs.OpCreate, ".log"},
		{"table create", errorfs.OpCreate, ".sst"},
		{"table write", errorfs.OpFileWrite, ".sst"},
		{"manifest write", errorfs.OpFileWrite, "MANIFEST"},
		{"manifest sync", errorfs.OpFileSync, "MANIFEST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, id, armed := failing(t, c.kind, c.file)
			p := part(t, l, id, 0)
			mustAppend(t, l, id, plain(1, 1))
			armed.Store(true)
			big := built{producer: -1, times: []int64{1}, values: []string{strings.Repeat("x", 1000<<10)}}.batch()
			var wg sync.WaitGroup
			for range 3 { // several, so that some are under way when it happens
				wg.Go(func() {
					for range 60 {
						if _, _, err := appendWait(l, id, 0, bytes.Clone(big)); err != nil {
							if !errors.Is(err, StorageError) {
								t.Error(err)
							}
							return
						}
					}
					t.Error("180 MB and no error")
				})
			}
			wg.Wait()
			wantStopped(t, l, p)
		})
	}
}

// What was acknowledged before the disk failed is there when it works again.
func TestDisk_TheNextOpeningHasWhatWasAcknowledged(t *testing.T) {
	pebblefstest.Apart(t, acknowledgedIsKept)
}

func acknowledgedIsKept(t *testing.T) {
	armed := new(atomic.Bool)
	disk := vfs.NewCrashableMem()
	fs := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if armed.Load() && op.Kind == errorfs.OpFileSyncData {
			return errors.New("disk on fire")
		}
		return nil
	}))
	l := opened(t, fs, Options{Logger: quiet})
	id := created(t, l, "t", 1)
	m := built{producer: 1, times: times(1, 1)}
	for range 20 {
		mustAppend(t, l, id, m.batch())
		m.sequence++
	}
	armed.Store(true)
	_, _, err := appendWait(l, id, 0, m.batch())
	wantCode(t, err, StorageError)
	l = opened(t, disk.CrashClone(vfs.CrashCloneCfg{}), Options{})
	if base := mustAppend(t, l, id, m.batch()); base != 20 { // sent again
		t.Fatalf("base %d", base)
	}
	if n := sequencesOf(t, l, id, 0, 1); n != 21 {
		t.Fatalf("%d batches", n)
	}
}

func TestMain(m *testing.M) { pebblefstest.Main(m) }
