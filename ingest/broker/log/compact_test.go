package log

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// compactedTopic makes a compacted topic that keeps tombstones for an hour.
func compactedTopic(t testing.TB, l *Log, config ...string) domain.TopicID {
	t.Helper()
	return created(t, l, "t", 1, append(config, configCleanup, "compact", configTombstones, strconv.FormatInt(time.Hour.Milliseconds(), 10))...)
}

// keyedRecord is a record of a compacted topic; a tombstone has no value.
type keyedRecord struct {
	Offset, Time int64
	Key, Value   string
}

// keyedRecords reads raw batches back. Each has one record.
func keyedRecords(t testing.TB, raw []byte) (all []keyedRecord) {
	t.Helper()
	for len(raw) > 0 {
		b := raw[:recordbatch.Size(raw)]
		raw = raw[len(b):]
		h, err := checkHeader(b)
		if err != nil || h.Count != 1 {
			t.Fatalf("%+v: %v", h, err)
		}
		r, rest, err := recordbatch.Next(b[recordbatch.HeaderSize:], true)
		if err != nil || len(rest) > 0 || r.OffsetDelta != 0 || r.Headers.Count != 1 {
			t.Fatalf("%+v: %v", r, err)
		}
		at := h.FirstTime + r.TimeDelta
		if h.Attributes&recordbatch.LogAppendTime != 0 {
			at = h.MaxTime
		}
		all = append(all, keyedRecord{h.Base, at, string(r.Key), string(r.Value)})
	}
	return all
}

// naiveCompacted is a compacted partition as a list of records.
type naiveCompacted struct {
	records []keyedRecord
	added   map[int64]int64 // when the record at an offset was appended
	end     int64
}

func (n *naiveCompacted) append(m *built, now int64) {
	for i, key := range m.keys {
		n.records = slices.DeleteFunc(n.records, func(r keyedRecord) bool { return r.Key == key })
		n.records = append(n.records, keyedRecord{n.end, m.times[i], key, m.values[i]})
		n.added[n.end] = now
		n.end++
	}
}

func (n *naiveCompacted) expire(before int64) {
	n.records = slices.DeleteFunc(n.records, func(r keyedRecord) bool {
		return r.Value == "" && n.added[r.Offset] <= before && r.Offset+1 < n.end
	})
}

// A compacted partition equals a list of which each append takes the older records of its keys out, with batches of
// several records, tombstones that expire, crashes, and reads from any offset and time.
func TestCompaction_RandomOperationsEqualANaiveList(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	clk := &fakeClock{ms: epochZero.UnixMilli() + 5*60_000}
	l := opened(t, fs, Options{Now: clk.now, MemTableBytes: 64 << 10})
	id := compactedTopic(t, l)
	n := naiveCompacted{added: map[int64]int64{}}
	for step := range 3000 {
		clk.ms += r.Int64N(20_000)
		switch op := r.IntN(100); {
		case op < 45:
			m := built{codec: recordbatch.Codec(r.IntN(6)), producer: -1}
			for range 1 + r.IntN(4) {
				m.keys = append(m.keys, strings.Repeat("k", r.IntN(3))+strconv.Itoa(r.IntN(30)))
				m.values = append(m.values, []string{"", fmt.Sprint("value ", step)}[min(r.IntN(4), 1)])
				m.times = append(m.times, int64(step*10+r.IntN(200)-100))
			}
			if base := mustAppend(t, l, id, m.batch()); base != n.end {
				t.Fatalf("step %d: base %d, want %d", step, base, n.end)
			}
			n.append(&m, clk.ms)
		case op < 50:
			fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
			l = opened(t, fs, Options{Now: clk.now, MemTableBytes: 64 << 10})
		case op < 53:
			if err := l.Reclaim(context.Background()); err != nil {
				t.Fatal(err)
			}
			n.expire(clk.ms - time.Hour.Milliseconds())
		case op < 85:
			n.compareRead(t, l, id, r)
		default:
			ms := r.Int64N(int64(step*10 + 200))
			i := slices.IndexFunc(n.records, func(r keyedRecord) bool { return r.Time >= ms })
			want := [2]int64{-1, -1}
			if i >= 0 {
				want = [2]int64{n.records[i].Offset, n.records[i].Time}
			}
			offset, at, err := part(t, l, id, 0).Find(ms)
			if got := [2]int64{offset, at}; err != nil || got != want {
				t.Fatalf("step %d: time %d is at %v, want %v: %v", step, ms, got, want, err)
			}
		}
	}
}

func (n *naiveCompacted) compareRead(t *testing.T, l *Log, id domain.TopicID, r *rand.Rand) {
	t.Helper()
	p := part(t, l, id, 0)
	if start, end, err := p.Bounds(); err != nil || start != 0 || end != n.end {
		t.Fatalf("[%d,%d), want [0,%d): %v", start, end, n.end, err)
	}
	offset, limit := r.Int64N(n.end+1), 1+r.IntN(1000)
	raw, next, err := p.Read(offset, limit, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := keyedRecords(t, raw)
	want := slices.DeleteFunc(slices.Clone(n.records), func(r keyedRecord) bool { return r.Offset < offset })
	if len(want) > 0 && len(got) == 0 || len(got) > 1 && len(raw) > limit {
		t.Fatalf("%d records in %d bytes from %d, of %d", len(got), len(raw), offset, len(want))
	}
	if d := cmp.Diff(want[:len(got)], got); len(got) > 0 && d != "" {
		t.Fatal(d)
	}
	if len(got) > 0 && next != got[len(got)-1].Offset+1 || len(got) == 0 && next != n.end {
		t.Fatalf("next %d after %d records", next, len(got))
	}
}

// fold is what a reader knows that has read a compacted partition up to a place.
type fold struct {
	next int64
	keys map[string]string
}

func (f *fold) read(t testing.TB, p *Partition) {
	for {
		raw, next, err := p.Read(f.next, 300, true, nil)
		if err != nil {
			t.Error(err)
			return
		}
		for _, r := range keyedRecords(t, raw) {
			if r.Value == "" {
				delete(f.keys, r.Key)
			} else {
				f.keys[r.Key] = r.Value
			}
		}
		if next == f.next {
			return
		}
		f.next = next
	}
}

// Power that goes at the append of a tombstone leaves the value or the tombstone, never neither; what was acknowledged
// is there, and a reader that goes on from where it was comes to what the log has.
func TestCompaction_PowerGoesAtTheTombstone(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		fs := vfs.NewCrashableMem()
		l := opened(t, fs, Options{SyncEvery: 3 * time.Millisecond}) // appends are pending for a while
		id := compactedTopic(t, l)
		p := part(t, l, id, 0)
		const keys = 8
		for k := range keys {
			mustAppend(t, l, id, built{producer: -1, times: []int64{1}, keys: []string{strconv.Itoa(k)}, values: []string{"v"}}.batch())
		}
		reader := fold{next: r.Int64N(keys + 1), keys: map[string]string{}}
		for k := range reader.next {
			reader.keys[strconv.FormatInt(k, 10)] = "v"
		}
		var acknowledged [keys]atomic.Bool
		var wg sync.WaitGroup
		for k := range keys {
			wg.Go(func() {
				if _, _, err := appendWait(l, id, 0, built{producer: -1, times: []int64{1}, keys: []string{strconv.Itoa(k)}, values: []string{""}}.batch()); err != nil {
					t.Error(err)
				}
				acknowledged[k].Store(true)
			})
		}
		for n := r.IntN(4); n > 0; n-- {
			reader.read(t, p)
		}
		var sure [keys]bool
		for k := range sure {
			sure[k] = acknowledged[k].Load()
		}
		clone := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
		wg.Wait()
		l = opened(t, clone, Options{})
		p = part(t, l, id, 0)
		whole := fold{keys: map[string]string{}}
		whole.read(t, p)
		raw, _, err := p.Read(0, 1<<20, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, record := range keyedRecords(t, raw) {
			seen[record.Key]++
		}
		for k := range keys {
			key := strconv.Itoa(k)
			_, there := whole.keys[key]
			if seen[key] != 1 || sure[k] && there {
				t.Fatalf("round %d: key %s is in %d records; its value %v, its deletion was acknowledged %v", round, key, seen[key], there, sure[k])
			}
		}
		reader.read(t, p)
		if !maps.Equal(reader.keys, whole.keys) {
			t.Fatalf("round %d: a reader that went on has %v, the log %v", round, reader.keys, whole.keys)
		}
	}
}

// What a tombstone, or a newer value, takes away is in no table after Reclaim, nor is the tombstone once it was kept
// long enough; what is left is read, also where the log was opened in between.
func TestCompaction_ReclaimLeavesNothingOfWhatIsTakenAway(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		fs, clk := vfs.NewMem(), &fakeClock{ms: epochZero.UnixMilli()}
		l := opened(t, fs, Options{Now: clk.now})
		id := compactedTopic(t, l)
		add := func(key, value string) {
			mustAppend(t, l, id, built{producer: -1, times: []int64{1}, keys: []string{key}, values: []string{value}}.batch())
		}
		again := func() {
			if !reopened {
				return
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			l = opened(t, fs, Options{Now: clk.now})
		}
		reclaimed := func(want map[string]bool) {
			t.Helper()
			again()
			for range 2 {
				if err := l.Reclaim(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			cleaned(l)
			all := tables(t, fs)
			for text, there := range want {
				if bytes.Contains(all, []byte(text)) != there {
					t.Errorf("opened again %v: %q is there: %v", reopened, text, !there)
				}
			}
		}
		add("erased key", "the erased")
		add("changed key", "the older")
		add("other key", "the other")
		if err := l.db.Flush(); err != nil {
			t.Fatal(err)
		}
		add("erased key", "")
		add("changed key", "the newer")
		if all := tables(t, fs); !bytes.Contains(all, []byte("the erased")) || !bytes.Contains(all, []byte("the older")) {
			t.Fatal("no table has what is to be taken away")
		}
		reclaimed(map[string]bool{"the erased": false, "erased key": true, "the older": false, "the newer": true, "the other": true})
		clk.ms += time.Hour.Milliseconds()
		reclaimed(map[string]bool{"erased key": false, "the newer": true, "the other": true})
		raw, next, err := part(t, l, id, 0).Read(0, 1<<20, true, nil)
		if err != nil || next != 5 {
			t.Fatal(next, err)
		}
		want := []keyedRecord{{2, 1, "other key", "the other"}, {4, 1, "changed key", "the newer"}}
		if d := cmp.Diff(want, keyedRecords(t, raw)); d != "" {
			t.Error(d)
		}
	}
}

// The newest record keeps its offset in use though it is a tombstone that was kept long enough.
func TestCompaction_OffsetsAreUsedOnce(t *testing.T) {
	fs, clk := vfs.NewMem(), &fakeClock{ms: epochZero.UnixMilli()}
	l := opened(t, fs, Options{Now: clk.now})
	id := compactedTopic(t, l, configTimestampType, "LogAppendTime")
	deletion := built{producer: -1, times: []int64{1}, keys: []string{"k"}, values: []string{""}}
	for n := range int64(4) {
		if base := mustAppend(t, l, id, deletion.batch()); base != n {
			t.Fatalf("base %d, want %d", base, n)
		}
		clk.ms += 2 * time.Hour.Milliseconds()
		if err := l.Reclaim(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = opened(t, fs, Options{Now: clk.now, TrustClock: true})
	}
}

// A batch is stored once, however many records it has and how often it comes, and one without keys is refused; nothing
// but a newer record of its key takes a record away.
func TestCompaction_BatchesAreStoredOnce(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := compactedTopic(t, l)
	m := built{producer: 7, times: times(3, 1), keys: []string{"a", "b", "a"}, values: []string{"1", "2", "3"}}
	for range 3 {
		if base := mustAppend(t, l, id, m.batch()); base != 0 {
			t.Fatalf("base %d", base)
		}
	}
	m.sequence, m.values = 3, []string{"4", "", "5"}
	if base := mustAppend(t, l, id, m.batch()); base != 3 {
		t.Fatalf("base %d", base)
	}
	raw, next, err := part(t, l, id, 0).Read(1, 1<<20, true, nil)
	if err != nil || next != 6 {
		t.Fatal(next, err)
	}
	if d := cmp.Diff([]keyedRecord{{4, 1, "b", ""}, {5, 1, "a", "5"}}, keyedRecords(t, raw)); d != "" {
		t.Error(d)
	}
	_, _, err = appendWait(l, id, 0, plain(1, 1))
	wantCode(t, err, InvalidRecord)
	_, err = part(t, l, id, 0).DeleteRecords(-1)
	wantCode(t, err, PolicyViolation)
	for _, wrong := range [][]string{{configCleanup, "compact,delete"}, {configCleanup, "compact", configTombstones, "-1"}} {
		_, err := l.Topics.Create("u", 1, map[string]string{wrong[0]: wrong[1], configTombstones: wrong[len(wrong)-1]})
		wantCode(t, err, InvalidConfig)
	}
}

// Readers side by side read on while appends replace the newest record again and again: a reader that looks between the
// append and its fsync finds no record up to the end that it has seen.
func TestCompaction_ReadersBesideReplacements(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := compactedTopic(t, l)
	p := part(t, l, id, 0)
	replacement := func(n int) []byte {
		return built{producer: -1, times: []int64{1}, keys: []string{"k"}, values: []string{strconv.Itoa(n)}}.batch()
	}
	mustAppend(t, l, id, replacement(0))
	var over atomic.Bool
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for next := int64(0); !over.Load(); {
				raw, after, err := p.Read(next, 1<<20, true, nil)
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range keyedRecords(t, raw) {
					if r.Value != strconv.FormatInt(r.Offset, 10) {
						t.Errorf("the record at %d has the value %s", r.Offset, r.Value)
					}
				}
				if next = after; after > 0 && len(raw) == 0 {
					next--
				}
			}
		})
	}
	for n := 1; n < 2_000 && !t.Failed(); n++ {
		mustAppend(t, l, id, replacement(n))
	}
	over.Store(true)
	readers.Wait()
}
